/** Lists what is to be compared: each response of a mock with the request that it answers, and with its answer, or why there is none. */
import { statesFor } from '../model/mocks/behaviour/behaviour-checks.ts';
import type { HeaderLine, MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition/definition.ts';
import type { Answer } from './answer.ts';
import { draftRequest, isCredentialLine, sentHeaders, type DraftedRequest } from './draft-request.ts';
import type { SkipReason } from './report.ts';

export interface DraftTask {
  readonly definition: MockDefinition;
  /** Ids; all routes when absent. */
  readonly routes?: readonly string[] | undefined;
  readonly isUnsafeAllowed: boolean;
  /** Lines that the caller adds to each request. */
  readonly headers: readonly HeaderLine[];
  /** Whether the mock answers twice, to learn which of its values change. */
  readonly isTwice: boolean;
  /** Index of the first response, and how many at most. */
  readonly from: number;
  readonly count: number;
  readonly skipped?: SkipReason | undefined;
}

/** A request that is sent: a Buffer loses its class between threads. */
export interface CheckedRequest extends Omit<DraftedRequest, 'body'> {
  readonly body: Uint8Array;
}

interface Place {
  /** Among all responses that are compared. */
  readonly index: number;
  readonly routeId: string;
  readonly responseId: string;
  /** Its method and path. */
  readonly route: string;
  readonly label: string;
  readonly status: number;
}

export type Check = Place &
  (
    | { readonly skipped: SkipReason; readonly detail?: string }
    | {
        readonly request: CheckedRequest;
        readonly answers: readonly [Answer, ...Answer[]];
        /** Headers with credentials that the mock gets and the service does not, since the caller has not given them. */
        readonly withheld?: readonly string[];
      }
  );

export interface Drafted {
  readonly checks: readonly Check[];
  /** Absent after the last. */
  readonly next?: number;
}

/** How a request is put to the mock. */
interface Question {
  readonly definition: MockDefinition;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    /** Names in lower case and values, alternating. */
    readonly headers: readonly string[];
    readonly body: Buffer | undefined;
  };
  readonly requestNumber: number;
  readonly states: Readonly<Record<string, string>>;
}

/** Verdict of the interpreter. */
interface Explanation {
  readonly response: Omit<Answer, 'isPartial'> | undefined;
  readonly chosen: { readonly responseId: string } | undefined;
  readonly problem?: string | undefined;
}

type AskMock = (question: Question) => Explanation;

/** So far apart that two answers at both differ wherever they show the time. */
const OTHER_TIME = 'P37DT5H7M11S';
/** After this no further response is asked for in one task, whose time is bounded; nor after so many whose answers it returns. */
const ENOUGH_MS = 300;
const ANSWERED_MAX = 20;

export function draftChecks(task: DraftTask, ask: AskMock): Drafted {
  const { definition, routes, from, count, skipped } = task;
  const begun = performance.now();
  const checks: Check[] = [];
  const isEnough = (): boolean =>
    checks.length >= count || answered >= ANSWERED_MAX || performance.now() - begun > ENOUGH_MS;
  let answered = 0;
  let index = 0;
  for (const route of definition.routes) {
    if (!route.enabled || routes?.includes(route.id) === false) continue;
    if (index + route.responses.length <= from) {
      index += route.responses.length;
      continue;
    }
    for (const [at, response] of route.responses.entries()) {
      const place = { ...placeOf(route, response), index };
      if (index++ < from) continue;
      if (isEnough()) return { checks, next: index - 1 };
      const check = skipped === undefined ? checkOf(task, route, at, place, ask) : { ...place, skipped };
      if ('answers' in check) answered++;
      checks.push(check);
    }
  }
  return { checks };
}

function placeOf({ id: routeId, method, path }: MockRoute, { id, label, status }: MockResponse): Omit<Place, 'index'> {
  return { routeId, responseId: id, route: `${method} ${path}`, label, status };
}

function checkOf(task: DraftTask, route: MockRoute, at: number, place: Place, ask: AskMock): Check {
  const { isUnsafeAllowed, headers, isTwice } = task;
  const response = route.responses[at] as MockResponse;
  const draft = draftRequest(route, response, isUnsafeAllowed);
  if ('skipped' in draft) return { ...place, skipped: draft.skipped };
  const { request } = draft;
  const definition = definitionFor(task.definition, route, response);
  const question = { definition, request: asked(request, headers), requestNumber: 1, states: statesFor(response) };
  const { response: answered, chosen, problem } = ask(question);
  if (chosen?.responseId !== response.id) return { ...place, skipped: draft.isSample ? 'otherResponse' : 'noSample' };
  if (answered === undefined)
    return { ...place, skipped: 'mockProblem', ...(problem === undefined ? {} : { detail: problem }) };
  const answers: [Answer, ...Answer[]] = [asSent(answered, request.method)];
  if (isTwice && response.templated !== false) {
    const again = ask({ ...question, definition: atOtherTime(definition), requestNumber: 2 });
    if (again.chosen?.responseId === response.id && again.response !== undefined)
      answers.push(asSent(again.response, request.method));
  }
  const given = new Set(headers.map(({ name }) => name.toLowerCase()));
  const withheld = request.headers.filter((line) => isCredentialLine(line)).map(({ name }) => name.toLowerCase());
  const missing = withheld.filter((name) => !given.has(name));
  const sent = { ...request, headers: sentHeaders(request.headers) };
  return { ...place, request: sent, answers, ...(missing.length === 0 ? {} : { withheld: missing }) };
}

/** Makes a definition in which the response answers: not the upstream, and where the selection decides rather than the request, no other. */
function definitionFor(definition: MockDefinition, route: MockRoute, response: MockResponse): MockDefinition {
  const { settings, routes } = definition;
  const { proxy } = settings;
  const own =
    proxy === undefined || proxy === null ? settings : { ...settings, proxy: { ...proxy, when: 'never' as const } };
  if (route.selection === 'rules') return { ...definition, settings: own };
  const alone = { ...route, responses: [response], selection: 'default' as const };
  return { ...definition, settings: own, routes: routes.map((each) => (each === route ? alone : each)) };
}

/** With other draws, and at another time unless it stands still. */
function atOtherTime({ settings, ...rest }: MockDefinition): MockDefinition {
  const { clock } = settings;
  const stands = clock !== undefined && /^\d{4}-/.test(clock);
  return { ...rest, settings: { ...settings, seed: null, ...(stands ? {} : { clock: OTHER_TIME }) } };
}

function asked({ body, headers, ...request }: DraftedRequest, added: readonly HeaderLine[]): Question['request'] {
  const replaced = new Set(added.map(({ name }) => name.toLowerCase()));
  const lines = [...headers.filter(({ name }) => !replaced.has(name.toLowerCase())), ...added];
  return {
    ...request,
    headers: lines.flatMap(({ name, value }) => [name.toLowerCase(), value]),
    body: body.length === 0 ? undefined : body,
  };
}

/** Converts an answer to the form that a client would get: without a body where HTTP has none. */
function asSent({ status, headers, body }: Omit<Answer, 'isPartial'>, method: string): Answer {
  const isBodyless = method === 'HEAD' || status === 204 || status === 304;
  return { status, headers, body: isBodyless ? new Uint8Array() : body };
}
