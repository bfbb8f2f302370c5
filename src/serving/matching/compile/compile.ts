/**
 * Compiles a published mock for a thread: does everything that does not depend on the request, once per version.
 *
 * The definition was checked when it was edited. Should an invalid part exist all the same, it is left out or never
 * holds: a mock must not crash its thread.
 */
import { atOnce } from '../../../base/slices.ts';
import { requiresState } from '../../../model/mocks/behaviour/behaviour-checks.ts';
import type { MockRoute, MockSettings } from '../../../model/mocks/definition/definition.ts';
import { conditionsOf, testsBody } from '../../../model/mocks/definition/conditions.ts';
import { otherStatusesOf } from '../../../model/mocks/behaviour/fault-statuses.ts';
import { loadLocales } from '../templates/faker.ts';
import { compileClock, type Clock } from './clock.ts';
import { ChooserCompiler, onlyChoice, type Choose } from '../choose/choose-response.ts';
import { compileResponse } from './compile-response.ts';
import { withCallbacks } from './callbacks.ts';
import { withStream } from './with-stream.ts';
import { withFaults } from './faults.ts';
import { withStore } from './with-store.ts';
import { servedPlaces } from '../../../model/mocks/stores/crud.ts';
import { compileForced } from '../choose/forced-choice.ts';
import type { CompiledRoutes } from './compiled-routes.ts';
import type {
  CompiledMock,
  CompiledRoute,
  FoundRoute,
  MockToCompile,
  PreparedResponse,
  Requirements,
  RouteSlots,
} from './compiled-mock.ts';
import { compileSocketRoute } from '../sockets/compile-socket.ts';
import { socketSettings } from '../../../model/mocks/sockets/socket.ts';
import { compileScenarios } from '../choose/scenario-choice.ts';
import { compilePath, placeOf, type CompiledPath } from '../routing/compiled-path.ts';
import { buildRouteTable, type TableEntry } from '../routing/route-table.ts';
import { NO_CHOICE } from '../choose/condition-groups.ts';
import { RouteTargets } from '../request/condition-target.ts';
import type { MatchCondition } from '../../../model/mocks/definition/condition-schema.ts';
import { readsAddress, readsOrder, readsStores } from '../../../model/mocks/definition/condition-reads.ts';
import { conditionTemplates } from '../templates/condition-templates.ts';
import { drawStream } from './draw-streams.ts';

/** Reused parts of an earlier version, and the counters of routes: by default in their order. */
interface CompileOptions {
  readonly known?: CompiledRoutes | undefined;
  readonly slots?: RouteSlots | undefined;
}

/** The same as `compileInSteps`, at once. */
export function compileMock(
  published: MockToCompile,
  sharedDomains: readonly string[],
  options: CompileOptions = {},
): CompiledMock {
  return atOnce(compileInSteps(published, sharedDomains, options));
}

/**
 * Pauses before each route that it compiles.
 *
 * @param sharedDomains Domains that no mock may set a cookie for.
 *
 * Cost: linear in the definition. Conditions that are slow to compile are compiled now up to a limit, further ones on first
 * use.
 */
export function* compileInSteps(
  published: MockToCompile,
  sharedDomains: readonly string[],
  { known, slots }: CompileOptions,
): Generator<void, CompiledMock> {
  const { settings, routes } = published.definition;
  const choosers = new ChooserCompiler();
  const { find } = known?.begin(settings) ?? NONE_KNOWN;
  const clock = compileClock(settings.clock);
  if (settings.faker !== undefined) loadLocales(settings.faker);
  const entries: TableEntry[] = [];
  let place = 0;
  let otherPlace = 0;
  const compiled: (CompiledRoute | undefined)[] = [];
  for (const [at, route] of routes.entries()) {
    const [index = at, ...own] = slots?.places.subarray(3 * at, 3 * at + 3) ?? [];
    const first = { place: own[0] ?? place, otherPlace: own[1] ?? otherPlace };
    place += route.responses.length;
    for (const response of route.responses) otherPlace += otherStatusesOf(settings, route, response)?.length ?? 0;
    const path = route.enabled ? compilePath(route) : undefined;
    if (path === undefined) {
      compiled.push(undefined);
      continue;
    }
    let compiledOne = find(route, index, first);
    if (compiledOne === undefined) {
      yield;
      compiledOne = compileRoute(route, settings, { index, first, path, choosers, sharedDomains, clock });
    }
    known?.keep(route, compiledOne);
    for (const each of placesIn(compiledOne)) {
      entries.push({ index: compiled.length, route: each, ...placeOf(each) });
      compiled.push(each);
    }
  }
  propagateNeeds(compiled);
  return {
    mockId: published.mockId,
    state: published.state,
    version: published.version,
    settings,
    routeCount: slots?.routeCount ?? routes.length,
    routes: compiled,
    table: buildRouteTable(entries, settings.precedence),
  };
}

const NONE_KNOWN = { find: () => undefined };

/** A request that falls through may need the body or the address in the next route. */
export function propagateNeeds(
  routes: readonly (CompiledRoute | undefined)[],
  others: readonly (CompiledRoute | undefined)[] = [],
): void {
  const all = [...routes, ...others];
  if (!routes.some((route) => route?.fallsThrough === true)) return;
  const needsBody = all.some((route) => route?.needsBody === true);
  const needsIp = all.some((route) => route?.needsIp === true);
  const isStateful = all.some((route) => route?.isStateful === true);
  for (const route of routes) {
    if (route?.fallsThrough !== true) continue;
    route.needsBody ||= needsBody;
    route.needsIp ||= needsIp;
    route.isStateful ||= isStateful;
  }
}

/** Some condition is such a one. */
function tests({ responses }: MockRoute, isIt: (rule: MatchCondition) => boolean): boolean {
  return responses.some(({ rules }) => conditionsOf(rules).some(isIt));
}

interface FirstPlaces {
  readonly place: number;
  readonly otherPlace: number;
}

export interface RouteToCompile {
  /** Where its requests are numbered, and what its draws depend on. */
  readonly index: number;
  /** Index of its first response among all of the mock, and of the first of their other statuses. */
  readonly first: FirstPlaces;
  readonly path: CompiledPath;
  readonly choosers: ChooserCompiler;
  readonly sharedDomains: readonly string[];
  readonly clock: Clock;
}

/** Requirements of the responses of a route that falls through, without their bodies, which would stay in memory. */
function requirementsOf({ responses }: MockRoute, { scenarios = [] }: MockSettings): readonly Requirements[] {
  return responses
    .filter((response) => response.rules.length > 0 || requiresState(response, scenarios))
    .map(({ rules, rulesOperator, scenario }) => ({ rules, rulesOperator, scenario }));
}

const NONE: readonly string[] = [];
const UNUSED: Choose = () => NO_CHOICE;

export function compileRoute(route: MockRoute, settings: MockSettings, compiling: RouteToCompile): CompiledRoute {
  const places = placesOf(route, compiling.first, settings);
  if (route.kind !== 'ws') return compileResponses(route, places, settings, compiling);
  return compileSocketRoute(route, (part) =>
    compileResponses(
      part.route,
      part.at.map((at) => places[at] as FirstPlaces),
      socketSettings(settings),
      compiling,
    ),
  );
}

/** Counters of each of the responses. */
function placesOf(route: MockRoute, first: FirstPlaces, settings: MockSettings): readonly FirstPlaces[] {
  let { otherPlace } = first;
  return route.responses.map((response, at) => {
    const places = { place: first.place + at, otherPlace };
    otherPlace += otherStatusesOf(settings, route, response)?.length ?? 0;
    return places;
  });
}

function compileResponses(
  route: MockRoute,
  places: readonly FirstPlaces[],
  settings: MockSettings,
  { index, first, path, choosers, sharedDomains, clock }: RouteToCompile,
): CompiledRoute {
  const templates = conditionTemplates(settings.variables, drawStream(route, 'condition'));
  const targets = new RouteTargets(false, templates);
  const responses: readonly PreparedResponse[] = route.responses.map((response, at) => {
    const placed = { route, response, index: at, settings, targets, ...(places[at] as FirstPlaces) };
    const storing = withStore(compileResponse(placed, sharedDomains), placed, () => responses);
    const calling = withCallbacks(withStream(storing, placed), placed, (when) =>
      choosers.conditions({ rules: when, rulesOperator: 'AND' }, targets),
    );
    return withFaults(calling, placed);
  });
  const only = onlyChoice(route);
  const fallsThrough = route.otherwise === 'next' && route.selection === 'rules';
  const forced = settings.forced ? compileForced(route) : undefined;
  const usual = (): Choose => choosers.compile(route, targets);
  const scenarios = compileScenarios(route, settings, usual, (response) => choosers.conditions(response, targets));
  const isStatic = only !== undefined && forced === undefined && scenarios === undefined;
  const staticAnswer = isStatic ? responses[only]?.fixed : undefined;
  const isByConditions = only === undefined && route.selection === 'rules';
  const isSequential = only === undefined && route.selection === 'sequential';
  const choosesByDraw = only === undefined && route.selection === 'random';
  // The two refer to each other: `route` is set below.
  const found = { params: NONE } as Partial<FoundRoute> as { route: CompiledRoute } & FoundRoute;
  const compiled: CompiledRoute = {
    id: route.id,
    index,
    method: route.method,
    path: route.path,
    segments: path.segments,
    pathPattern: path.pathPattern,
    parameterNames: path.parameterNames,
    hasPatternSegments: path.hasPatternSegments,
    fallsThrough,
    requirements: fallsThrough ? requirementsOf(route, settings) : undefined,
    templates: fallsThrough ? templates : undefined,
    needsBody:
      responses.some((response) => response.readsBody) ||
      (isByConditions && route.responses.some(({ rules }) => testsBody(rules))),
    needsIp: responses.some(({ readsIp }) => readsIp) || (isByConditions && tests(route, readsAddress)),
    isStateful: responses.some(({ usesStores }) => usesStores) || (isByConditions && tests(route, readsStores)),
    clock,
    usesCounter:
      isSequential || responses.some(({ readsNumber }) => readsNumber) || (isByConditions && tests(route, readsOrder)),
    draws: choosesByDraw || responses.some(({ draws }) => draws),
    isSequential,
    choosesByDraw,
    staticAnswer,
    responses,
    first,
    choose: scenarios === undefined ? usual() : UNUSED,
    forced,
    scenarios,
    socket: undefined,
    places: undefined,
    found,
  };
  found.route = compiled;
  if (route.kind === 'crud') compiled.places = servedPlaces(route).flatMap((place) => atPlace(compiled, place));
  return compiled;
}

/** The same route with another method and path. */
function atPlace(route: CompiledRoute, { method, path }: Pick<MockRoute, 'method' | 'path'>): readonly CompiledRoute[] {
  const compiledPath = compilePath({ path });
  if (compiledPath === undefined) return [];
  const found = { params: NONE } as Partial<FoundRoute> as { route: CompiledRoute } & FoundRoute;
  const { segments, parameterNames, hasPatternSegments } = compiledPath;
  found.route = { ...route, method, path, segments, parameterNames, hasPatternSegments, found };
  return [found.route];
}

/** The table's entries for a route: itself, unless it serves several methods and paths. */
export function placesIn(route: CompiledRoute): readonly CompiledRoute[] {
  return route.places ?? [route];
}
