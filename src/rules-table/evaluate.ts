/**
 * Applies an owner's rules to one exchange: decides the order in which rules act, and which URL each is matched against.
 * The files in rule-types/ define what each rule type does.
 *
 * Evaluation has two halves, since a gateway contacts the upstream between them. A dry run executes both, so it cannot
 * differ from what a gateway does. Uses no clock, network or files.
 */
import { whenThere, type Later } from '../base/later.ts';
import { RULE_WORK_MAX } from '../limits.ts';
import type { WorkBudget } from '../languages/work-budget.ts';
import type { CompiledRule } from './compile-rule.ts';
import { ExchangeRun, type MatchedRule, type RunOptions } from './exchange-run.ts';
import type { ReadRuleFile, RuleFile } from './rule-file.ts';
import { headerValue, removeLines, setLine, type HeaderLines } from './header-list.ts';
import { isMatch, matchPairs } from './match-pairs.ts';
import type { RunCode } from './code-call.ts';
import type { Evaluation, FinalRequest, FinalResponse, Miss, UnreadReason } from './outcome.ts';
import { notePreflight, planPhases, type Plan } from './plan-phases.ts';
import type { GivenRequest } from './request-facts.ts';
import { crossOriginLines, preflightAnswer } from './rule-types/cross-origin.ts';
import { everyRule, isLive, isUrlRule, type FindCandidates, type RuleTable } from './rule-table.ts';
import { SkippedRules, type Details } from './skipped-rules.ts';
import type { Answer, EvaluateOptions } from './stage.ts';
import { locationOf, parseUrl, URL_INVALID, type WireUrl } from './wire-url.ts';

/** The longest delay that rules may ask for: what the editors of published clients allow. */
export const RULE_DELAY_MS_MAX = 10_000;

interface ExchangeRequest extends GivenRequest {
  /** Absolute, http or https. Rules do not see its fragment, which is restored at the end. */
  readonly url: string;
}

interface ExchangeResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: HeaderLines;
  /** Undefined when it is passed on without being read. */
  readonly body: Buffer | undefined;
  /** Why code cannot read it. */
  readonly unread?: UnreadReason | undefined;
}

/** The upstream's response, or that there is none because the upstream failed. */
export type Upstream = ExchangeResponse | { readonly failed: true };

export interface Exchange {
  readonly request: ExchangeRequest;
  /**
   * Absent in a dry run without a response: changes to the response are then reported as far as they do not depend on
   * it.
   */
  readonly response?: Upstream | undefined;
}

export interface EvaluateInput extends Partial<EvaluateOptions> {
  /** Finds the rules that may match a URL. Default: all rules. */
  readonly find?: FindCandidates;
  /** This server's own addresses as `host:port` in lower case: no rule applies to them. */
  readonly ownAddresses?: Pick<ReadonlySet<string>, 'has'>;
  /** Whether rules that change the URL are passed over: a client follows where they have just sent it. */
  readonly skipsUrlRules?: boolean;
  /** Which of the rules that did not act are reported. Absent: none, and collecting them costs nothing. */
  readonly details?: Details;
  readonly budget?: WorkBudget;
  /** Runs the code of rules. Absent: it is off. */
  readonly runCode?: RunCode | undefined;
  /** Reads files that rules serve. Absent: none is read. */
  readonly readFile?: ReadRuleFile | undefined;
}

type AtOnce = EvaluateInput & { readonly runCode?: undefined; readonly readFile?: undefined };

/** Why there is no evaluation, other than URL_INVALID. */
export const TOO_MUCH_WORK = `the rules examine more than ${RULE_WORK_MAX} characters and values of this exchange`;

/** The result of the request's half. */
export interface RequestHalf extends ResponseActs {
  readonly outcome: Evaluation['outcome'];
  readonly location: string | null;
  /** The request for the upstream, if it is contacted. */
  readonly request: FinalRequest;
  readonly delayMs: number;
  readonly run: ExchangeRun;
}

/** Rules that act on the response, and a response of their own. */
interface ResponseActs {
  readonly responding: readonly MatchedRule[];
  readonly responseHeaders: readonly MatchedRule[];
  /** Answer in place of the upstream's: a preflight, or with a file. */
  readonly own: Answer | undefined;
}

const NO_ACTS: ResponseActs = { responding: [], responseHeaders: [], own: undefined };

/**
 * @returns The evaluation, or why there is none: TOO_MUCH_WORK or URL_INVALID. A promise only where the code of a rule runs, or
 * a file is read. Never throws.
 */
export function evaluate(table: RuleTable, exchange: Exchange, input?: AtOnce): Evaluation | string;
export function evaluate(table: RuleTable, exchange: Exchange, input: EvaluateInput): Later<Evaluation | string>;
export function evaluate(table: RuleTable, exchange: Exchange, input: EvaluateInput = {}): Later<Evaluation | string> {
  return whenThere(evaluateRequest(table, exchange.request, input), (half) =>
    typeof half === 'string' ? half : evaluateResponse(half, exchange.response),
  );
}

export function evaluateRequest(table: RuleTable, request: ExchangeRequest, input: AtOnce): RequestHalf | string;
export function evaluateRequest(
  table: RuleTable,
  request: ExchangeRequest,
  input: EvaluateInput,
): Later<RequestHalf | string>;
export function evaluateRequest(
  table: RuleTable,
  request: ExchangeRequest,
  input: EvaluateInput,
): Later<RequestHalf | string> {
  const url = parseUrl(request.url);
  if (url === undefined) return URL_INVALID;
  // All attempts have one budget.
  const given = input.readFile === undefined ? input : { ...input, budget: input.budget ?? { work: RULE_WORK_MAX } };
  return evaluateWith(NO_FILES, table, request, url, given);
}

const NO_FILES: ReadonlyMap<string, RuleFile> = new Map();

/** Files that one exchange may need: a rule that comes after so many that cannot be read is skipped. */
const FILES_MAX = 20;
const TOO_MANY_FILES: RuleFile = { problem: `is not read: at most ${FILES_MAX} files in one exchange` };

/**
 * Begins anew with each file that a rule is to serve, until none is wanted: URLs are decided before anything that has an effect.
 *
 * @param files Those that were read, by path.
 */
function evaluateWith(
  files: ReadonlyMap<string, RuleFile>,
  table: RuleTable,
  request: ExchangeRequest,
  url: WireUrl,
  input: EvaluateInput,
): Later<RequestHalf | string> {
  const { readFile } = input;
  const run = startRun(request, url, input, readFile && files);
  const half = actOnRequest(run, table, request, url, input);
  const { wantedFile } = run;
  if (wantedFile === undefined || readFile === undefined || run.isOverdrawn) return half;
  const read = files.size < FILES_MAX ? readFile(wantedFile) : Promise.resolve(TOO_MANY_FILES);
  return read.then((file) => evaluateWith(new Map(files).set(wantedFile, file), table, request, url, input));
}

function actOnRequest(
  run: ExchangeRun,
  table: RuleTable,
  request: ExchangeRequest,
  url: WireUrl,
  input: EvaluateInput,
): Later<RequestHalf | string> {
  const find = input.find ?? everyRule;
  const found = find(table, url);
  const plan = planPhases(table, found, run);

  const blocking = plan.matched.cancel.find((matched) => run.act('cancel', matched));
  if (blocking !== undefined) {
    noteNotReached(run, plan, blocking.rule);
    return halfOf('blocked', null, request, run);
  }
  if (input.skipsUrlRules !== true) actOnUrl(table, found, plan.urlRules, find, run);
  if (run.isOverdrawn || run.wantedFile !== undefined) return TOO_MUCH_WORK;
  if (run.file !== undefined && run.announced !== undefined) return preflightHalf(request, run, plan);
  const { file } = run;
  const isElsewhere = file === undefined && run.url.text !== url.text;
  if (isElsewhere && run.options.mode === 'redirect') {
    if (run.announced !== undefined) {
      run.url = url;
      return preflightHalf(request, run, plan);
    }
    run.answer = redirectTo(run);
    noteNotReached(run, { ...plan, urlRules: [] }, undefined);
    return halfOf('redirect', locationOf(run.url), request, run);
  }
  if (isElsewhere) run.headers = withHost(run.headers, url, run.url);
  if (plan.serving !== undefined && file === undefined) {
    run.answerPreflight(plan.serving);
    return preflightHalf(request, run, plan);
  }
  for (const matched of plan.matched.requestHeaders) run.act('requestHeaders', matched);
  return whenThere(actInOrder(run, 'requestBody', plan.matched.requestBody), () => {
    for (const matched of plan.matched.delay) run.act('delay', matched);
    if (run.isOverdrawn) return TOO_MUCH_WORK;
    const { response, responseHeaders } = plan.matched;
    const isServed =
      file !== undefined ||
      response.some(({ rule, pairs }) => pairs.some(({ shape }) => rule.kind.isServed?.(shape) === true));
    if (isRead(run) && response.some((matched) => replacesAnswer(matched, run)))
      run.headers = removeLines(run.headers, ...OF_ANOTHER_BODY);
    const acting = { responding: response, responseHeaders, own: file };
    return halfOf(isServed ? 'served' : 'forward', null, request, run, acting);
  });
}

/** They ask for a part of a body, or for none when the client has it: the upstream would not send what a rule is to replace. */
const OF_ANOTHER_BODY = ['if-none-match', 'if-modified-since', 'if-range', 'range'];

function replacesAnswer({ rule: { kind }, pairs: [pair] }: MatchedRule, { codeState }: ExchangeRun): boolean {
  if (pair === undefined || kind.replacesAnswer?.(pair.shape) !== true) return false;
  return codeState !== 'off' || kind.codeOf?.(pair.shape) === undefined;
}

const isRead = ({ facts: { method } }: ExchangeRun): boolean => method === 'GET' || method === 'HEAD';

/** To be called once for each half. @returns A promise only where the code of a rule runs. */
export function evaluateResponse(half: RequestHalf, upstream: Upstream | undefined): Later<Evaluation | string> {
  const { outcome, run } = half;
  if (outcome === 'blocked' || outcome === 'redirect') return evaluationOf(half, false);
  run.answer = outcome === 'served' ? half.own : answerOf(upstream);
  return whenThere(actInOrder(run, 'response', half.responding), () => {
    for (const matched of half.responseHeaders) run.act('responseHeaders', matched);
    return evaluationOf(half, outcome === 'forward' && upstream === undefined);
  });
}

/** Whether code would read the answer of the upstream. */
export function readsAnswer({ outcome, run, responding }: RequestHalf): boolean {
  if (outcome !== 'forward' || run.codeState === 'off') return false;
  return responding.some(
    ({ rule, pairs: [pair] }) => pair !== undefined && rule.kind.codeOf?.(pair.shape) !== undefined,
  );
}

/** Each rule acts on what the one before left. @returns A promise only where code runs. */
function actInOrder(
  run: ExchangeRun,
  phase: 'requestBody' | 'response',
  matched: readonly MatchedRule[],
  from = 0,
): Later<unknown> {
  for (let index = from; index < matched.length; index++) {
    const each = matched[index] as MatchedRule;
    const running = run.actByCode(phase, each);
    if (running !== undefined) return running.then(() => actInOrder(run, phase, matched, index + 1));
    run.act(phase, each);
  }
  return undefined;
}

function evaluationOf(half: RequestHalf, isUnknown: boolean): Evaluation | string {
  const { outcome, run } = half;
  run.reportWithoutEffect();
  const shown = run.skipped?.show(run.budget, run.isOwn);
  if (run.isOverdrawn) return TOO_MUCH_WORK;
  const evaluation = {
    outcome,
    request: half.request,
    response: isUnknown ? null : responseOf(run.answer),
    location: half.location,
    delayMs: half.delayMs,
    steps: run.steps,
    skipped: shown?.skipped ?? [],
    skippedCount: run.skipped?.count ?? 0,
    nextOffset: shown?.nextOffset ?? null,
  };
  return run.console.length === 0 ? evaluation : { ...evaluation, console: run.console };
}

/** @param files Undefined where none is read. */
function startRun(
  request: ExchangeRequest,
  url: WireUrl,
  input: EvaluateInput,
  files: ReadonlyMap<string, RuleFile> | undefined,
): ExchangeRun {
  const options: RunOptions = {
    mode: input.mode ?? 'redirect',
    delayMsMax: input.delayMsMax ?? RULE_DELAY_MS_MAX,
    random: input.random ?? Math.random,
    mockUrl: input.mockUrl,
    isOwn: input.ownAddresses?.has(addressOf(url)) ?? false,
    skipped: input.details === undefined ? undefined : new SkippedRules(input.details),
    runCode: input.runCode,
    files,
  };
  return new ExchangeRun(request, url, options, input.budget ?? { work: RULE_WORK_MAX });
}

function addressOf({ host, scheme }: WireUrl): string {
  if (/:\d+$/.test(host)) return host;
  return `${host}:${scheme === 'https' ? 443 : 80}`;
}

/** One pass: each rule is matched against the URL that the previous one left. */
function actOnUrl(
  table: RuleTable,
  found: readonly CompiledRule[],
  urlRules: readonly CompiledRule[],
  find: FindCandidates,
  run: ExchangeRun,
): void {
  let candidates = found;
  let rules = urlRules;
  for (let index = 0; index < rules.length && !run.endsUrlPhase; index++) {
    const rule = rules[index] as CompiledRule;
    const { url } = run;
    if (rule.kind.acting === 'each') run.actInTurn('url', rule);
    else actAtOnce(rule, run);
    if (run.url === url) continue;
    const next = find(table, run.url);
    if (next === candidates) continue;
    candidates = next;
    rules = next.filter((each) => each.createdVersion > rule.createdVersion && isUrlRule(each) && isLive(each, table));
    index = -1;
  }
}

/** Matches all pairs against the URL as it was before the rule. */
function actAtOnce(rule: CompiledRule, run: ExchangeRun): void {
  const pairs = matchPairs(rule, run.url, run.announced ?? run);
  if (!isMatch(pairs)) run.noteMiss(rule, pairs.pair, pairs.miss, run.url);
  else run.act('url', { rule, pairs });
}

/**
 * Notes the rules that would have acted later.
 *
 * @param ending The rule that ended the exchange, if it was a single one.
 */
function noteNotReached(run: ExchangeRun, { matched, urlRules }: Plan, ending: CompiledRule | undefined): void {
  if (run.skipped === undefined) return;
  const actual = ending === undefined ? 'redirected' : `blocked by ${ending.id}`;
  const miss: Miss = { reason: 'endedBefore', expected: 'an exchange that continues', actual };
  for (const { rule, pairs } of Object.values(matched).flat()) {
    for (const pair of pairs) if (rule !== ending) run.noteWithoutEffect(rule, pair, miss);
  }
  for (const rule of urlRules) {
    const pairs = matchPairs(rule, run.givenUrl, run);
    if (!isMatch(pairs)) run.noteMiss(rule, pairs.pair, pairs.miss, run.givenUrl);
    else for (const pair of pairs) run.noteWithoutEffect(rule, pair, miss);
  }
}

/**
 * A rule that redirects or answers the announced request answers its preflight, too: browsers treat a redirected preflight as
 * failed, and the upstream may not exist.
 */
function preflightHalf(request: ExchangeRequest, run: ExchangeRun, { matched }: Plan): RequestHalf {
  for (const { rule, pairs } of matched.requestHeaders) notePreflight(rule, pairs, run);
  const { responseHeaders } = matched;
  return halfOf('served', null, request, run, { responding: [], responseHeaders, own: preflightAnswer(run.facts) });
}

/** 307 keeps method and body. Browsers must not cache it, so that they notice when the rule is gone. */
function redirectTo({ url, facts }: ExchangeRun): Answer {
  const headers = [
    { name: 'location', value: locationOf(url) },
    { name: 'cache-control', value: 'no-cache' },
    ...crossOriginLines(facts, false),
  ];
  return { status: 307, statusText: undefined, headers, body: Buffer.alloc(0) };
}

/** A request to a new host must not carry the old host's name. A Host header that already differed is kept. */
function withHost(lines: HeaderLines, { host }: WireUrl, next: WireUrl): HeaderLines {
  const named = headerValue(lines, 'host')?.toLowerCase();
  return named === host && next.host !== host ? setLine(lines, 'host', next.host) : lines;
}

function halfOf(
  outcome: Evaluation['outcome'],
  location: string | null,
  request: ExchangeRequest,
  run: ExchangeRun,
  { responding, responseHeaders, own }: ResponseActs = NO_ACTS,
): RequestHalf {
  const isSent = outcome === 'forward' || outcome === 'served';
  const isElsewhere = isSent && run.url.text !== run.givenUrl.text;
  return {
    outcome,
    location,
    request: {
      method: request.method,
      url: isElsewhere ? run.url.text + run.url.fragment : request.url,
      headers: isSent ? run.headers : request.headers,
      body: isSent ? run.body : request.body,
    },
    delayMs: run.delayMs,
    run,
    responding,
    responseHeaders,
    own,
  };
}

/** Undefined when the upstream failed. An unknown response has no headers that a rule could remove. */
function answerOf(upstream: Upstream | undefined): Answer | undefined {
  if (upstream === undefined) return { status: undefined, statusText: undefined, headers: [], body: undefined };
  if ('failed' in upstream) return undefined;
  const { status, statusText, headers, body, unread } = upstream;
  return { status, statusText, headers, body, unread };
}

function responseOf(answer: Answer | undefined): FinalResponse | null {
  if (answer?.status === undefined) return null;
  const { status, statusText, headers, body } = answer;
  return statusText === undefined ? { status, headers, body } : { status, statusText, headers, body };
}
