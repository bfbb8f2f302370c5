/**
 * Finds likely mistakes in a valid definition: routes and responses that never answer, or answer otherwise than they
 * seem to.
 *
 * Returned in the diff, and with the answer to a creation, an edit or a save. Nothing is refused: a route may be
 * shadowed for an afternoon.
 *
 * Runs on the event loop, where a definition of 10 MB would take half a second. So one answer examines only so many
 * characters, and what was examined is cached: the next answer goes on with the rest.
 */
import { WARNINGS_MAX } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';
import { type MockDefinition, type MockResponse, type MockRoute, type MockSettings } from '../definition/definition.ts';
import { corsWarning } from '../definition/cors-schema.ts';
import { signingWarning } from '../definition/signing-schema.ts';
import { responseFaultWarnings, settingsFaultWarnings } from '../behaviour/fault-warnings.ts';
import { requiredStates, stepsOf } from '../behaviour/behaviour-checks.ts';
import { mediaTypeOf } from '../definition/media-type.ts';
import { compilePathPattern } from '../../../languages/paths/path-pattern.ts';
import { namesOf as parametersOf, PARAMETER_NAME, parseRoutePath } from '../../../languages/paths/route-path.ts';
import { answersWherever, scenarioWarnings } from '../behaviour/scenario-warnings.ts';
import { conditionsOf } from '../definition/conditions.ts';
import { eventsOf, eventTexts } from '../streams/stream.ts';
import { socketWarnings } from '../sockets/socket-checks.ts';
import { whenOf } from '../sockets/socket.ts';
import { streamWarnings } from '../streams/stream-checks.ts';
import { servedPlaces } from '../stores/crud.ts';
import { storeWarnings } from '../stores/store-checks.ts';
import { callbackWarnings } from '../upstream/callback-checks.ts';
import { templatesOf } from '../upstream/callbacks.ts';
import { proxyWarnings } from '../upstream/proxy.ts';
import { shadowedRoutes } from './shadowed-routes.ts';
import { hasTags, responseMembersIn, unknownHelpers } from '../../../languages/templates/template-checks.ts';
import type { EventScope } from '../../../languages/templates/template-scopes.ts';
import type { WorkBudget } from '../../../languages/work-budget.ts';
import { SOCKET_EVENTS } from '../sockets/socket-schema.ts';
import type { Value } from '../../schema-value.ts';

/**
 * Work of finding the warnings of one answer, in characters of paths and of texts with helpers that are examined for the
 * first time: some 25 ms, and as much for shadowed routes. The last text may exceed it.
 */
const WARNINGS_WORK_MAX = 500_000;

/** Warnings as the API returns them. */
export const warningsSchema = Type.Array(
  Type.Object({
    routeId: Type.Optional(Type.String()),
    responseId: Type.Optional(Type.String()),
    warning: Type.String(),
  }),
  { description: `Likely mistakes; the first ${WARNINGS_MAX}.` },
);

/** A warning of a route, or of the settings: it completes a sentence that begins with the name of the route or response, or with "The settings". */
export type DefinitionWarning = Value<typeof warningsSchema>[number];

/** @param editedId Id of the route whose warnings come first: the one that was edited. */
export function warningsOf({ routes, settings }: MockDefinition, editedId?: string): DefinitionWarning[] {
  const enabled = routes.filter((route) => route.enabled);
  const shadows = shadowedRoutes(enabled.flatMap(routesServed), settings, { work: WARNINGS_WORK_MAX });
  const edited = enabled.filter(({ id }) => id === editedId);
  const others = edited.length === 0 ? enabled : enabled.filter(({ id }) => id !== editedId);
  const warnings: DefinitionWarning[] = [];
  const budget: WorkBudget = { work: WARNINGS_WORK_MAX };
  for (const route of [...edited, ...others]) {
    for (const each of routesServed(route)) warnings.push(...shadowWarnings(route, each, shadows.get(each)));
    warnings.push(...ownWarnings(route, settings, budget));
    if (warnings.length >= WARNINGS_MAX) break;
  }
  for (const warning of [corsWarning(settings.cors), signingWarning(settings.signing)])
    if (warning !== undefined) warnings.push({ warning });
  warnings.push(...settingsFaultWarnings(settings, enabled).map((warning) => ({ warning })));
  warnings.push(...scenarioWarnings(enabled, settings, budget), ...proxyWarnings(enabled, settings));
  warnings.push(
    ...callbackWarnings(enabled, settings),
    ...storeWarnings(enabled, settings, { work: WARNINGS_WORK_MAX }),
  );
  return warnings.slice(0, WARNINGS_MAX);
}

/** A route, or what one of the kind crud serves: made once for each, as routes are. */
const served = new WeakMap<MockRoute, readonly MockRoute[]>();

function routesServed(route: MockRoute): readonly MockRoute[] {
  if (route.kind !== 'crud') return [route];
  const known = served.get(route) ?? servedPlaces(route).map((place) => ({ ...route, ...place }));
  served.set(route, known);
  return known;
}

/** @param part The route itself, or what it serves by one method and path. */
function shadowWarnings(route: MockRoute, part: MockRoute, shadow: MockRoute | undefined): DefinitionWarning[] {
  if (shadow === undefined) return [];
  const what = part === route ? 'is' : `has ${part.method} ${part.path}, which is`;
  return [{ routeId: route.id, warning: `${what} shadowed by ${shadow.method} ${shadow.path} (${shadow.id})` }];
}

/**
 * Warnings of one route that do not depend on other routes: computed once per route, since none ever changes. Those of
 * mocks with `forced` are others.
 */
const own = new WeakMap<MockRoute, readonly DefinitionWarning[]>();
const ownForced = new WeakMap<MockRoute, readonly DefinitionWarning[]>();

function ownWarnings(route: MockRoute, { forced }: MockSettings, budget: WorkBudget): readonly DefinitionWarning[] {
  const cache = forced ? ownForced : own;
  const known = cache.get(route);
  if (known !== undefined) return known;
  if (budget.work <= 0) return [];
  budget.work -= ITEM_WORK + route.path.length;
  const warnings = [...routeWarnings(route), ...responseWarnings(route, forced, budget)].slice(0, WARNINGS_MAX);
  if (route.responses.every((response) => ofTexts.has(response))) cache.set(route, warnings);
  return warnings;
}

/** Work of a route or a text, apart from its characters. */
const ITEM_WORK = 20;

function routeWarnings(route: MockRoute): DefinitionWarning[] {
  const { id, path, selection, responses } = route;
  const isUnweighted = selection === 'random' && responses.every(({ weight }) => weight === 0);
  const [braces, name = ''] = IN_BRACES.exec(path) ?? [];
  const parameter = PARAMETER_NAME.test(name) ? name : 'name';
  return [
    ...(braces === undefined
      ? []
      : [`has ${braces} in its path, which is literal text: write :${parameter} for a parameter`]),
    ...(isUnweighted ? ['has no weight above 0: its first response is always chosen'] : []),
    ...socketWarnings(route),
  ].map((warning) => ({ routeId: id, warning }));
}

/** The syntax of parameters in other tools. */
const IN_BRACES = /\{([^{}/]+)\}/;

function responseWarnings(route: MockRoute, forced: boolean, budget: WorkBudget): DefinitionWarning[] {
  const usual = unreachable(route);
  if (forced) budget.work -= ITEM_WORK * usual.size;
  const unreached = forced && usual.size > 0 ? new Set([...usual].filter(isUnnamed(route))) : usual;
  return route.responses.flatMap((response) =>
    [
      ...(unreached.has(response) ? ['is never chosen'] : []),
      ...missingParameters(route, response).map(
        (name) => `has a condition on ${name}, which is not a parameter of the path`,
      ),
      ...responseFaultWarnings(route, response),
      ...streamWarnings(route, response),
      ...textWarnings(response, budget),
    ].map((warning) => ({ routeId: route.id, responseId: response.id, warning })),
  );
}

/** The same of one response's body and header values: an edit of another response of the route leaves them. */
const ofTexts = new WeakMap<MockResponse, readonly string[]>();
const NONE: readonly string[] = [];

function textWarnings(response: MockResponse, budget: WorkBudget): readonly string[] {
  const known = ofTexts.get(response);
  if (known !== undefined) return known;
  const ofResponse = textsOf(response).filter((text) => text.includes('{{'));
  const ofCallbacks = (response.callbacks ?? []).flatMap(templatesOf).filter((text) => text.includes('{{'));
  const ofEvents = eventsOf(response)
    .flatMap(eventTexts)
    .filter(({ text }) => text.includes('{{'));
  const texts = [...ofResponse, ...ofCallbacks, ...ofEvents.map(({ text }) => text)];
  if (texts.length > 0 && budget.work <= 0) return NONE;
  for (const { length } of texts) budget.work -= ITEM_WORK + length;
  const warnings = [
    ...ofResponse.flatMap((text) => templateWarnings(text, response.templated)),
    ...ofCallbacks.flatMap((text) => templateWarnings(text, true, true)),
    ...ofEvents.flatMap(({ text, scope }) => templateWarnings(text, response.templated, false, scope)),
  ];
  ofTexts.set(response, warnings.length === 0 ? NONE : warnings);
  return warnings;
}

function templateWarnings(
  text: string,
  templated: MockResponse['templated'],
  isCallback = false,
  scope?: EventScope,
): string[] {
  if (templated === false) return hasTags(text) ? ['has helpers in braces, but `templated` is false'] : [];
  const ofCallbacks =
    isCallback || responseMembersIn(text).size === 0
      ? []
      : ['uses response. in helpers, which only works in callbacks: here it is empty'];
  return [
    ...ofCallbacks,
    ...[...unknownHelpers(text, scope)].map((source) => `sends ${source} unchanged: no helper has this form`),
  ];
}

function unreachable(route: MockRoute): Set<MockResponse> {
  if (route.kind !== 'ws') return unreachableOf(route, route.responses);
  // Each part of a WebSocket route chooses for itself.
  return new Set(
    SOCKET_EVENTS.flatMap((when) => {
      const part = route.responses.filter((each) => whenOf(each) === when);
      return part.length === 0 ? [] : [...unreachableOf(route, part)];
    }),
  );
}

function unreachableOf({ selection, otherwise }: MockRoute, responses: readonly MockResponse[]): Set<MockResponse> {
  const without = (chosen: (response: MockResponse, index: number) => boolean) =>
    new Set(responses.filter((response, index) => !chosen(response, index)));
  switch (selection) {
    case 'sequential':
      return new Set();
    case 'random':
      return without(({ weight }) => weight > 0 || responses.every((each) => each.weight === 0));
    case 'default':
      return without((response) => response === fallbackOf(responses));
    case 'rules':
      if (otherwise === 'next') return without((response) => response.rules.length > 0 || requiresState(response));
      return without((response, index) => response.rules.length > 0 || isFallback(index, responses));
  }
}

/**
 * Whether no request can pick a response by headers: an earlier one has its status and its media type, and its label
 * unless it has none.
 */
function isUnnamed({ responses }: MockRoute): (response: MockResponse) => boolean {
  const firsts = new Map<string, MockResponse>();
  const namesOf = (response: MockResponse): string[] => {
    const kind = `${response.status} ${JSON.stringify(mediaTypeOf(response.headers))}`;
    const label = response.label.trim();
    return label === '' ? [kind] : [kind, `${kind} ${label}`];
  };
  for (const each of responses) for (const name of namesOf(each)) if (!firsts.has(name)) firsts.set(name, each);
  return (response) => namesOf(response).every((name) => firsts.get(name) !== response);
}

/** Under `next` a required state counts like a condition. */
function requiresState({ scenario }: MockResponse): boolean {
  return stepsOf(scenario).some((step) => requiredStates(step) !== undefined);
}

function fallbackOf(responses: readonly MockResponse[]): MockResponse | undefined {
  return responses.find((each) => each.default) ?? responses.find(({ rules }) => rules.length === 0) ?? responses[0];
}

/** Whether a response answers where no conditions hold, in some state of the scenarios. */
function isFallback(index: number, responses: readonly MockResponse[]): boolean {
  const asked = responses[index] as MockResponse;
  const isBefore = (other: MockResponse, at: number): boolean =>
    asked.default ? other.default && at < index : other.default || (other.rules.length === 0 && at < index);
  return !responses.some((other, at) => isBefore(other, at) && answersWherever(other, asked));
}

function missingParameters(route: MockRoute, { rules }: MockResponse): string[] {
  if (route.selection !== 'rules') return [];
  const names = parameterNamesOf(route);
  const asked = conditionsOf(rules)
    .filter(({ target }) => target === 'urlParam')
    .map(({ property }) => property);
  return [...new Set(asked)].filter((name) => !names.has(name));
}

/** The names of the parameters of its path. */
function parameterNamesOf({ path, pathKind }: MockRoute): ReadonlySet<string> {
  if (pathKind === 'regex') {
    const pattern = compilePathPattern(path);
    return new Set(typeof pattern === 'string' ? [] : pattern.names);
  }
  const segments = parseRoutePath(path);
  return new Set(typeof segments === 'string' ? [] : segments.flatMap((segment) => parametersOf(segment)));
}

function textsOf({ body, bodyEncoding, headers, proxy }: MockResponse): string[] {
  const path = proxy?.path === undefined ? [] : [proxy.path];
  return [...(bodyEncoding === 'text' ? [body] : []), ...headers.map(({ value }) => value), ...path];
}
