/**
 * A mock as one of its sessions sees it, as a plain definition: for `try`, nearest routes and warnings. The data plane does not make
 * it, but compiles the overlay alone (serving/matching/overlay.ts); both give the same answer to every request
 * (test/serving/overlay-conformance.test.ts).
 */
import { needsStream } from '../behaviour/behaviour-checks.ts';
import type {
  HeaderLine,
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
  Scenario,
} from '../definition/definition.ts';
import { whenOf } from '../sockets/socket.ts';
import type { StoreDefinition } from '../stores/store-schema.ts';
import { eventsOf } from '../streams/stream.ts';
import type { ResponseChange, ResponseMerge, SessionOverlay } from './session.ts';

/**
 * @param overlay Parts of it whose route or response the definition lacks have no effect.
 * @returns Routes of the definition keep their indexes; those of the overlay follow, and come first (`overlaid`).
 */
export function definitionInSession(definition: MockDefinition, overlay: SessionOverlay): MockDefinition {
  const disabled = new Set(overlay.disabled);
  const routes = definition.routes.map((route) => {
    const change = changeOf(overlay, route.id);
    const changed = change === undefined ? route : changedRoute(route, change);
    return disabled.has(route.id) ? { ...changed, enabled: false } : changed;
  });
  return {
    settings: settingsIn(definition.settings, overlay),
    routes: [...routes, ...overlay.routes],
    overlaid: overlay.routes.length,
  };
}

export function settingsIn(settings: MockSettings, overlay: Pick<SessionOverlay, 'settings'>): MockSettings {
  return {
    ...settings,
    ...overlay.settings,
    ...(overlay.settings.stores && { stores: storesIn(settings, overlay) }),
    ...(overlay.settings.scenarios && { scenarios: scenariosIn(settings, overlay) }),
  };
}

/** Scenarios of the mock keep their places and initial states; states added by the overlay follow, then its own scenarios. */
export function scenariosIn(
  { scenarios = [] }: Pick<MockSettings, 'scenarios'>,
  { settings }: Pick<SessionOverlay, 'settings'>,
): readonly Scenario[] {
  const own = settings.scenarios ?? [];
  if (own.length === 0) return scenarios;
  const joined = scenarios.map((scenario) => {
    const added = own.find(({ name }) => name === scenario.name);
    return added === undefined
      ? scenario
      : { ...scenario, states: [...new Set([...scenario.states, ...added.states])] };
  });
  return [...joined, ...own.filter(({ name }) => !scenarios.some((scenario) => scenario.name === name))];
}

/** The stores of a session: those of its overlay in place of the mock's. */
export function storesIn(
  { stores = [] }: Pick<MockSettings, 'stores'>,
  { settings }: Pick<SessionOverlay, 'settings'>,
): readonly StoreDefinition[] {
  const own = settings.stores ?? [];
  return [...stores.filter(({ name }) => !own.some((each) => each.name === name)), ...own];
}

/** The change of a route's responses. Ids are any text: those of members that every object has are not changes. */
export function changeOf({ responses }: SessionOverlay, routeId: string): ResponseChange | undefined {
  return Object.hasOwn(responses, routeId) ? responses[routeId] : undefined;
}

/** Whether its settings change what every route of the mock answers. */
export function changesAllRoutes({ settings }: SessionOverlay, { scenarios = [] }: MockSettings): boolean {
  const {
    cors: _whenSent,
    signing: _whenRendered,
    faker: _likewise,
    rateLimit: _beforeRoutes,
    clientCert: _alsoBefore,
    proxy: _besideRoutes,
    stores: _values,
    scenarios: own = [],
    ...ofRoutes
  } = settings;
  if (own.some(({ name }) => scenarios.some((scenario) => scenario.name === name))) return true;
  return Object.values(ofRoutes).some((value) => value !== undefined);
}

/**
 * @returns The route with its responses changed; the route itself when it lacks the response that is picked. One that has a single
 * response in the session answers always: it hands no request on.
 */
export function changedRoute(route: MockRoute, change: ResponseChange): MockRoute {
  switch (change.kind) {
    case 'pick': {
      const picked = route.responses.find(({ id }) => id === change.responseId);
      return picked === undefined ? route : answeringAlways(route, picked);
    }
    case 'replace':
      return answeringAlways(route, change.response);
    case 'merge':
      return { ...route, responses: route.responses.map((response) => merged(response, change.merge)) };
  }
}

function answeringAlways({ otherwise: _none, ...route }: MockRoute, response: MockResponse): MockRoute {
  // What a WebSocket route answers to handshakes stays where messages get another answer.
  const others = route.kind === 'ws' ? route.responses.filter((each) => whenOf(each) !== whenOf(response)) : [];
  return { ...route, responses: [...others, response] };
}

/** Whether a response of the session may use what its mock does not: the body or the address of a request. */
export function mayReadMore({ responses, settings }: SessionOverlay): boolean {
  if (hasTemplate(settings.headers)) return true;
  return Object.values(responses).some((change) => {
    if (change.kind === 'pick') return false;
    const { callbacks = [] } = change.kind === 'merge' ? change.merge : change.response;
    if (callbacks.length > 0) return true;
    if (change.kind === 'merge' && eventsOf(change.merge).length > 0) return true;
    if (change.kind === 'replace') return change.response.templated !== false;
    return hasTemplate(change.merge.headers) || change.merge.proxy?.path?.includes('{{') === true;
  });
}

/** Whether anything that a session adds may use stores; true for some that do not. */
export function mayUseStores({ routes, responses }: SessionOverlay): boolean {
  return /store|global|\b(?:set|get)?data|globalvar/i.test(JSON.stringify([routes, responses]));
}

function hasTemplate(headers: readonly HeaderLine[] = []): boolean {
  return headers.some(({ value }) => value.includes('{{'));
}

/** A stream takes the place of a body. */
function withoutBody({ delivery: _own, ...response }: MockResponse): MockResponse {
  return { ...response, body: '', bodyEncoding: 'text' };
}

/** A fault that strikes in a stream is of those responses that have one. */
function forResponse<Merge extends Pick<ResponseMerge, 'fault' | 'stream'>>(
  merge: Merge,
  { stream }: MockResponse,
): Merge {
  const { fault, ...others } = merge;
  const isOther = fault !== undefined && needsStream(fault) && (merge.stream ?? stream) === undefined;
  return isOther ? (others as Merge) : merge;
}

function merged(given: MockResponse, { headers, ...all }: ResponseMerge): MockResponse {
  const merge = forResponse(all, given);
  const response = merge.stream === undefined ? given : withoutBody(given);
  if (merge.proxy !== undefined) {
    // All of its own answer gives way to that of the upstream.
    const { delivery: _own, stream: _events, callbacks: _afterIt, ...rest } = response;
    return { ...rest, ...merge, body: '', bodyEncoding: 'text', headers: headers ?? [] };
  }
  if (headers === undefined) return { ...response, ...merge };
  const replaced = new Set(headers.map(({ name }) => name.toLowerCase()));
  const kept = response.headers.filter(({ name }) => !replaced.has(name.toLowerCase()));
  return { ...response, ...merge, headers: [...kept, ...headers] };
}
