/** What rows call the routes that answered: as the saved version has them. */
import { useMemo } from 'preact/hooks';
import type { MockRecord, RequestSummary, RouteSummary } from '../../client/shapes.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';

export type RouteNames = ReadonlyMap<string, RouteSummary>;

const NONE: RouteNames = new Map();

/** Empty until they are loaded, and when they cannot be: rows say less then. */
export function useRouteNames({ id, version }: MockRecord): RouteNames {
  const routes = useResource(() => api().mocks.versionRoutes(id, version), [id, version]);
  const { value } = routes.state.value;
  return useMemo(() => (value === undefined ? NONE : new Map(value.map((route) => [route.id, route]))), [value]);
}

/** "GET /payments/:id #2"; the number of the response where there are several. */
export function routeText({ routeId, responseId, version, session }: RequestSummary, names: RouteNames): string {
  const route = names.get(routeId ?? '');
  if (route === undefined) return `a route of v${version}${session === undefined ? '' : ', or of its session'}`;
  const place = route.responses.findIndex(({ id }) => id === responseId);
  return `${route.method} ${route.path}${route.responses.length > 1 && place >= 0 ? ` #${place + 1}` : ''}`;
}
