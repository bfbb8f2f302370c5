/**
 * Requests of mocks to their upstreams on which the rules of the mock's owner act: `settings.proxy.rules`. The same functions decide
 * as for an exchange of the gateway. What the mock's settings edit is edited before rules, both of the request and of the answer.
 *
 * A rule that changes the URL changes where the request goes: the client of a mock is not sent elsewhere.
 */
import { STATUS_CODES } from 'node:http';
import type { ReplyHeadSent, RulesActed } from '../../forward/envelope.ts';
import type { Flow } from '../../forward/send.ts';
import { upstreamUrl, type UpstreamCall, type UpstreamFailure } from '../../forward/upstream-call.ts';
import type { FairShares } from '../../base/fair-shares.ts';
import type { ConsoleLine, SkippedRule } from '../../model/rule-reports.ts';
import type { RunCode } from '../../rules-table/code-call.ts';
import {
  evaluateRequest,
  evaluateResponse,
  readsAnswer,
  type RequestHalf,
  type Upstream,
} from '../../rules-table/evaluate.ts';
import type { CompiledRule } from '../../rules-table/compile-rule.ts';
import { bodyBytesMax, readsPayload, rulesReadingBody } from '../../rules-table/needs-body.ts';
import { headerValue, type HeaderLines } from '../../rules-table/header-list.ts';
import type { Evaluation, Step } from '../../rules-table/outcome.ts';
import { answerLines, leavesBase, oneByteEach, passesOf, passOn, requestLines, targetPath } from '../forward/lines.ts';
import type { Upstreams, UpstreamSink } from '../forward/upstreams.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { SecretKey } from '../recording/secrets.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';
import { AnswerBody } from './answer-body.ts';
import { COLLECTED_BYTES_MAX, readBody } from './collected-body.ts';
import type { GatewaySessions } from './gateway-sessions.ts';
import type { LiveRules } from './live-rules.ts';
import { toClientLines, rawLines, textOfBytes } from './message-lines.ts';
import { HeldAnswer, inTurn, takeTurn, TOO_MANY_WAIT } from './owner-turns.ts';
import type { RuleFiles } from './rule-files.ts';
import { answerOf, DISCARDED_BYTES_MAX, DISCARDED_MS, isBodyless, ruledRequest } from './ruled-messages.ts';
import { redactConsole, redactProblems } from './redact-exchange.ts';
import type { ExchangePolicy } from './exchange-policy.ts';

/** What applies rules, wherever its requests come from. */
export interface RulingParts {
  readonly rules: Pick<LiveRules, 'effectivePolicy'>;
  readonly sessions: Pick<GatewaySessions, 'find' | 'problemOf'>;
  readonly upstreams: Pick<Upstreams, 'send' | 'via'>;
  /** Runs the code of an owner's rules; undefined where code is off. */
  readonly codeOf: ((ownerId: string) => RunCode) | undefined;
  /** Reads files that rules serve, for one exchange of an owner; undefined where none is read. */
  readonly filesOf: ((ownerId: string) => RuleFiles) | undefined;
  /** The URL of a mock, with the placeholder `<mock_id>`. */
  readonly mockUrl: string;
  /** Those that rules read, by owner. */
  readonly bodies: WaitingBytes;
  /** The event loop of this process. */
  readonly shares: FairShares;
  /** By which what is kept has other digits in place of credentials. */
  readonly key: SecretKey;
  /** This server's own addresses as `host:port`: no rule applies to them. */
  readonly ownAddresses: Pick<ReadonlySet<string>, 'has'>;
  /** Whether a mock of this server answers there. */
  readonly isForMock: (origin: URL) => boolean;
}

/** More that acted are not named. */
const NAMED_MAX = 20;
const NONE: ReadonlySet<string> = new Set();
const NO_BODY: Buffer = Buffer.alloc(0);

export class RuledCall implements Pick<Flow, 'pause' | 'resume' | 'cancel'> {
  readonly #parts: RulingParts;
  readonly #recorder: Pick<Recorder, 'begin'>;
  readonly #call: UpstreamCall;
  readonly #body: Buffer;
  readonly #sink: UpstreamSink;
  readonly #upstream: URL;
  /** What rules see of the request, and its path byte by byte. */
  readonly #url: string;
  readonly #path: string;
  #half: RequestHalf | undefined;
  #target: URL;
  #flow: Pick<Flow, 'pause' | 'resume' | 'cancel'> | undefined;
  #capture: ReturnType<Recorder['begin']>;
  /** While an answer is collected for code. */
  #answerBody: AnswerBody | undefined;
  #files: RuleFiles | undefined;
  #timer: NodeJS.Timeout | undefined;
  #upstreamStatus = 0;
  /** The header lines of the request, and of the answer: as rules got them. */
  #requestHeaders: HeaderLines = [];
  #responseHeaders: HeaderLines = [];
  /** Rules that could not read the body. */
  #tooLarge: readonly CompiledRule[] = [];
  readonly #held = new HeldAnswer();
  /** Bytes of the upstream's body that were thrown away; undefined while it is passed on. */
  #discarded: number | undefined;
  /** Whether all of the upstream's answer has come. */
  #hasAll = false;
  #isOver = false;

  constructor(
    parts: RulingParts,
    recorder: Pick<Recorder, 'begin'>,
    call: UpstreamCall,
    body: Buffer,
    sink: UpstreamSink,
  ) {
    this.#parts = parts;
    this.#recorder = recorder;
    this.#call = call;
    this.#body = body;
    this.#sink = sink;
    this.#upstream = upstreamUrl(call.upstream);
    this.#target = this.#upstream;
    this.#path = targetPath(this.#upstream, call.path, call.query);
    this.#url = textOfBytes(`${this.#upstream.origin}${this.#path}`);
  }

  async begin(): Promise<void> {
    const { path, ownerId, rules } = this.#call;
    if (leavesBase(this.#upstream, path)) {
      return this.#fail('outsideBase', `${path} is outside ${this.#upstream.pathname}`);
    }
    const found = this.#parts.rules.effectivePolicy(ownerId);
    const base = found instanceof Promise ? await found : found;
    if (typeof base === 'string') return this.#fail('rules', base);
    // A session of the mock may be one of the gateway, too.
    const named = rules?.session ?? '';
    const session = named === '' ? undefined : await this.#parts.sessions.find(ownerId, named);
    if (this.#isOver) return undefined;
    return this.#runWith(session?.effectivePolicy(base) ?? base);
  }

  pause(): void {
    this.#flow?.pause();
  }

  resume(): void {
    this.#flow?.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#files?.release();
    this.#stopUpstream();
  }

  async #runWith({ table, find }: ExchangePolicy): Promise<void> {
    const { ownAddresses, bodies, shares, codeOf, mockUrl } = this.#parts;
    const { method, ownerId } = this.#call;
    this.#files = this.#parts.filesOf?.(ownerId);
    const runCode = codeOf?.(ownerId);
    // What this server adds at the end is added behind rules.
    const lines = toClientLines(requestLines(this.#call, this.#call.headers, this.#upstream, undefined));
    this.#requestHeaders = lines;
    const request = { method, url: this.#url, headers: lines };
    const readers = (): ReturnType<typeof rulesReadingBody> =>
      rulesReadingBody(table, request, find, runCode !== undefined);
    const reading = this.#body.length > 0 ? await inTurn(shares, ownerId, readers) : [];
    if (reading === undefined) return this.#fail('busy', TOO_MANY_WAIT);
    const coding = headerValue(lines, 'content-encoding');
    const bytesMax = bodyBytesMax(reading, COLLECTED_BYTES_MAX);
    const { body: read, unread } =
      reading.length > 0
        ? await readBody(this.#body, coding, bodies, ownerId, bytesMax)
        : { body: undefined, unread: undefined };
    const options = { find, ownAddresses, mode: 'rewrite', runCode, readFile: this.#files?.read, mockUrl } as const;
    const half = await inTurn(shares, ownerId, () =>
      this.#isOver ? undefined : evaluateRequest(table, { ...request, body: read, unread }, options),
    );
    if (read === undefined && reading.length > 0) this.#tooLarge = reading.filter(readsPayload);
    // A decoded one is held while it is read.
    if (read !== undefined && read !== this.#body) bodies.release(ownerId, read.length);
    if (this.#isOver) return undefined;
    if (half === undefined) return this.#fail('busy', TOO_MANY_WAIT);
    if (typeof half === 'string') return this.#fail('tooMuchWork', half);
    this.#half = half;
    const goOn = (): void =>
      half.outcome === 'forward'
        ? this.#send(half, lines, half.request.body === read ? this.#body : (half.request.body ?? NO_BODY))
        : this.#evaluate(half, undefined, (evaluation) => this.#answerWith(evaluation, undefined));
    if (half.delayMs === 0) return goOn();
    this.#timer = setTimeout(goOn, half.delayMs);
    return undefined;
  }

  #send(half: RequestHalf, lines: ReturnType<typeof toClientLines>, body: Buffer): void {
    const { upstreams, isForMock } = this.#parts;
    const { ownerId, kind = 'mock', timeoutMs, headers } = this.#call;
    const sent = ruledRequest(half, {
      url: this.#url,
      target: this.#upstream,
      path: this.#path,
      lines,
      via: upstreams.via,
    });
    this.#target = sent.target;
    const sink: UpstreamSink = {
      onHead: (head) => this.#onHead(half, head),
      onData: (chunk) => this.#held.pass(() => this.#onData(chunk)),
      onEnd: () =>
        this.#held.pass(() => {
          this.#hasAll = true;
          if (this.#answerBody === undefined) this.#end(() => this.#sink.onEnd());
          else this.#answerBody.end();
        }),
      onCut: () =>
        this.#held.pass(() => {
          if (this.#answerBody === undefined) this.#end(() => this.#sink.onCut());
          else this.#fail('lost', 'the response was cut off');
        }),
      onFailure: (failure, reason) => this.#onFailure(half, failure, reason),
    };
    this.#capture = this.#recorder.begin(this.#callAt(sent.target, sent.path), body, sink);
    this.#flow = upstreams.send(
      {
        ...sent,
        kind,
        ownerId,
        body: body.length === 0 ? null : body,
        timeoutMs,
        passes: passesOf(headers, upstreams.via),
        isForMock: isForMock(sent.target),
        answerLines: (received) => answerLines(this.#call, received, this.#upstream, upstreams.via),
      },
      this.#capture ?? sink,
    );
  }

  /** As it is recorded. */
  #callAt(target: URL, path: string): UpstreamCall {
    if (target === this.#upstream) return this.#call;
    const [asked = '', query = ''] = path.split(/\?(.*)/s);
    return { ...this.#call, upstream: target.origin, path: asked, query };
  }

  #onHead(half: RequestHalf, head: ReplyHeadSent): void {
    if (this.#isOver) return;
    this.#upstreamStatus = head.status;
    const answer = answerOf(head);
    this.#responseHeaders = answer.headers;
    if (!readsAnswer(half) || isBodyless(head.status, this.#call.method)) {
      return this.#held.hold(() => this.#onAnswer(half, answer, head), this.#flow);
    }
    this.#answerBody = new AnswerBody(answer.headers, this.#parts.bodies, this.#call.ownerId, (read) => {
      if (this.#isOver) return;
      this.#flow?.pause();
      this.#onAnswer(half, { ...answer, ...read }, head);
    });
    return this.#answerBody.begin();
  }

  #onAnswer(half: RequestHalf, answer: Exclude<Upstream, { failed: true }>, head: ReplyHeadSent): void {
    this.#evaluate(half, answer, (evaluation) => {
      const collected = this.#answerBody;
      this.#answerBody = undefined;
      const came = collected?.release();
      const given = { head, headers: answer.headers };
      const response = typeof evaluation === 'string' ? null : evaluation.response;
      const isKept = response !== null && response.body === answer.body;
      // Code has left it: it goes on as it came, with its coding.
      if (typeof evaluation === 'string' || !isKept || collected?.isWhole !== true) {
        this.#answerWith(evaluation, given);
      } else this.#answerWith({ ...evaluation, response: { ...response, body: came } }, given);
      if (came === undefined) return this.#held.release();
      if (collected?.isWhole === true) return;
      // Who gets what has come may ask for a pause.
      this.#flow?.resume();
      if (isKept && came.length > 0) this.#onData(came);
    });
  }

  /** @param next Called at once where no code runs, and the owner has its turn. */
  #evaluate(half: RequestHalf, upstream: Upstream | undefined, next: (found: Evaluation | string) => void): void {
    const onFault = (): void => this.#fail('lost', 'the rules could not be applied');
    const act = (): void => {
      const found = this.#isOver ? undefined : evaluateResponse(half, upstream);
      if (found === undefined) return undefined;
      if (!(found instanceof Promise)) return next(found);
      return void found.then((evaluation) => this.#isOver || next(evaluation)).catch(onFault);
    };
    if (takeTurn(this.#parts.shares, this.#call.ownerId, act, onFault)) return;
    this.#stopUpstream();
    this.#fail('busy', TOO_MANY_WAIT);
  }

  #onData(chunk: Buffer): void {
    if (this.#answerBody !== undefined) return this.#answerBody.take(chunk);
    if (this.#discarded === undefined) return this.#isOver ? undefined : this.#sink.onData(chunk);
    this.#discarded += chunk.length;
    return this.#discarded > DISCARDED_BYTES_MAX ? this.#stopUpstream() : undefined;
  }

  /** A rule may answer in place of an upstream that does not. */
  #onFailure(half: RequestHalf, kind: UpstreamFailure, reason: string): void {
    if (this.#isOver) return;
    if (half.responding.length === 0) return this.#fail(kind, reason);
    return this.#evaluate(half, { failed: true }, (evaluation) => {
      if (typeof evaluation !== 'object' || evaluation.response === null) return this.#fail(kind, reason);
      return this.#answerWith({ ...evaluation, outcome: 'served' }, undefined, kind);
    });
  }

  /** In the mode `rewrite` there are no redirects. @param given What the upstream has answered, where it has. */
  #answerWith(
    evaluation: Evaluation | string,
    given: { readonly head: ReplyHeadSent; readonly headers: Evaluation['request']['headers'] } | undefined,
    problem?: UpstreamFailure,
  ): void {
    if (typeof evaluation === 'string' || evaluation.response === null) {
      if (given !== undefined) this.#discard();
      const why = typeof evaluation === 'string' ? evaluation : 'the rules left no response';
      return this.#fail('tooMuchWork', why);
    }
    const { status, statusText = STATUS_CODES[status] ?? '', headers: lines, body: own } = evaluation.response;
    const isPassedOn =
      own === undefined && given !== undefined && !(isBodyless(status) && this.#upstreamStatus !== status);
    const body = isPassedOn ? undefined : (own ?? NO_BODY);
    const headers: string[] = [];
    passOn(rawLines(lines, given?.headers), NONE, (name, value) => headers.push(name, value));
    const reason = oneByteEach(statusText);
    if (/[\r\n\0]/.test(reason) || headers.some((each) => /[\r\n\0]/.test(each))) {
      if (given !== undefined) this.#discard();
      return this.#fail('invalid', 'the response head contains characters that cannot be sent');
    }
    const rules = this.#acted(evaluation.outcome as RulesActed['outcome'], evaluation.steps, problem);
    if (body === undefined)
      return this.#sink.onHead({ status, reason, headers, bodyBytes: given?.head.bodyBytes, rules });
    if (given !== undefined) this.#discard();
    this.#sink.onHead({ status, reason, headers, bodyBytes: isBodyless(status) ? 0 : body.length, rules });
    if (body.length > 0 && !isBodyless(status, this.#call.method)) this.#sink.onData(body);
    return this.#finish(() => this.#sink.onEnd());
  }

  #acted(outcome: RulesActed['outcome'], steps: readonly Step[], problem?: UpstreamFailure): RulesActed {
    const ruleIds = [...new Set(steps.map(({ ruleId }) => ruleId))].slice(0, NAMED_MAX);
    const acted = { outcome, ruleIds, host: this.#target.host, status: this.#upstreamStatus, problem };
    const { console = [], problems = [] } = this.#half?.run ?? {};
    const tooLarge = this.#tooLarge.map(({ id }) => ({ ruleId: id, reason: 'bodyTooLarge' }));
    const skipped = [...tooLarge, ...this.#shownProblems(problems)].slice(0, NAMED_MAX);
    return {
      ...acted,
      ...(skipped.length > 0 && { skipped }),
      ...(console.length > 0 && { console: this.#shown(console) }),
    };
  }

  #shown(console: readonly ConsoleLine[]): RulesActed['console'] {
    return redactConsole(this.#lines, console, this.#secrets);
  }

  #shownProblems(problems: readonly SkippedRule[]): readonly SkippedRule[] {
    return redactProblems(this.#lines, problems, this.#secrets);
  }

  get #lines() {
    return { requestHeaders: this.#requestHeaders, responseHeaders: this.#responseHeaders };
  }

  get #secrets() {
    return this.#parts.key.of(this.#call.recording?.redact ?? {});
  }

  /** The rest of the upstream's answer is not passed on. */
  #discard(): void {
    this.#discarded = 0;
    if (!this.#hasAll) this.#timer = setTimeout(() => this.#stopUpstream(), DISCARDED_MS);
  }

  #stopUpstream(): void {
    clearTimeout(this.#timer);
    this.#answerBody?.release();
    this.#flow?.cancel();
    this.#capture?.abort();
  }

  /** The upstream's answer is over. */
  #end(report: () => void): void {
    if (this.#discarded !== undefined) clearTimeout(this.#timer);
    else this.#finish(report);
  }

  #fail(kind: UpstreamFailure, reason: string): void {
    this.#finish(() => this.#sink.onFailure(kind, reason, this.#acted('failed', this.#half?.run.steps ?? [])));
  }

  #finish(report: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#answerBody?.release();
    report();
    this.#files?.release();
  }
}
