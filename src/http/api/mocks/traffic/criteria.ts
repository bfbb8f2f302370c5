/** Turns each member of `match` into a filter for the data plane. */
import type { TrafficFilter } from '../../../../model/mocks/traffic.ts';
import type { AnsweringRoutes } from './answering-routes.ts';
import type { Match } from './expectation.ts';
import { recordedConditions } from './recorded-conditions.ts';
import type { TrafficSubject } from './traffic-scope.ts';

/** The filter for one member of `match`. */
export type Criterion = Omit<TrafficFilter, 'limit'>;

/** A member of `match` and what it requires. */
export type Criteria = ReadonlyMap<string, Criterion>;

/** A path that is a route's pattern also matches the requests that the route answered. */
export function criteriaOf(match: Match, scoped: TrafficSubject, routes: AnsweringRoutes): Criteria {
  const { method, path, routeId, responseId, header, query, bodyContains, trace, proxied, ended, events, rules } =
    match;
  const { message, requestId } = match;
  const criteria = new Map<string, Criterion>();
  if (message !== undefined) criteria.set('message', { message });
  if (requestId !== undefined) criteria.set('requestId', { requestId });
  if (method !== undefined) criteria.set('method', { method });
  if (path !== undefined) criteria.set('path', { path, routeIdsByVersion: routes.withPattern(path) });
  if (routeId !== undefined) criteria.set('routeId', { routeId });
  if (responseId !== undefined) criteria.set('responseId', { responseId });
  if (header !== undefined) criteria.set('header', { headers: inLowerCase(header) });
  if (query !== undefined) criteria.set('query', { query });
  if (bodyContains !== undefined) criteria.set('bodyContains', { bodyContains });
  if (trace !== undefined) criteria.set('trace', { trace });
  if (proxied !== undefined) criteria.set('proxied', { proxied });
  if (ended !== undefined) criteria.set('ended', { ended });
  if (events !== undefined) criteria.set('events', { events });
  if (rules.length > 0) criteria.set('rules', { conditions: recordedConditions(rules, scoped, routes) });
  return criteria;
}

/** Names of headers as filters have them. */
export function inLowerCase(header: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
}

export function allOf(criteria: Criteria): Criterion {
  return Object.assign({}, ...criteria.values()) as Criterion;
}
