/**
 * Gives a definition that replaces another the ids of what it keeps: a route with the same method and path keeps its id, so that counts,
 * sequences and recorded traffic go on, and the diff is small.
 */
import type { MockResponse, MockRoute } from './definition.ts';

/**
 * A route whose id is known stays as it is. Of several with one method and path, the first gets the first id that is left.
 *
 * @returns The routes of `after`, in their order.
 */
export function keepIds(before: readonly MockRoute[], after: readonly MockRoute[]): MockRoute[] {
  const pair = pairUp(before, after, ({ method, path }) => `${method} ${path}`);
  return after.map((route) => {
    const known = pair(route);
    if (known === undefined) return route;
    const pairOf = pairUp(known.responses, route.responses, nameOf);
    const responses = route.responses.map((response) => ({ ...response, id: pairOf(response)?.id ?? response.id }));
    return { ...route, id: known.id, responses };
  });
}

function nameOf({ status, label }: MockResponse): string {
  return `${status} ${label}`;
}

interface Identified {
  readonly id: string;
}

/** @returns What stood for an item of `after` in `before`: that of its id, else the next of its name whose id is not in `after`. */
function pairUp<Item extends Identified>(
  before: readonly Item[],
  after: readonly Item[],
  name: (item: Item) => string,
): (item: Item) => Item | undefined {
  const byId = new Map(before.map((item) => [item.id, item]));
  const kept = new Set(after.map(({ id }) => id));
  const left = new Map<string, Item[]>();
  for (const item of before) {
    if (kept.has(item.id)) continue;
    const same = left.get(name(item));
    if (same === undefined) left.set(name(item), [item]);
    else same.push(item);
  }
  return (item) => byId.get(item.id) ?? left.get(name(item))?.shift();
}
