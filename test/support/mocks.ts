/** Short ways to write definitions and requests, and one answer from both the compiled mock and the interpreter. */
import type {
  MockDefinition,
  MockResponse,
  MockRoute,
  MockSettings,
} from '../../src/model/mocks/definition/definition.ts';
import { KEEP_ALIVE_LINE } from '../../src/serving/matching/compile/answer-head.ts';
import { headFor } from '../../src/serving/matching/compile/cors.ts';
import { answerRequest } from '../../src/serving/matching/answer-request.ts';
import { compileMock } from '../../src/serving/matching/compile/compile.ts';
import type { CompiledMock } from '../../src/serving/matching/compile/compiled-mock.ts';
import { storesFor } from '../../src/serving/matching/explain/explain-stores.ts';
import { StoreTurn } from '../../src/serving/matching/stores/store-turn.ts';
import { explainRequest, isPreflight } from '../../src/serving/matching/explain/explain.ts';
import { findOptionsRoute, findRoute } from '../../src/serving/matching/routing/find-route.ts';
import { matchingRoutes, routesBehind } from '../../src/serving/matching/routing/routes-in-order.ts';
import { MockState, newState, stateLayoutOf } from '../../src/serving/shared/mock-state.ts';
import type { MockAnswer, MockRequest, RouteCounter } from '../../src/serving/matching/request/mock-request.ts';
import type { MatchCondition } from '../../src/model/mocks/definition/condition-schema.ts';

const SHARED_DOMAINS = ['mocks.example.com'];

let lastId = 0;

/** What the fields of a response are that are not given. */
export const DEFAULT_RESPONSE: Omit<MockResponse, 'id'> = {
  label: '',
  status: 200,
  headers: [],
  body: '',
  bodyEncoding: 'text',
  latency: 0,
  default: false,
  rules: [],
  rulesOperator: 'AND',
  templated: false,
  weight: 1,
};

export const DEFAULT_SETTINGS: MockSettings = {
  cors: true,
  latency: 0,
  precedence: 'specific',
  seed: null,
  traffic: true,
  forced: false,
};

export function rule(
  target: MatchCondition['target'],
  property: string,
  operator: MatchCondition['operator'],
  value = '',
): MatchCondition {
  return { target, property, operator, value, invert: false };
}

export function response(given: Partial<MockResponse> = {}): MockResponse {
  return { id: `response${++lastId}`, ...DEFAULT_RESPONSE, ...given };
}

/** `spec`: "GET /path". Without responses, one whose body is the spec. */
export function route(
  spec: string,
  responses: MockResponse[] = [response({ body: spec })],
  given: Partial<MockRoute> = {},
): MockRoute {
  const [method = '', path = ''] = spec.split(/ (.*)/s);
  return {
    id: `route${++lastId}`,
    method,
    path,
    description: '',
    enabled: true,
    selection: 'rules',
    responses,
    ...given,
  };
}

export function define(routes: MockRoute[], settings: Partial<MockSettings> = {}): MockDefinition {
  return { settings: { ...DEFAULT_SETTINGS, cors: false, ...settings }, routes };
}

/** `target`: "/path?query". */
export function request(
  method: string,
  target: string,
  given: { headers?: Record<string, string | string[]>; body?: string | Buffer; isSecure?: boolean } = {},
): MockRequest {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const headers = Object.entries(given.headers ?? {}).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => [name.toLowerCase(), value]),
  );
  const body = given.body === undefined ? undefined : Buffer.from(given.body);
  return { method, path, query, headers, body, ...(given.isSecure && { isSecure: true }) };
}

export function compile(definition: MockDefinition): CompiledMock {
  return compileMock({ mockId: 'm1', ownerId: 'acme', state: 'running', version: 1, definition }, SHARED_DOMAINS);
}

/** Gives every request the same number. */
export function always(number: number, seed: number | null = null, words: Int32Array = new Int32Array()): RouteCounter {
  return { seed, state: { words }, next: () => number, upcoming: () => number };
}

export interface Answer {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly routeId?: string;
  readonly responseId?: string;
  readonly problem?: string;
  /** By scenario, after the answer. */
  readonly states?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly latency?: number | undefined;
}

type States = Readonly<Record<string, string>>;

/** What the compiled mock answers; undefined when no route matches. */
export function compiledAnswer(
  mock: CompiledMock,
  asked: MockRequest,
  number = 1,
  before: States = {},
): Answer | undefined {
  const { cors } = mock.settings;
  const isOwn = cors !== false && isPreflight(asked);
  const found = isOwn ? findOptionsRoute(mock, asked.path) : findRoute(mock, asked.method, asked.path);
  if (found === undefined) return undefined;
  const seen = found.route.needsBody ? asked : { ...asked, body: undefined };
  const layout = stateLayoutOf(mock.settings);
  const state = new MockState(layout, newState(layout, before));
  const others = routesBehind(matchingRoutes(mock, asked.method, asked.path, !isOwn), found);
  const turn = new StoreTurn(storesFor(mock.settings, undefined));
  const counter = { ...always(number, mock.settings.seed, state.words), turn };
  const answer = answerRequest(found, seen, counter, others);
  if (answer === undefined) return undefined;
  const states = state.states();
  if (answer.problem !== undefined) {
    return { routeId: answer.routeId, responseId: answer.responseId, problem: answer.problem, states };
  }
  const { routeId, responseId, status, body, latencyMs } = answer;
  const at = asked.headers.indexOf('origin');
  const origin = at === -1 ? undefined : asked.headers[at + 1];
  return {
    routeId,
    responseId,
    status,
    latency: latencyMs,
    headers: headLines({ head: origin === undefined ? answer.head : headFor(cors, origin, answer.head) }).slice(1),
    body: (typeof body === 'string' ? Buffer.from(body) : Buffer.from(body)).toString('latin1'),
    states,
  };
}

/** The status line and each header, but for what the server adds to them. */
export function headLines({ head }: Pick<MockAnswer, 'head'>): string[] {
  const text = typeof head === 'string' ? head : Buffer.from(head).toString();
  return text.replace(KEEP_ALIVE_LINE, '').split('\r\n');
}

/** The same of the interpreter. */
export function explainedAnswer(
  definition: MockDefinition,
  asked: MockRequest,
  number = 1,
  before: States = {},
): Answer | undefined {
  const explained = explainRequest(definition, asked, SHARED_DOMAINS, number, { states: before });
  const { route: found, chosen, response: given, problem, latency, miss, scenarios = [] } = explained;
  const layout = stateLayoutOf(definition.settings);
  const after = Object.fromEntries(scenarios.map((each) => [each.name, each.after]));
  const states = { ...new MockState(layout, newState(layout, before)).states(), ...after };
  if (miss !== undefined) return { routeId: '', responseId: '', problem: miss, states };
  if (found === undefined || chosen === undefined) return undefined;
  const ids = { routeId: found.routeId, responseId: chosen.responseId };
  if (given === undefined) return { ...ids, problem: problem as string, states };
  return {
    ...ids,
    status: given.status,
    latency: latency?.ms,
    headers: given.headers.map(({ name, value }) => `${name}: ${value}`),
    body: given.body.toString('latin1'),
    states,
  };
}
