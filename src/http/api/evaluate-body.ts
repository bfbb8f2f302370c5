/** Reads the body of `POST /rules/evaluate`: an exchange, and which rules are evaluated on it. */
import { BASE64 } from '../../base/base64.ts';
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal, refuse, refuseLimit, type Detail, type Refusal } from '../../errors.ts';
import { DETAILS_MAX, SKIPPED_PAGE_DEFAULT, SKIPPED_PAGE_MAX } from '../../limits.ts';
import { questionSchema, type GivenMessage, type Question } from '../../model/evaluation.ts';
import { givenLines } from '../../model/header-lines.ts';
import { parseBody } from '../../model/json-body.ts';
import { heavyPatterns, NONE_CHECKED, type CheckedPatterns } from '../../model/pairs/source-pattern.ts';
import type { GatewaySettings } from '../../model/gateway/settings.ts';
import type { Status } from '../../model/status.ts';
import { compileCheck, refusalOf } from '../../model/validate.ts';
import type { Exchange } from '../../rules-table/evaluate.ts';
import { isToken, valueProblem, type HeaderLine } from '../../rules-table/header-list.ts';
import type { Details } from '../../rules-table/skipped-rules.ts';
import { parseUrl, URL_INVALID } from '../../rules-table/wire-url.ts';
import type { CheckPatterns } from './rules.ts';

/** Header lines of a request or response that is evaluated; their characters. (shown: Evaluating rules) */
export const EVALUATED_HEADER_LINES_MAX = 1_000;
export const EVALUATED_HEADERS_CHARS_MAX = 65_536;

export interface EvaluateSettings {
  readonly mode: GatewaySettings['mode'];
  readonly details: Details;
  readonly runCode: boolean;
}

/** Without a mode: that of the rules. */
type AskedSettings = Omit<EvaluateSettings, 'mode'> & { readonly mode: EvaluateSettings['mode'] | undefined };

/** The drafts of a body, and what is to be known of the owner for them. */
export interface SentDrafts {
  /** The whole body. */
  readonly json: Uint8Array;
  readonly checked: CheckedPatterns;
  readonly groups: ReadonlyMap<string, Status>;
  /** Groups that drafts name and the body does not have. */
  readonly otherGroupIds: ReadonlySet<string>;
}

export interface Evaluated {
  readonly exchange: Exchange;
  readonly settings: AskedSettings;
  readonly ruleId: string | undefined;
  readonly drafts: SentDrafts | undefined;
  /** A session of the gateway. */
  readonly session: string | undefined;
}

const checkQuestion = compileCheck(questionSchema);

/** @returns `read` of the endpoint's body (endpoint.ts). */
export function questionReader(checkPatterns: CheckPatterns, runsCode: boolean) {
  return (bytes: Buffer, ownerId: string): Evaluated | Refusal | Promise<Evaluated | Refusal> => {
    const body = parseBody(bytes, 'rulePayloadInvalid');
    if (isRefusal(body)) return body;
    const problems = checkQuestion(body, '');
    if (problems !== undefined) return refusalOf(problems, 'rulePayloadInvalid');
    const question = body as unknown as Question;
    const details = contradictions(question, runsCode);
    const exchange = exchangeOf(question, details);
    if (isRefusal(exchange)) return exchange;
    if (details.length > 0) return refuse('rulePayloadInvalid', details.slice(0, DETAILS_MAX));
    const { ruleId, session } = question;
    const evaluated = { exchange, settings: settingsOf(question), ruleId, session, drafts: undefined };
    const rules = body.rules as JsonObject[] | undefined;
    if (rules === undefined) return evaluated;

    const drafts = { json: new Uint8Array(bytes), ...groupsOf(question, rules) };
    const heavy = [...new Set(rules.flatMap(heavyPatterns))];
    if (heavy.length === 0) return { ...evaluated, drafts: { ...drafts, checked: NONE_CHECKED } };
    return checkPatterns(ownerId, heavy).then((checked) =>
      isRefusal(checked) ? checked : { ...evaluated, drafts: { ...drafts, checked } },
    );
  };
}

/** Members that exclude each other. */
function contradictions(question: Question, runsCode: boolean): Detail[] {
  const { rules, groups, ruleId, session, runCode, details, offset, pageSize } = question;
  const found: Detail[] = [];
  const report = (isWrong: boolean, path: string, message: string): void => {
    if (isWrong) found.push({ path, message });
  };
  report(
    runCode === true && !runsCode,
    '/runCode',
    'this server does not run code: start it with --rule-code, or remove this member',
  );
  report(
    ruleId !== undefined && rules !== undefined,
    '/ruleId',
    'names a stored rule, and cannot be combined with `rules`, which are drafts',
  );
  const isOther = session !== undefined && (rules !== undefined || ruleId !== undefined);
  report(isOther, '/session', 'applies to all stored rules: remove `rules` and `ruleId`');
  report(groups !== undefined && rules === undefined, '/groups', 'are groups of drafts, and require `rules`');
  const isPaged = details === 'all';
  report(offset !== undefined && !isPaged, '/offset', 'requires `details` all');
  report(pageSize !== undefined && !isPaged, '/pageSize', 'requires `details` all');
  return found;
}

function settingsOf(question: Question) {
  const { mode, details, offset = 0, pageSize = SKIPPED_PAGE_DEFAULT, runCode = false } = question;
  const page: Details = { offset, count: Math.min(pageSize, SKIPPED_PAGE_MAX) };
  return { mode, details: details === 'all' ? page : 'applied', runCode } satisfies AskedSettings;
}

/** Puts mistakes into `details`; returns a refusal when a limit is exceeded. */
function exchangeOf({ request, response }: Question, details: Detail[]): Exchange | Refusal {
  const { method = 'GET', url } = request;
  if (parseUrl(url) === undefined) details.push({ path: '/request/url', message: URL_INVALID });
  const asked = messageOf(request, '/request', details);
  if (isRefusal(asked)) return asked;
  const exchange = { request: { method, url, ...asked } };
  if (response === undefined) return exchange;
  const { failed = false, status, statusText, ...message } = response;
  if (failed) {
    const others = Object.keys(response).filter((name) => name !== 'failed');
    for (const name of others)
      details.push({ path: `/response/${name}`, message: 'cannot be given for an upstream that failed' });
    return { ...exchange, response: { failed } };
  }
  if (status === undefined) details.push({ path: '/response/status', message: 'is required' });
  const answered = messageOf(message, '/response', details);
  if (isRefusal(answered)) return answered;
  return {
    ...exchange,
    response: { status: status ?? 0, ...(statusText === undefined ? {} : { statusText }), ...answered },
  };
}

function messageOf(
  { headers = [], body, bodyEncoding }: GivenMessage,
  at: string,
  details: Detail[],
): { headers: HeaderLine[]; body: Buffer | undefined } | Refusal {
  if (bodyEncoding === 'base64' && body !== undefined && !BASE64.test(body)) {
    details.push({ path: `${at}/body`, message: 'is not base64' });
  }
  const lines = givenLines(headers);
  const chars = lines.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  if (lines.length > EVALUATED_HEADER_LINES_MAX) {
    return refuseLimit(`${EVALUATED_HEADER_LINES_MAX} header lines`, `${at}/headers`);
  }
  if (chars > EVALUATED_HEADERS_CHARS_MAX) {
    return refuseLimit(`${EVALUATED_HEADERS_CHARS_MAX} characters of headers`, `${at}/headers`);
  }
  for (const { name, value, nameAt, valueAt } of lines) {
    if (!isToken(name)) details.push({ path: `${at}/headers${nameAt}`, message: 'is not a header name' });
    const problem = valueProblem(name, value);
    if (problem !== undefined) details.push({ path: `${at}/headers${valueAt}`, message: problem });
  }
  return {
    headers: lines.map(({ name, value }) => ({ name, value })),
    body: body === undefined ? undefined : Buffer.from(body, bodyEncoding ?? 'utf8'),
  };
}

function groupsOf({ groups = [] }: Question, rules: readonly JsonObject[]) {
  const given = new Map(groups.map(({ id, status }) => [id, status]));
  const otherGroupIds = new Set<string>();
  for (const { groupId } of rules) {
    if (typeof groupId === 'string' && groupId !== '' && !given.has(groupId)) otherGroupIds.add(groupId);
  }
  return { groups: given, otherGroupIds };
}
