/**
 * Weaves what a response does with a store into it: the operation comes first, its result is the body unless the response has one, and
 * its failure is answered instead.
 */
import { parseJson } from '../../../languages/json-text.ts';
import { STATUS_CODES } from 'node:http';
import type { HeaderLine, MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { otherStatusesOf } from '../../../model/mocks/behaviour/fault-statuses.ts';
import {
  answersByStore,
  crudOperation,
  itemParameter,
  PARENT_ID,
  PARENT_RESOURCE,
} from '../../../model/mocks/stores/crud.ts';
import { textOf } from '../../../model/mocks/definition/operators.ts';
import { singularOf, type StoreOperation } from '../../../model/mocks/stores/store.ts';
import { NO_PLACE, renderProblem, type MockAnswer } from '../request/mock-request.ts';
import type { CountedResponse, PlacedResponse } from './placed-response.ts';
import type { RequestView } from '../request/request-view.ts';
import {
  answerOperation,
  bodyValue,
  exactValue,
  type OperationAnswer,
  type StoreCall,
} from '../stores/answer-operation.ts';
import { dialectOf, JSON_SERVER, REST, type Dialect } from '../stores/dialects.ts';
import { answerAsJsonServer, jsonServerBody } from '../stores/json-server.ts';
import { failed, type Failure } from '../stores/operations.ts';
import type { KeepProblem } from '../stores/store-turn.ts';
import { compileTemplate } from '../templates/compile-template.ts';
import { TemplateRun } from '../templates/template-run.ts';
import { answerHead, type ReplyHead } from './answer-head.ts';
import { writeHeaderLines } from './compile-response.ts';
import { withCors } from './cors.ts';
import type { PreparedResponse } from './compiled-mock.ts';
import { drawStream } from './draw-streams.ts';
import { withDefaultHeaders } from './templated.ts';
import { compileLatency } from './latency.ts';

export const JSON_LINE: HeaderLine = { name: 'content-type', value: 'application/json; charset=utf-8' };
const JSON_ALONE: readonly HeaderLine[] = [JSON_LINE];
const NO_STORES = 'stores cannot be used here';

/**
 * @param siblings The responses of the route, once they are compiled: one of them may answer a failure.
 * @returns The same response where it does nothing with stores.
 */
export function withStore(
  prepared: PreparedResponse,
  placed: CountedResponse,
  siblings: () => readonly PreparedResponse[],
): PreparedResponse {
  const { response, settings, route, otherPlace: firstOtherPlace } = placed;
  const call = compileStoreCall(placed);
  if (call === undefined && !prepared.usesStores) return prepared;
  const others = otherStatusesOf(settings, route, response) ?? [];
  const latency = compileLatency(settings.latency, response.latency, route);
  const { id, place, draws } = prepared;
  const headers = withCors(withDefaultHeaders({ headers: JSON_ALONE }, settings), settings.cors);
  const answered = (
    head: ReplyHead,
    body: MockAnswer['body'],
    status: number,
    latencyMs: number,
    callbacks?: MockAnswer['callbacks'],
  ): MockAnswer => {
    const at = status === response.status ? -1 : others.indexOf(status);
    return {
      routeId: route.id,
      responseId: id,
      place,
      status,
      faultCode: 0,
      otherPlace: at === -1 ? NO_PLACE : firstOtherPlace + at,
      head,
      body,
      ownsBody: true,
      latencyMs,
      isPlain: latencyMs <= 0 && callbacks === undefined && status === response.status,
      plan: undefined,
      callbacks,
    };
  };
  const headWith = resultHeads();
  const fails = (made: FailureAnswer, view: RequestView): MockAnswer => {
    const { status, callback } = made;
    const lines = callback === undefined ? headers : [...SCRIPT_LINES, ...headers.filter((each) => each !== JSON_LINE)];
    return answered(answerHead(status, writeHeaderLines(lines)), failureText(made), status, latency.draw(view));
  };
  return {
    id,
    place,
    readsBody: prepared.readsBody || call?.readsBody === true,
    readsNumber: prepared.readsNumber,
    readsIp: prepared.readsIp,
    usesStores: true,
    draws: draws || latency.fixed === undefined,
    fixed: undefined,
    answer(view) {
      const { stores: turn } = view;
      if (turn === undefined) return renderProblem(route.id, id, place, NO_STORES);
      const made = call?.perform(view);
      if (view.work < 0) return renderProblem(route.id, id, place, turn.problem ?? view.problem);
      if (made?.failure !== undefined) {
        const own = failureIndex(route, made.status);
        return siblings()[own]?.answer(view) ?? fails(made, view);
      }
      turn.result = made;
      const whole = prepared.answer(view);
      if (turn.notKept !== undefined) return fails(answerNotKept(turn.notKept, response, call?.dialect), view);
      if (whole.problem !== undefined || made === undefined) return whole;
      const { text, lines } = resultOf(made, response, view);
      // The result is too large to be printed.
      if (view.work < 0) return renderProblem(route.id, id, place, view.problem);
      const body = response.body === '' ? text : whole.body;
      // The latency was drawn with the whole.
      return answered(headWith(whole.head, made.status, lines), body, made.status, whole.latencyMs, whole.callbacks);
    },
  };
}

/**
 * A failure is answered by the first response of the route that has its status and neither conditions nor a step.
 *
 * @returns -1 without one.
 */
export function failureIndex({ kind, responses }: MockRoute, status: number): number {
  const choosable = kind === 'crud' ? responses.slice(0, -1) : responses;
  return choosable.findIndex((each) => each.status === status && each.rules.length === 0 && each.store === undefined);
}

/** Heads of a response with the status and lines of a result in place of its own status: the last one is often wanted again. */
function resultHeads(): (head: ReplyHead, status: number, lines: readonly HeaderLine[]) => string {
  const last: { head?: ReplyHead; status?: number; lines?: readonly HeaderLine[]; made: string } = { made: '' };
  return (head, status, lines) => {
    if (head === last.head && status === last.status && lines === last.lines) return last.made;
    const text = typeof head === 'string' ? head : Buffer.from(head).toString();
    const end = text.indexOf('\r\n');
    const rest = end === -1 ? '' : text.slice(end);
    const made = `${status} ${STATUS_CODES[status] ?? 'Unknown'}${writeHeaderLines(lines)}${rest}`;
    Object.assign(last, { head, status, lines, made });
    return made;
  };
}

/** The result as a body, where the response has none of its own, and the header lines that come with it. */
export function resultOf(
  { status, body, headers, isText, callback }: OperationAnswer,
  response: MockResponse,
  view: RequestView,
): { readonly text: string; readonly lines: readonly HeaderLine[] } {
  if (response.body !== '' || body === undefined || status === NO_CONTENT) return { text: '', lines: headers };
  const text = textOf(body, view);
  if (callback !== undefined) return { text: scriptOf(callback, text), lines: [...SCRIPT_LINES, ...headers] };
  // As JSON: a text is one in quotes.
  return {
    text: typeof body === 'string' && isText !== true ? JSON.stringify(body) : text,
    lines: hasContentType(response) ? headers : headers.length === 0 ? JSON_ALONE : [JSON_LINE, ...headers],
  };
}

const NO_CONTENT = 204;

export const SCRIPT_LINES: readonly HeaderLine[] = [
  { name: 'x-content-type-options', value: 'nosniff' },
  { name: 'content-type', value: 'text/javascript; charset=utf-8' },
];

/** A script that calls a function of its page with the JSON. */
function scriptOf(callback: string, json: string): string {
  const value = json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `/**/ typeof ${callback} === 'function' && ${callback}(${value});`;
}

type FailureAnswer = Pick<OperationAnswer, 'status' | 'body' | 'callback'>;

export function failureText({ body, callback }: FailureAnswer): string {
  const text = JSON.stringify(body);
  return callback === undefined ? text : scriptOf(callback, text);
}

function hasContentType({ headers }: MockResponse): boolean {
  return headers.some(({ name }) => name.toLowerCase() === 'content-type');
}

/** Answers a request whose template made changes that the stores cannot hold. */
export function answerNotKept(
  { kind, problem }: KeepProblem,
  { store: step }: MockResponse,
  { statuses, failure }: Dialect = REST,
): Pick<OperationAnswer, 'status' | 'body'> {
  const own = kind === 'full' ? step?.full : step?.invalid;
  return { status: own ?? statuses[kind], body: failure(kind, problem) };
}

interface CompiledCall {
  readonly dialect: Dialect;
  readonly readsBody: boolean;
  readonly perform: (view: RequestView) => OperationAnswer;
}

/** @returns undefined for a response without an operation. Also for the interpreter: explain/explain-stores.ts. */
export function compileStoreCall({
  route,
  response,
  settings,
  index: responseIndex,
  targets,
}: PlacedResponse): CompiledCall | undefined {
  const dialect = dialectOf(route.dialect);
  if (answersByStore(route, responseIndex) && response.store === undefined) {
    const parameter = itemParameter(route);
    const isCreated = response.status === 200 ? 201 : response.status;
    const hasParents = route.path.includes(':');
    return {
      dialect,
      readsBody: true,
      perform(view) {
        const id = view.urlParam(parameter);
        const op = crudOperation(view.request.method, id !== undefined);
        const status = op === 'create' ? isCreated : response.status;
        const members = hasParents || dialect === JSON_SERVER ? parentsOf(view, parameter) : NO_PARENTS;
        return performed(view, {
          op,
          name: route.store ?? '',
          id,
          status,
          dialect,
          statuses: dialect.statuses,
          members,
        });
      },
    };
  }
  const { store: step } = response;
  if (step === undefined) return undefined;
  const context = { targets, variables: settings.variables ?? {} };
  const template = (text: string | undefined, part: string, mode: 'text' | 'json' = 'text') =>
    text === undefined
      ? undefined
      : compileTemplate(text, context, drawStream(route, 'store', responseIndex, part), mode);
  const idText = template(step.id, 'id');
  const withinTexts = Object.entries(step.within ?? {}).map(
    ([member, text]) => [member, template(text, `within ${member}`)] as const,
  );
  const valueText = template(step.value, 'value', 'json');
  const statuses: Record<Failure, number> = { ...REST.statuses };
  const { missing, taken, invalid, full } = step;
  if (missing !== undefined) statuses.missing = missing;
  if (taken !== undefined) statuses.taken = taken;
  if (invalid !== undefined) statuses.invalid = statuses.unfit = statuses.malformed = statuses.unsupported = invalid;
  if (full !== undefined) statuses.full = full;
  return {
    dialect: REST,
    readsBody: step.value === undefined && TAKES_VALUE.has(step.op),
    perform(view) {
      const run = new TemplateRun(view);
      const id = idText === undefined ? view.urlParam('id') : idText.render(run);
      const text = valueText?.render(run);
      const members = withinTexts.map(([member, within]) => [member, within?.render(run) ?? ''] as const);
      if (run.problem !== undefined) {
        if (view.stores !== undefined) view.stores.problem = run.problem;
        view.work = -1;
      }
      return performed(
        view,
        { op: step.op, name: step.name, id, status: response.status, dialect: REST, statuses, members },
        text === undefined ? undefined : exactValue(text, parseJson(text, view)?.value, view),
      );
    },
  };
}

const NO_PARENTS: ReturnType<typeof parentsOf> = [];

/** The parameters of the path before that of the item; the one below the resource that a path names. */
function parentsOf(view: RequestView, parameter: string): (readonly [string, string])[] {
  const pairs = view.paramPairs();
  const resource = view.urlParam(PARENT_RESOURCE);
  if (resource !== undefined) return [[`${singularOf(resource)}Id`, view.urlParam(PARENT_ID) ?? '']];
  return Array.from(
    { length: pairs.length / 2 },
    (_, at) => [pairs[2 * at] ?? '', pairs[2 * at + 1] ?? ''] as const,
  ).filter(([name]) => name !== parameter);
}

const TAKES_VALUE: ReadonlySet<StoreOperation> = new Set(['create', 'replace', 'merge', 'replaceAll', 'mergeAll']);

/** @param given Its value, in place of the body. */
function performed(view: RequestView, call: StoreCall, given?: ReturnType<typeof bodyValue>): OperationAnswer {
  const isJsonServer = call.dialect === JSON_SERVER;
  const answer = isJsonServer ? answerAsJsonServer : answerOperation;
  if (!TAKES_VALUE.has(call.op)) return answer(view, call, undefined);
  const value = given ?? (isJsonServer ? jsonServerBody(view) : bodyValue(view, call.dialect));
  return 'kind' in value
    ? answer(view, call, undefined, failed(value.kind, value.problem))
    : answer(view, call, value.value);
}
