/** Answers WireMock's admin interface: finds the mock, its session and the operation. */
import { percentDecoded } from '../../../base/percent.ts';
import { printJson } from '../../../base/written-numbers.ts';
import { isRefusal, REFUSALS, refuse, type Refusal } from '../../../errors.ts';
import { keepNumbers } from '../../../interchange/source/parse-source.ts';
import { SESSION_IDLE_MS_MAX } from '../../../limits.ts';
import { parseBody } from '../../../model/json-body.ts';
import type { Mock } from '../../../model/mocks/mock.ts';
import { EMPTY_SESSION } from '../../../model/mocks/sessions/session-payload.ts';
import { SESSION_ID } from '../../../model/mocks/sessions/session.ts';
import { readMock } from '../../../model/mocks/show/query-mock.ts';
import { mayUse } from '../../../model/principal.ts';
import type { LiveSession } from '../../../sessions/live-sessions.ts';
import type { TrafficSubject } from '../../api/mocks/traffic/traffic-scope.ts';
import type { Call } from '../../call.ts';
import { Router } from '../../router.ts';
import { answerInTurn } from '../answer-in-turn.ts';
import { MockStubs } from '../mock-world.ts';
import { SessionStubs } from '../session-world.ts';
import { errorsOfRefusal, fail, Failure } from './errors.ts';
import { FILES } from './files.ts';
import { MAPPINGS } from './mappings.ts';
import { NEAR_MISSES } from './near-misses.ts';
import type { Answer, CompatParts, Operation, Question } from './question.ts';
import { RECORDINGS } from './recordings.ts';
import { REQUESTS } from './requests.ts';
import { SCENARIOS } from './scenarios.ts';
import { SETTINGS } from './settings.ts';

const OPERATIONS = new Router<Operation>(
  withList([...MAPPINGS, ...FILES, ...REQUESTS, ...RECORDINGS, ...NEAR_MISSES, ...SCENARIOS, ...SETTINGS]),
);

const ADMIN = '/compat/wiremock/:id/__admin';

/** `[<session>[~<secret>]/]__admin/…`, as it follows the mock. */
const REST = /^(?:([a-z0-9-]+)(~[^/]*)?\/)?__admin(\/.*)?$/;

const stubsOf = new WeakMap<LiveSession, SessionStubs>();
let mockStubs: MockStubs | undefined;

export async function answerWireMock(parts: CompatParts, call: Call, body: Buffer | undefined): Promise<void> {
  return answerInTurn(call, changedBy(call), async () => {
    const answer = await answerOf(parts, call, body);
    if (isRefusal(answer)) return answer;
    if (answer instanceof Failure)
      return { status: answer.status, type: JSON_TYPE, body: JSON.stringify({ errors: answer.errors }) };
    const { status = 200, json = {}, headers, bytes } = answer;
    if (bytes !== undefined) return { status: 200, type: 'application/octet-stream', body: bytes };
    return { status, type: JSON_TYPE, body: printJson(json), headers };
  });
}

const JSON_TYPE = 'application/json';

/** The session or mock; undefined where nothing is changed. */
function changedBy({ caller, head, params }: Call): string | undefined {
  const [mockId = '', rest = ''] = params;
  const [isAdmin, sessionId = '', , path = '/'] = REST.exec(rest) ?? [];
  const isChange = isAdmin !== undefined && OPERATIONS.find(path)?.methods.get(head.method)?.access === 'write';
  return isChange ? `${caller.ownerId}/${mockId}/${sessionId}` : undefined;
}

async function answerOf(
  parts: CompatParts,
  call: Call,
  bytes: Buffer | undefined,
): Promise<Answer | Failure | Refusal> {
  const [mockId = '', rest = ''] = call.params;
  const [isAdmin, sessionId, secret, path = '/'] = REST.exec(rest) ?? [];
  if (isAdmin === undefined) return fail(404, 'Not found', 'the path is <mock>/<session>/__admin/…');
  const mock = await parts.owners.ask(readMock, { mockId }, call.caller);
  if (isRefusal(mock)) return mock;
  const found = OPERATIONS.find(path);
  const operation = found?.methods.get(call.head.method === 'HEAD' ? 'GET' : call.head.method);
  if (operation === undefined || found === undefined)
    return unsupported(path) ?? fail(404, 'Not found', `${call.head.method} ${path}: no such endpoint`);
  // By endpoint in log and metrics.
  call.route = { method: operation.method, path: ADMIN + operation.path, refusalBody: errorsOfRefusal };
  if (!mayUse(operation.access, call.caller.role))
    return fail(401, REFUSALS.unauthorized.message, 'a viewer key may only read: this requires an editor key');
  const unfit = unfitSetting(mock);
  if (unfit !== undefined) return unfit;
  const live = sessionId === undefined ? undefined : sessionOf(parts, call, mock, sessionId);
  if (isRefusal(live)) return live;
  const isJson = bytes !== undefined && !operation.takesBytes;
  const body = isJson ? parseBody(bytes, 'badRequest', false) : {};
  if (isRefusal(body)) return new Failure(422, JSON.parse(errorsOfRefusal(body)).errors);
  if (isJson) keepNumbers(bytes.toString(), body);
  const scoped: TrafficSubject = { mock, live, isLive: () => live === undefined || parts.sessions.isLive(live) };
  const question: Question = {
    parts,
    call,
    scoped,
    world: live === undefined ? ofMocks(parts).worldOf(mock, call.caller) : ofSession(live, parts).worldOf(mock),
    params: found.params.map((param) => percentDecoded(param) ?? param),
    query: new URLSearchParams(call.head.query),
    body,
    bytes,
    worldOfMock: () => (secret === undefined ? ofMocks(parts).worldOf(mock, call.caller) : undefined),
  };
  call.releaseBody();
  return operation.answer(question);
}

/** Stubs are a list, of which the first that matches answers. */
function unfitSetting({ saved: { settings } }: Mock): Failure | undefined {
  if (settings.precedence !== 'listed')
    return fail(
      422,
      'The mock has another precedence',
      'set `precedence` to "listed" in its settings',
      '/settings/precedence',
    );
  return settings.cors
    ? fail(422, 'The mock answers preflights', 'set `cors` to false in its settings', '/settings/cors')
    : undefined;
}

/** Made for an editor where the settings of the mock say so, and then kept as long as sessions may be: the originals never end. */
function sessionOf({ sessions }: CompatParts, { caller }: Call, mock: Mock, id: string): LiveSession | Refusal {
  const live = sessions.find(mock.id, id);
  if (!isRefusal(live) || mock.saved.settings.sessions !== 'auto' || !mayUse('write', caller.role)) return live;
  if (!SESSION_ID.test(id)) return refuse('sessionNotFound');
  const draft = { ...EMPTY_SESSION, id, label: 'wiremock', idleMs: SESSION_IDLE_MS_MAX };
  const made = sessions.create(mock, caller.ownerId, draft);
  return isRefusal(made) ? made : made.live;
}

function ofSession(live: LiveSession, { sessions }: CompatParts): SessionStubs {
  const stubs = stubsOf.get(live) ?? new SessionStubs(live, sessions);
  stubsOf.set(live, stubs);
  return stubs;
}

function ofMocks({ owners, publish }: CompatParts): MockStubs {
  mockStubs ??= new MockStubs(owners, publish);
  return mockStubs;
}

/** First segments of paths that WireMock has, and what to do instead. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['recorder', 'call /recordings/start and /recordings/stop'],
  ['certs', 'start the server with --tls-cert and --tls-key'],
  ['shutdown', 'stop the server with SIGTERM'],
  ['message-mappings', 'add a WebSocket route to the mock'],
  ['messages', 'messages appear in the traffic of the mock'],
  ['channels', 'the API of the mock lists open WebSockets'],
]);

/** @returns undefined for a path that WireMock does not have either. */
function unsupported(path: string): Failure | undefined {
  const name = path.split('/')[1] ?? '';
  const instead = UNSUPPORTED.get(name);
  return instead === undefined ? undefined : fail(422, `${name} is not supported`, `${instead}. See docs/compat.md`);
}

/** @param others All other endpoints. */
function withList(others: readonly Operation[]): readonly Operation[] {
  const endpoints = others.map(({ method, path }) => `${method} ${path}`);
  const answer = (): Answer => ({ json: { server: 'Switchyard', endpoints, unsupported: [...UNSUPPORTED.keys()] } });
  return [...others, ...['/', '/docs'].map((path) => ({ method: 'GET', path, access: 'read', answer }) as const)];
}
