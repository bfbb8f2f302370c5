/**
 * Gives the routes of a definition that replaces another the ids that they had: those of the same id, else of
 * the same method and path. Their sequences, counts and traffic go on, and the diff has what has changed.
 */
import { randomId } from '../../../base/random-id.ts';
import type { MockResponse, MockRoute } from '../definition/definition.ts';

export interface KeptIds {
  readonly routes: readonly MockRoute[];
  /** By the id that the route came with. */
  readonly renamed: ReadonlyMap<
    string,
    { readonly routeId: string; readonly responseIds: ReadonlyMap<string, string> }
  >;
}

const ID_CHARS = 10;

/** @param before What is replaced. @param after What comes, with ids that are unique in it. */
export function keepIds(before: readonly MockRoute[], after: readonly MockRoute[]): KeptIds {
  const kept = matched(before, after, [({ id }) => id, ({ method, path }) => `${method} ${path}`]);
  const byId = new Map(before.map((route) => [route.id, route]));
  const ids = idsFor(after, kept);
  const renamed = new Map<string, { routeId: string; responseIds: ReadonlyMap<string, string> }>();
  const routes = after.map((route) => {
    const routeId = ids.get(route.id) as string;
    const earlier = byId.get(kept.get(route.id) ?? '')?.responses ?? [];
    const responseIds = idsFor(route.responses, matched(earlier, route.responses, LIKENESS));
    renamed.set(route.id, { routeId, responseIds });
    const responses = route.responses.map((each) => ({ ...each, id: responseIds.get(each.id) as string }));
    return { ...route, id: routeId, responses };
  });
  return { routes, renamed };
}

/** Criteria by which two responses of a route are the same, the surest first. Ties follow their order. */
const LIKENESS: readonly ((response: MockResponse) => string)[] = [
  ({ id, status }) => `${id} ${status}`,
  ({ label, status }) => `${status} ${label}`,
  ({ status }) => String(status),
];

/** @returns By the id of a new item, that of the earlier one that it stands for. */
function matched<Item extends { readonly id: string }>(
  before: readonly Item[],
  after: readonly Item[],
  likeness: readonly ((item: Item) => string)[],
): Map<string, string> {
  const found = new Map<string, string>();
  const used = new Set<string>();
  for (const keyOf of likeness) {
    const free = new Map<string, string[]>();
    for (const item of before) {
      if (used.has(item.id)) continue;
      const key = keyOf(item);
      const ids = free.get(key);
      if (ids === undefined) free.set(key, [item.id]);
      else ids.push(item.id);
    }
    for (const item of after) {
      const id = found.has(item.id) ? undefined : free.get(keyOf(item))?.shift();
      if (id === undefined) continue;
      found.set(item.id, id);
      used.add(id);
    }
  }
  return found;
}

/** An item that stands for no earlier one keeps its own id, unless another has it now. */
function idsFor(items: readonly { readonly id: string }[], kept: ReadonlyMap<string, string>): Map<string, string> {
  const taken = new Set(kept.values());
  return new Map(
    items.map(({ id }) => {
      const earlier = kept.get(id);
      if (earlier !== undefined) return [id, earlier];
      const own = taken.has(id) ? randomId(ID_CHARS) : id;
      taken.add(own);
      return [id, own];
    }),
  );
}
