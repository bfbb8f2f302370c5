/**
 * Adds routes of a recording to those that a mock has. A route of the same method and path gets the new responses: they come first, so that
 * what was recorded is answered, and what the route has already is not added again.
 */
import { isConditionGroup, mapGroup } from '../definition/conditions.ts';
import { randomId } from '../../../base/random-id.ts';
import { parseRoutePath } from '../../../languages/paths/route-path.ts';
import type { MockResponse, MockRoute } from '../definition/definition.ts';
import type { KeptIds } from './keep-ids.ts';
import type { Condition } from '../definition/condition-schema.ts';

const ID_CHARS = 10;

/** @param before What is there. @param added With ids that are unique among them. @returns As `keepIds`. */
export function addRoutes(before: readonly MockRoute[], added: readonly MockRoute[]): KeptIds {
  const routes = [...before];
  const places = new Map(before.map((route, index) => [shapeOf(route), index]));
  const taken = new Set(before.map(({ id }) => id));
  const renamed = new Map<string, { routeId: string; responseIds: ReadonlyMap<string, string> }>();
  for (const route of added) {
    const place = places.get(shapeOf(route));
    const own = place === undefined ? undefined : routes[place];
    if (place === undefined || own === undefined) {
      const id = taken.has(route.id) ? randomId(ID_CHARS) : route.id;
      taken.add(id);
      routes.push({ ...route, id });
      renamed.set(route.id, { routeId: id, responseIds: new Map() });
      continue;
    }
    const { route: extended, ids } = withResponses(own, renameParameters(route, own.path));
    routes[place] = extended;
    renamed.set(route.id, { routeId: own.id, responseIds: ids });
  }
  return { routes, renamed };
}

interface Extended {
  readonly route: MockRoute;
  readonly ids: ReadonlyMap<string, string>;
}

function withResponses(own: MockRoute, { responses: recorded, selection }: MockRoute): Extended {
  /** Equal responses of the route; each accounts for one recorded response. */
  const free = new Map<string, MockResponse[]>();
  for (const response of own.responses) {
    const alike = free.get(likenessOf(response));
    if (alike === undefined) free.set(likenessOf(response), [response]);
    else alike.push(response);
  }
  const ids = new Map<string, string>();
  const taken = new Set(own.responses.map(({ id }) => id));
  const fresh: MockResponse[] = [];
  const all = recorded.map((response) => {
    const present = free.get(likenessOf(response))?.shift();
    const id = present?.id ?? (taken.has(response.id) ? randomId(ID_CHARS) : response.id);
    taken.add(id);
    ids.set(response.id, id);
    const named = id === response.id ? response : { ...response, id };
    if (present === undefined) fresh.push(named);
    return named;
  });
  // What the recording has whole is as it was recorded, a sequence, too: so a recording can be added twice.
  const given = new Set(all.map(({ id }) => id));
  if (own.responses.every(({ id }) => given.has(id))) return { route: { ...own, selection, responses: all }, ids };
  if (own.selection !== 'rules') return { route: { ...own, responses: [...own.responses, ...fresh] }, ids };
  const hasFallback = own.responses.some(isFallback);
  const isPlain = fresh.some(({ rules }) => rules.length === 0);
  const first = fresh.map((response) => (hasFallback && response.default ? { ...response, default: false } : response));
  const others = own.responses.map((response) =>
    isPlain && response.default ? { ...response, default: false } : response,
  );
  return { route: { ...own, responses: [...first, ...others] }, ids };
}

function isFallback(response: MockResponse): boolean {
  return response.default || response.rules.length === 0;
}

/** Equal for responses that answer the same requests in the same way. */
function likenessOf({ id: _id, label: _label, sample: _sample, default: _default, ...own }: MockResponse): string {
  return JSON.stringify(own);
}

/** Equal for routes that answer the same requests. */
function shapeOf({ method, path, pathKind }: MockRoute): string {
  const segments = pathKind === undefined ? parseRoutePath(path) : path;
  if (typeof segments === 'string') return `${method} ~${path}`;
  const shapes = segments.map((segment) => {
    if (segment.kind === 'literal') return [segment.text];
    return segment.kind === 'parameter' && !segment.optional ? null : segment;
  });
  return `${method} ${JSON.stringify(shapes)}`;
}

/** With the names that the parameters have in a path of the same shape. */
function renameParameters(route: MockRoute, path: string): MockRoute {
  if (route.path === path) return route;
  const [own, other] = [parametersOf(route.path), parametersOf(path)];
  const names = new Map(own.map((name, index) => [name, other[index] ?? name]));
  const renamed = (rule: Condition): Condition => {
    if (isConditionGroup(rule)) return mapGroup(rule, renamed) as Condition;
    return rule.target === 'urlParam' ? { ...rule, property: names.get(rule.property) ?? rule.property } : rule;
  };
  return {
    ...route,
    path,
    responses: route.responses.map((response) => ({ ...response, rules: response.rules.map(renamed) })),
  };
}

function parametersOf(path: string): string[] {
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return [];
  return segments.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
}
