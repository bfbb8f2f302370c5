/**
 * Weaves callbacks into the compiled responses that have any: rendered with the answer, from the same request and the same budget.
 * They are sent once it is written: thread/sent-callbacks.ts.
 */
import { parseJson } from '../../../languages/json-text.ts';
import type { CallbackKey, CallbackSent } from '../../../forward/callbacks-sent.ts';
import { CALLBACK_BODY_BYTES_MAX, CALLBACK_URL_CHARS_MAX, RENDERED_HEADER_CHARS_MAX } from '../../../limits.ts';
import { responseMembersIn } from '../../../languages/templates/template-checks.ts';
import { readsAddress, readsOrder, readsStores } from '../../../model/mocks/definition/condition-reads.ts';
import { conditionsOf, testsBody } from '../../../model/mocks/definition/conditions.ts';
import type { Callback, HeaderLine, MockSettings } from '../../../model/mocks/definition/definition.ts';
import { headerValueCheck } from '../../../model/mocks/definition/header-value.ts';
import { HMAC_DEFAULTS, literalOrigin, templatesOf } from '../../../model/mocks/upstream/callbacks.ts';
import type { MockAnswer } from '../request/mock-request.ts';
import type { RequestView } from '../request/request-view.ts';
import { compileTemplate, fixedTemplate } from '../templates/compile-template.ts';
import { TemplateRun } from '../templates/template-run.ts';
import type { PreparedResponse } from './compiled-mock.ts';
import { drawStream } from './draw-streams.ts';
import { drawOf } from './latency.ts';
import type { Condition } from '../../../model/mocks/definition/condition-schema.ts';
import { CALLBACK_DEFAULTS, RETRY_DEFAULTS } from '../../../model/mocks/upstream/callback-schema.ts';
import type { PlacedResponse } from './placed-response.ts';

/** The answer as templates see it. */
interface AnswerForTemplates {
  readonly status: number;
  readonly headers: () => readonly HeaderLine[];
  readonly body: () => string;
}

type Uses = Pick<PreparedResponse, 'readsBody' | 'readsNumber' | 'readsIp' | 'usesStores' | 'draws'>;

/** Compiles conditions that must all hold. */
type CompileConditions = (when: readonly Condition[]) => (view: RequestView) => boolean;

interface CompiledCallback extends Uses {
  /** @returns undefined when its conditions do not hold. Never throws. */
  readonly render: (view: RequestView, answered: AnswerForTemplates) => CallbackSent | undefined;
}

/** @returns The same response where it has no callbacks. */
export function withCallbacks(
  prepared: PreparedResponse,
  placed: PlacedResponse,
  conditions: CompileConditions,
): PreparedResponse {
  const { callbacks = [] } = placed.response;
  if (callbacks.length === 0) return prepared;
  const compiled = callbacks.map((callback, number) => compileCallback(callback, number, placed, conditions));
  const some = (uses: (one: Uses) => boolean): boolean => uses(prepared) || compiled.some(uses);
  return {
    id: prepared.id,
    place: prepared.place,
    readsBody: some((each) => each.readsBody),
    readsNumber: some(({ readsNumber }) => readsNumber),
    readsIp: some(({ readsIp }) => readsIp),
    usesStores: some(({ usesStores }) => usesStores),
    draws: some(({ draws }) => draws),
    fixed: undefined,
    answer(view) {
      const answer = prepared.answer(view);
      if (answer.problem !== undefined) return answer;
      const answered = answeredBy(answer);
      const sent = compiled.flatMap((each) => each.render(view, answered) ?? []);
      return sent.length === 0 ? answer : { ...answer, isPlain: false, callbacks: sent };
    },
  };
}

function answeredBy({ status, head, body }: MockAnswer): AnswerForTemplates {
  return {
    status,
    headers() {
      const [, ...lines] = (typeof head === 'string' ? head : Buffer.from(head).toString()).split('\r\n');
      return lines.map((line) => {
        const colon = line.indexOf(':');
        return { name: line.slice(0, colon), value: line.slice(colon + 1).trim() };
      });
    },
    body: () => (typeof body === 'string' ? body : Buffer.from(body).toString()),
  };
}

/** @param number Its place in the response. */
export function compileCallback(
  callback: Callback,
  number: number,
  { settings, route, index: responseIndex, targets }: PlacedResponse,
  conditions: CompileConditions,
): CompiledCallback {
  const { url, headers = [], body = '', delay = 0, when = [] } = callback;
  const { bodyEncoding, templated, method, timeoutMs, repeat } = { ...CALLBACK_DEFAULTS, ...callback };
  const context = { targets, variables: settings.variables ?? {} };
  const stream = (...part: readonly (string | number)[]): number =>
    drawStream(route, 'callback', responseIndex, number, ...part);
  const template = (text: string, part: string, mode: 'text' | 'json' = 'text') =>
    templated === false ? fixedTemplate(text) : compileTemplate(text, context, stream(part), mode);
  const address = template(url, 'url');
  const values = headers.map(({ value }, at) => template(value, `header ${at}`));
  const content =
    bodyEncoding === 'base64' ? fixedTemplate(body) : template(body, 'body', templated === 'json' ? 'json' : 'text');
  const templates = [address, content, ...values];
  const checks = headers.map(({ name }) => headerValueCheck(name, NO_DOMAINS));
  const members = new Set(templatesOf(callback).flatMap((text) => [...responseMembersIn(text)]));
  const origin = literalOrigin(callback);
  const key = keyOf(callback, settings);
  const drawnDelay = drawOf(delay);
  const delays = stream('delay');
  const holds = when.length === 0 ? undefined : conditions(when);
  const rules = conditionsOf(when);
  const { name = '' } = callback;
  const { max: retries, backoffMs } = { ...RETRY_DEFAULTS, ...callback.retry };
  return {
    readsBody: templates.some((each) => each.readsBody) || testsBody(when),
    readsNumber: templates.some(({ readsNumber }) => readsNumber) || rules.some(readsOrder),
    readsIp: templates.some(({ readsIp }) => readsIp) || rules.some(readsAddress),
    usesStores: templates.some(({ usesStores }) => usesStores) || rules.some(readsStores),
    draws: templates.some(({ draws }) => draws) || typeof drawnDelay !== 'number',
    render(view, answered) {
      if (holds?.(view) === false && view.work >= 0) return undefined;
      const run = new TemplateRun(view);
      if (members.size > 0) run.response = responseOf(answered, members, view);
      const sentTo = address.render(run, CALLBACK_URL_CHARS_MAX);
      const lines = headers.flatMap((line, index) => [
        line.name,
        (values[index] as (typeof values)[number]).render(run, RENDERED_HEADER_CHARS_MAX),
      ]);
      const text = content.render(run, CALLBACK_BODY_BYTES_MAX);
      const random = typeof drawnDelay === 'number' ? undefined : view.random(delays);
      const lineProblem = checks.map((check, index) => check(lines[2 * index + 1] as string)).find(Boolean);
      return {
        name,
        // As it is sent.
        url: URL.canParse(sentTo) ? new URL(sentTo).href : sentTo,
        method,
        headers: lines,
        body: text,
        bodyEncoding,
        delaysMs: Array.from({ length: repeat }, () =>
          typeof drawnDelay === 'number' || random === undefined ? Number(drawnDelay) : Math.round(drawnDelay(random)),
        ),
        timeoutMs,
        retries,
        backoffMs,
        key: key === 'missing' ? undefined : key,
        isHostChosen: origin === undefined,
        problem:
          run.problem ??
          (view.work < 0 ? view.problem : undefined) ??
          urlProblem(sentTo, origin) ??
          (lineProblem === undefined ? undefined : `a header: ${lineProblem}`) ??
          (Buffer.byteLength(text) > CALLBACK_BODY_BYTES_MAX
            ? `its body has more than ${CALLBACK_BODY_BYTES_MAX} bytes`
            : undefined) ??
          (key === 'missing' ? 'the variable of its secret is not a string' : undefined),
      };
    },
  };
}

const NO_DOMAINS: readonly string[] = [];

/** Reading the answer costs as a template that looks at the request. */
function responseOf(answered: AnswerForTemplates, members: ReadonlySet<string>, view: RequestView): object {
  const body = members.has('body') ? answered.body() : '';
  return {
    status: answered.status,
    headers: members.has('headers')
      ? Object.fromEntries(answered.headers().map(({ name, value }) => [name.toLowerCase(), value]))
      : {},
    // A text that is an object or a list in JSON is read as that.
    body: (/^\s*[[{]/.test(body) ? parseJson(body, view)?.value : undefined) ?? body,
  };
}

/** @param origin As the definition has it: what was rendered must not lead to another. */
function urlProblem(text: string, origin: string | undefined): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'its target is not a URL';
  if (url.username !== '' || url.password !== '') return 'its URL contains a user or password';
  return origin === undefined || url.origin === origin ? undefined : `its URL is outside ${origin}`;
}

function keyOf({ sign }: Callback, { variables = {} }: MockSettings): CallbackKey | 'missing' | undefined {
  if (sign === undefined) return undefined;
  const { scheme, secret: given, header = '', break: breaks, ...ofHmac } = sign;
  const secret =
    typeof given === 'string'
      ? given
      : Object.hasOwn(variables, given.variable)
        ? variables[given.variable]
        : undefined;
  if (typeof secret !== 'string') return 'missing';
  return { ...HMAC_DEFAULTS, ...ofHmac, scheme, secret, header, breaks };
}
