/**
 * Answers a request in the slow and readable way, with reasons: for `try`, and as the reference for the compiled mock.
 *
 * It interprets the definition route by route and response by response. It shares operators and templates with the
 * compiled mock, but neither the routing nor the choice of the response. Both must give the same answer to every
 * request (test/serving/conformance).
 */
import { RULE_WORK_MAX } from '../../../limits.ts';
import {
  RATE_STATUS,
  type HeaderLine,
  type MockDefinition,
  type MockResponse,
  type MockRoute,
  type MockSettings,
  type RateLimit,
  type SocketEvent,
} from '../../../model/mocks/definition/definition.ts';
import { definitionOfParts, UPGRADE_METHOD } from '../../../model/mocks/sockets/socket.ts';
import { requiresState } from '../../../model/mocks/behaviour/behaviour-checks.ts';
import type { CandidateVerdict, PassedOn, Reasons } from '../../../model/mocks/show/explanation.ts';
import type { BodyReading, GraphqlReading } from '../../../model/mocks/definition/body-reading.ts';
import { decideCors, linesFor, withCors } from '../compile/cors.ts';
import {
  mayAnswer,
  scenariosOf,
  describeScenarios,
  describeSteps,
  type ScenarioState,
  type StatesByName,
} from './explain-scenarios.ts';
import { isHeld, judgeCondition } from './explain-conditions.ts';
import { compileClock } from '../compile/clock.ts';
import { drawStream } from '../compile/draw-streams.ts';
import { explainCallbacks, type CallbackShown } from './explain-callbacks.ts';
import { explainGraphql } from './explain-graphql.ts';
import { explainStream, type StreamShown } from './explain-stream.ts';
import { changesIn, explainStored, storesFor, type StoreChange } from './explain-stores.ts';
import { StoreTurn, type StoreSet } from '../stores/store-turn.ts';
import { describeFaults } from './explain-faults.ts';
import { chooseForced, type Choice } from './explain-forced.ts';
import { explainRouting, type RouteMatch } from './explain-routing.ts';
import { explainProxiedMiss, explainProxiedResponse } from './explain-proxy.ts';
import { compileLatency } from '../compile/latency.ts';
import { CertificateGate } from '../request/certificate-gate.ts';
import type { MockRequest } from '../request/mock-request.ts';
import { conditionTemplates } from '../templates/condition-templates.ts';
import { renderResponse } from './render-response.ts';
import { RequestView } from '../request/request-view.ts';
import { RouteTargets } from '../request/condition-target.ts';
import { noAnswer } from '../choose/scenario-choice.ts';
import { seedLines, exposesSeed } from '../compile/seed-lines.ts';
import type { Condition } from '../../../model/mocks/definition/condition-schema.ts';

export interface Explanation extends Reasons {
  /** Without faults. Undefined when no route matches, for a preflight that the mock answers, and when there is a `problem`. */
  readonly response:
    | (StreamShown & { readonly status: number; readonly headers: readonly HeaderLine[]; readonly body: Buffer })
    | undefined;
  /** Callbacks after the response. Absent without any. */
  readonly callbacks?: readonly CallbackShown[];
  /** Changes of stores. Absent without any. */
  readonly stores?: readonly StoreChange[];
  /** The number that it was given. */
  readonly requestNumber: number;
  readonly route:
    | {
        readonly routeId: string;
        readonly method: string;
        readonly path: string;
        readonly params: Readonly<Record<string, string>>;
        readonly reason: string;
      }
    | undefined;
  readonly chosen: { readonly responseId: string; readonly label: string; readonly reason: string } | undefined;
  /** The form in which conditions and templates read the body; null when reading it takes more work than a request may. */
  readonly bodyReadAs: BodyReading | null;
  /** The GraphQL request; null for any other request. Absent if no asked route reads it. */
  readonly graphqlReadAs?: GraphqlReading | null;
}

interface ExplainOptions {
  /** By scenario, where they are not the initial ones. */
  readonly states?: StatesByName;
  /** Event on a WebSocket: the request is its handshake, with the message as its body. */
  readonly when?: SocketEvent | undefined;
  /** Current stores, as JSON; when absent, what they begin with. */
  readonly live?: string | undefined;
}

/**
 * @param sharedDomains Domains that no mock may set a cookie for.
 * @param requestNumber The number of this request in its route, from 1: for sequences, seeded draws and
 * `{{requestNumber}}`.
 * @returns The answer that the compiled mock gives to this request with that number, in these states. Never throws.
 *
 * Cost: linear in the number of routes, responses and conditions.
 */
export function explainRequest(
  whole: MockDefinition,
  received: MockRequest,
  sharedDomains: readonly string[],
  requestNumber = 1,
  { states = {}, when, live }: ExplainOptions = {},
): Explanation {
  const definition = when === undefined ? whole : definitionOfParts(whole, when);
  const request = { ...received, faker: definition.settings.faker };
  const preflight = definition.settings.cors !== false && isPreflight(request);
  const routed = when === undefined ? request.method : UPGRADE_METHOD;
  const { matches, nearest } = explainRouting(definition, routed, request.path, !preflight && when === undefined);
  const { bodyReadAs } = new RequestView(request, [], { params: [] }, requestNumber);
  const common = {
    requestNumber,
    bodyReadAs,
    rateLimit: limitOf(definition.settings),
    ...certOf(definition, request),
    ...corsOf(definition, request),
  };
  const passedOn: PassedOn[] = [];
  let graphql: Pick<Explanation, 'graphqlReadAs'> = {};
  const sentOn = preflight ? {} : explainProxiedMiss(definition.settings, request);
  if (definition.settings.proxy?.when === 'always')
    return { ...common, ...NO_ROUTE, isPreflight: preflight, nearest: [], ...sentOn };
  const stores = storesFor(definition.settings, live);
  let work = RULE_WORK_MAX;
  for (const [index, match] of matches.entries()) {
    const asked = { definition, request, match, requestNumber, states, stores, sharedDomains, work };
    const { verdict, work: left } = explainRoute(asked, whyFirst(definition, matches, index, passedOn.length));
    if (verdict.graphqlReadAs !== undefined) graphql = { graphqlReadAs: verdict.graphqlReadAs };
    if (verdict.route !== undefined)
      return { ...common, isPreflight: false, nearest: [], ...graphql, ...verdict, ...passedOnOf(passedOn) };
    const { id: routeId, method, path } = match.route;
    passedOn.push({ routeId, method, path, candidates: verdict.candidates });
    work = left;
  }
  return {
    ...common,
    ...NO_ROUTE,
    isPreflight: preflight,
    nearest: preflight ? [] : nearest,
    ...graphql,
    ...sentOn,
    ...passedOnOf(passedOn),
  };
}

const NO_ROUTE = {
  response: undefined,
  problem: undefined,
  latency: undefined,
  route: undefined,
  chosen: undefined,
  candidates: [],
} as const;

function passedOnOf(passedOn: readonly PassedOn[]): Pick<Explanation, 'passedOn'> {
  return passedOn.length === 0 ? {} : { passedOn };
}

interface ExplainQuery {
  readonly definition: MockDefinition;
  readonly request: MockRequest;
  readonly match: RouteMatch;
  readonly requestNumber: number;
  readonly states: StatesByName;
  readonly stores: StoreSet;
  readonly sharedDomains: readonly string[];
  /** Remaining work of the request. */
  readonly work: number;
}

type RouteVerdict = Omit<
  Explanation,
  'requestNumber' | 'bodyReadAs' | 'rateLimit' | 'clientCert' | 'cors' | 'isPreflight' | 'nearest' | 'passedOn'
>;

/** @returns A verdict without a route when the request falls through. */
function explainRoute(
  { definition, request, match, requestNumber, states, stores, sharedDomains, work }: ExplainQuery,
  why: string,
): { readonly verdict: RouteVerdict; readonly work: number } {
  const { route } = match;
  const names = Object.keys(match.params);
  const found = { params: Object.values(match.params) };
  // Evaluating every condition takes more of the budget than serving does: each evaluation has its own view.
  const { settings } = definition;
  const clock = compileClock(settings.clock);
  const turn = new StoreTurn(stores);
  const newView = (): RequestView => {
    const made = new RequestView(request, names, found, requestNumber, settings.seed);
    made.now = clock;
    made.stores = turn;
    return made;
  };
  const templates = conditionTemplates(settings.variables, drawStream(route, 'condition'));
  const targets = new RouteTargets(true, templates);
  const scenarios = scenariosOf(definition, route, states);
  const candidates = route.responses.map((response) => judge(response, newView(), targets, scenarios));
  const view = newView();
  view.work = work;
  const usual = (): Choice => choose(match, view, requestNumber, targets, scenarios);
  const { index, reason } = settings.forced ? chooseForced(route, request.headers, usual) : usual();
  const chosen = route.responses[index];
  const graphql = (): Pick<Explanation, 'graphqlReadAs'> =>
    targets.reads('graphql') ? { graphqlReadAs: explainGraphql(newView()) } : {};
  const answering = {
    route: { routeId: route.id, method: route.method, path: route.path, params: match.params, reason: why },
    candidates,
  };
  if (chosen === undefined && view.work >= 0) {
    if (fallsThrough(route)) return { verdict: { ...NO_ROUTE, candidates, ...graphql() }, work: view.work };
    const miss = noAnswer(
      `${route.method} ${route.path}`,
      scenarios.map(({ name, state }) => [name, state]),
    );
    const verdict = { ...NO_ROUTE, ...answering, miss, ...graphql(), ...describeScenarios(scenarios, undefined) };
    return { verdict, work: view.work };
  }
  // Without one, its conditions were too much work.
  const sent: MockResponse = chosen ?? (route.responses[0] as MockResponse);
  const placed = { route, response: sent, index: route.responses.indexOf(sent), settings, targets };
  const rendered =
    view.work < 0
      ? { problem: view.problem }
      : sent.proxy === undefined
        ? explainStored(placed, view, (response) => renderResponse({ ...placed, response }, view, sharedDomains))
        : explainProxiedResponse(placed, sent.proxy, view);
  const isSent = !('problem' in rendered);
  const verdict = {
    ...answering,
    ...('sentOn' in rendered ? rendered : {}),
    ...('body' in rendered ? explainCallbacks(placed, rendered, view) : {}),
    response:
      'body' in rendered
        ? {
            status: rendered.status,
            headers: sentHeaders(rendered.headers, settings, view),
            body: rendered.body,
            ...explainStream(placed, view),
          }
        : undefined,
    problem: isSent ? undefined : rendered.problem,
    latency: isSent ? latencyOf(settings, route, sent, view) : undefined,
    ...(isSent ? storesOf(turn) : {}),
    ...describeScenarios(scenarios, view.work < 0 ? undefined : sent),
    ...describeFaults(definition.settings, route, sent, requestNumber),
    ...graphql(),
    chosen: { responseId: sent.id, label: sent.label, reason },
  };
  return { verdict, work: view.work };
}

/** Nothing of what is too much is kept. */
function storesOf(turn: StoreTurn): Pick<Explanation, 'stores'> {
  const changes = turn.notKept === undefined ? changesIn(turn) : [];
  return changes.length === 0 ? {} : { stores: changes };
}

function fallsThrough({ otherwise, selection }: MockRoute): boolean {
  return otherwise === 'next' && selection === 'rules';
}

function limitOf({ rateLimit }: MockSettings): RateLimit | undefined {
  if (rateLimit === undefined) return undefined;
  const { requests, perMs, burst = requests, by = 'mock', status = RATE_STATUS } = rateLimit;
  return { requests, perMs, burst, by, status };
}

/** Compares lower-case names, which is how requests have them. */
export function isPreflight({ method, headers }: MockRequest): boolean {
  const has = (name: string): boolean => headers.some((each, index) => index % 2 === 0 && each === name);
  return method === 'OPTIONS' && has('origin') && has('access-control-request-method');
}

function whyFirst(definition: MockDefinition, matches: readonly RouteMatch[], index: number, passedOn: number): string {
  if (matches.length === 1) return 'the only route that matches';
  if (index > 0) return `the next that matches; ${passedOn} before it had no answer`;
  const others = `${matches.length - 1} other ${matches.length === 2 ? 'route matches' : 'routes match'} too`;
  return definition.settings.precedence === 'listed'
    ? `the first in the list; ${others}`
    : `the most specific; ${others}`;
}

function judge(
  response: MockResponse,
  view: RequestView,
  targets: RouteTargets,
  scenarios: readonly ScenarioState[],
): CandidateVerdict {
  const rules = response.rules.map((rule) => judgeCondition(rule, view, targets));
  const areTrue =
    response.rulesOperator === 'AND' ? rules.every(({ holds }) => holds) : rules.some(({ holds }) => holds);
  return {
    responseId: response.id,
    label: response.label,
    holds: rules.length === 0 ? undefined : areTrue,
    rulesOperator: response.rulesOperator,
    rules,
    ...describeSteps(response, scenarios),
  };
}

/** Stops early, as serving does. */
function areHeld({ rules, rulesOperator }: MockResponse, view: RequestView, targets: RouteTargets): boolean {
  const held = (rule: Condition): boolean => isHeld(rule, view, targets) && view.work >= 0;
  return rulesOperator === 'AND' ? rules.every(held) : rules.some(held);
}

function choose(
  { route }: RouteMatch,
  view: RequestView,
  requestNumber: number,
  targets: RouteTargets,
  scenarios: readonly ScenarioState[],
): Choice {
  const count = route.responses.length;
  switch (route.selection) {
    case 'sequential':
      return { index: (requestNumber - 1) % count, reason: `request ${requestNumber} of a sequence of ${count}` };
    case 'random':
      return draw(route, view);
    case 'default':
      return fallback(route);
    case 'rules': {
      const may = route.responses.map((response) => mayAnswer(response, scenarios));
      const isKept = may.some((each) => !each);
      const among = isKept ? ', among those that answer in this state' : '';
      const first = route.responses.findIndex((response, at) => {
        if (may[at] !== true) return false;
        if (response.rules.length === 0) return fallsThrough(route) && requiresState(response, scenarios);
        return areHeld(response, view, targets);
      });
      if (first !== -1) return { index: first, reason: `the first whose conditions hold${among}` };
      if (fallsThrough(route)) return { index: -1, reason: '' };
      const { index: at, reason } = fallback(route, may);
      return { index: at, reason: `${reason}${among}` };
    }
  }
}

/** @param may By response: whether it may answer. @returns The index -1 when none may. */
function fallback({ responses }: MockRoute, may?: readonly boolean[]): Choice {
  const find = (isIt: (response: MockResponse) => boolean): number =>
    responses.findIndex((response, index) => may?.[index] !== false && isIt(response));
  const marked = find((response) => response.default);
  if (marked !== -1) return { index: marked, reason: 'marked as the default' };
  const plain = find(({ rules }) => rules.length === 0);
  if (plain !== -1) return { index: plain, reason: 'the first without conditions' };
  return { index: find(() => true), reason: 'the first' };
}

function draw(route: MockRoute, view: RequestView): Choice {
  const { responses } = route;
  const total = responses.reduce((sum, { weight }) => sum + weight, 0);
  let left = total * view.random(drawStream(route, 'choice'))();
  for (const [index, { weight }] of responses.entries()) {
    if (left < weight) return { index, reason: `random, with a weight of ${weight} in ${total}` };
    left -= weight;
  }
  return { index: 0, reason: 'the first, because none has a weight' };
}

function latencyOf(settings: MockSettings, route: MockRoute, response: MockResponse, view: RequestView) {
  const { fixed, draw: drawn } = compileLatency(settings.latency, response.latency, route);
  return { ms: drawn(view), isChance: fixed === undefined && view.seed === null };
}

function sentHeaders(own: readonly HeaderLine[], settings: MockSettings, view: RequestView): readonly HeaderLine[] {
  const prepared = [...withCors(own, settings.cors), ...(exposesSeed(settings, own) ? seedLines(view) : [])];
  const origin = originOf(view.request);
  return origin === undefined ? prepared : linesFor(settings.cors, origin, prepared);
}

function certOf({ settings: { clientCert } }: MockDefinition, request: MockRequest): Pick<Explanation, 'clientCert'> {
  if (clientCert === undefined) return {};
  return { clientCert: new CertificateGate(clientCert).problemOf(request.clientCert) ?? null };
}

function corsOf({ settings: { cors } }: MockDefinition, request: MockRequest): Pick<Explanation, 'cors'> {
  const origin = originOf(request);
  if (origin === undefined) return {};
  const { isAllowed, hasCredentials, reason } = decideCors(cors, origin);
  return { cors: { origin, allowed: isAllowed, credentials: hasCredentials, reason } };
}

function originOf({ headers }: MockRequest): string | undefined {
  // The last one counts, as where it is served.
  const at = headers.findLastIndex((each, index) => index % 2 === 0 && each === 'origin');
  return at === -1 ? undefined : headers[at + 1];
}
