/** Routes of the kind `crud` as ordinary ones, for formats without stores: each answers with what its store begins with. */
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition/definition.ts';
import { crudOperation, itemParameter, servedPlaces } from '../model/mocks/stores/crud.ts';
import type { Code } from './report/codes.ts';
import type { ReportWriter } from './report/report.ts';

/** @param code What is lost: counted for each route and response that uses stores. */
export function withCrudAsRoutes(definition: MockDefinition, code: Code, report: ReportWriter): MockDefinition {
  const { routes } = definition;
  const count = routes.reduce(
    (sum, { kind, responses }) =>
      sum + (kind === 'crud' ? 1 : responses.filter(({ store }) => store !== undefined).length),
    0,
  );
  if (count === 0) return definition;
  report.count(code, count);
  return {
    ...definition,
    routes: routes.flatMap((route) => (route.kind === 'crud' ? routesOf(route, definition) : [route])),
  };
}

function routesOf(route: MockRoute, { settings: { stores = [] } }: MockDefinition): MockRoute[] {
  const { kind: _kind, store: name, dialect: _dialect, ...plain } = route;
  const store = stores.find((each) => each.name === name);
  const value = store === undefined || store.templated !== undefined ? [] : store.value;
  const items = Array.isArray(value) ? (value as readonly unknown[]) : undefined;
  const parameter = `:${itemParameter(route)}`;
  const places =
    items === undefined ? servedPlaces(route).filter(({ path }) => path === route.path) : servedPlaces(route);
  return places.map((place, index) => {
    const isOfItem = place.path.endsWith(parameter) && place.path !== route.path;
    const op = crudOperation(place.method, isOfItem);
    const shown = op === 'clear' ? [] : isOfItem || op === 'create' ? (items?.[0] ?? {}) : value;
    const responses = route.responses.map((response, at) =>
      at === route.responses.length - 1 ? stored(response, op === 'create' ? 201 : response.status, shown) : response,
    );
    return { ...plain, ...place, id: `${route.id}x${index}`, responses };
  });
}

function stored(response: MockResponse, status: number, value: unknown): MockResponse {
  const hasType = response.headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const type = { name: 'content-type', value: 'application/json; charset=utf-8' };
  return {
    ...response,
    status,
    headers: hasType ? response.headers : [...response.headers, type],
    body: JSON.stringify(value),
  };
}
