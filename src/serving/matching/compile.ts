/**
 * Compiles a published mock for a thread: everything that does not depend on the request is done here, once per version.
 *
 * The definition was checked when it was edited. What slipped through is left out or never holds: a mock must not bring its thread down.
 */
import { parseRoutePath, REST_NAME, type PathSegment } from '../../model/mocks/route-path.ts';
import type { MockRoute, MockSettings, PublishedMock } from '../../model/mocks/definition.ts';
import { ChooserCompiler, onlyChoice } from './choose-response.ts';
import { compileResponse } from './compile-response.ts';
import type { CompiledMock, CompiledRoute, FoundRoute } from './compiled-mock.ts';
import { buildRouteTable, type TableEntry } from './route-table.ts';

/**
 * @param sharedDomains No mock may set a cookie for them.
 *
 * Cost: linear in the definition; the first rules that take long are compiled now, further ones when they are needed.
 */
export function compileMock(published: PublishedMock, sharedDomains: readonly string[]): CompiledMock {
  const { settings, routes } = published.definition;
  const choosers = new ChooserCompiler(settings.seed);
  const entries: TableEntry[] = [];
  let place = 0;
  const compiled = routes.map((route, index) => {
    const firstPlace = place;
    place += route.responses.length;
    const segments = parseRoutePath(route.path);
    if (!route.enabled || typeof segments === 'string') return undefined;
    entries.push({ index, route, segments });
    return compileRoute(route, index, firstPlace, segments, settings, choosers, sharedDomains);
  });
  return {
    mockId: published.mockId,
    state: published.state,
    version: published.version,
    settings,
    routes: compiled,
    table: buildRouteTable(entries, settings.precedence),
  };
}

const NONE: readonly string[] = [];

/** @param firstPlace Of its responses. */
function compileRoute(
  route: MockRoute,
  index: number,
  firstPlace: number,
  segments: readonly PathSegment[],
  settings: MockSettings,
  choosers: ChooserCompiler,
  sharedDomains: readonly string[],
): CompiledRoute {
  const responses = route.responses.map((response, at) =>
    compileResponse(route.id, response, firstPlace + at, settings, sharedDomains),
  );
  const only = onlyChoice(route);
  const staticAnswer = only === undefined ? undefined : responses[only]?.fixed;
  const isByRules = only === undefined && route.selection === 'rules';
  // The two refer to each other: `route` is set below.
  const found = { params: NONE } as Partial<FoundRoute> as { route: CompiledRoute } & FoundRoute;
  const compiled: CompiledRoute = {
    id: route.id,
    index,
    method: route.method,
    path: route.path,
    segments,
    parameterNames: segments.flatMap((segment) => {
      if (segment.kind === 'literal') return [];
      return segment.kind === 'rest' ? [REST_NAME] : [segment.name];
    }),
    needsBody:
      responses.some(({ looksAtBody }) => looksAtBody) ||
      (isByRules && route.responses.some(({ rules }) => rules.some(({ target }) => target === 'body'))),
    usesCounter:
      responses.some(({ looksAtNumber }) => looksAtNumber) ||
      (only === undefined &&
        (route.selection === 'sequential' || (route.selection === 'random' && settings.seed !== null))),
    staticAnswer,
    responses,
    choose: choosers.compile(route, index),
    found,
  };
  found.route = compiled;
  return compiled;
}
