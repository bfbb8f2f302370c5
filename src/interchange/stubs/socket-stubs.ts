/** Makes WebSocket routes of a list of stubs for messages, in which the first that takes a message answers it. */
import { withIds } from '../exchanges/responses.ts';
import type { ReadResponse, ReadRoute, ReadRule } from '../format.ts';
import type { Item } from '../report/report.ts';
import { stableId } from '../stable-id.ts';
import { EVERY_PATH, type StubPath } from './stub-path.ts';

export interface SocketStub {
  readonly item: Item;
  readonly path: StubPath;
  /** Conditions on its handshake: all must hold. */
  readonly rules: readonly ReadRule[];
  readonly protocol?: string;
  /** Responses to the opening of a socket, and to messages: their rules are asked beside those of the handshake. */
  readonly responses: readonly (Omit<ReadResponse, 'item'> & { readonly item?: Item })[];
}

/**
 * A message is answered by the route of its socket alone, so stubs for every path are in all routes.
 *
 * @param refuses Whether a handshake that no stub takes is refused.
 */
export function socketRoutes(stubs: readonly SocketStub[], refuses: boolean): ReadRoute[] {
  const paths = new Map(stubs.map(({ path }) => [path.path, path]));
  // Routes are asked in this order: what takes every path is the last.
  const ordered = [...paths.values()].toSorted((one, other) => Number(isEvery(one)) - Number(isEvery(other)));
  return ordered.map((path): ReadRoute => {
    const own = stubs.filter((stub) => stub.path.path === path.path || isEvery(stub.path));
    const [first] = own as [SocketStub];
    const responses = own.flatMap((stub) =>
      stub.responses.map((response) => ({
        item: stub.item,
        ...response,
        rules: [...stub.rules, ...(response.rules ?? [])],
      })),
    );
    const protocols = [...new Set(own.flatMap(({ protocol }) => protocol ?? []))];
    const takesAll = !refuses || own.some(({ rules }) => rules.length === 0);
    return {
      item: first.item,
      id: stableId('r', 'ws', path.path),
      kind: 'ws',
      method: 'GET',
      ...path,
      ...(protocols.length === 0 ? {} : { protocols }),
      responses: withIds([...(takesAll ? [] : [...accepted(own), refusal(first.item)]), ...responses]),
    };
  });
}

function isEvery({ path }: StubPath): boolean {
  return path === EVERY_PATH.path;
}

/** A handshake that is taken and not greeted. Those that are greeted say so themselves. */
function accepted(stubs: readonly SocketStub[]): ReadResponse[] {
  return stubs
    .filter(({ responses }) => !responses.some(({ when }) => when === 'open'))
    .map(({ item, rules }) => ({ item, when: 'open', rules }));
}

function refusal(item: Item): ReadResponse {
  return { item, when: 'open', status: 404, default: true };
}
