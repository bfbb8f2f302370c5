/**
 * Core of an exchange under rules: the rules of its owner act on the request, the upstream is asked, and rules act on what it answers. The
 * same functions as those of a dry run decide (rules-table/evaluate.ts). Who asks is an end of its own: a client of the gateway
 * (live-exchange.ts), or a mock that sends a request on (ruled-calls.ts).
 *
 * Bodies stream both ways unless a rule replaces or reads them. The rest of an answer that is not passed on is read within bounds: the
 * connection can then be used again, and what is recorded of it is whole.
 */
import type { FairShares } from '../../base/fair-shares.ts';
import type { Later } from '../../base/later.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import type { Flow } from '../../forward/send.ts';
import type { UpstreamFailure } from '../../forward/upstream-call.ts';
import { RECORDED_BODY_BYTES_MAX } from '../../limits.ts';
import type { RunCode } from '../../rules-table/code-call.ts';
import type { CompiledRule } from '../../rules-table/compile-rule.ts';
import {
  evaluateRequest,
  evaluateResponse,
  readsAnswer,
  type EvaluateInput,
  type RequestHalf,
  type Upstream,
} from '../../rules-table/evaluate.ts';
import type { HeaderLines } from '../../rules-table/header-list.ts';
import { rulesReadingBody } from '../../rules-table/needs-body.ts';
import type { Evaluation, FinalResponse, UnreadReason } from '../../rules-table/outcome.ts';
import type { UpstreamRequest, Upstreams, UpstreamSink } from '../forward/upstreams.ts';
import type { Capture } from '../recording/capture.ts';
import type { SecretKey } from '../recording/secrets.ts';
import { AnswerBody } from './answer-body.ts';
import type { ExchangePolicy } from './exchange-policy.ts';
import type { GatewaySessions } from './gateway-sessions.ts';
import type { LiveRules } from './live-rules.ts';
import { HeldAnswer, inTurn, takeTurn, TOO_MANY_WAIT } from './owner-turns.ts';
import type { RuleFiles } from './rule-files.ts';
import { answerOf, DISCARDED_BYTES_MAX, DISCARDED_MS, isBodyless } from './ruled-messages.ts';

/** Parts that apply rules, wherever the requests come from. */
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

/** A request as rules see it, before its body is read. */
interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderLines;
}

/** The body of a request, collected for rules. */
export interface ReadRequestBody {
  /** Decoded; undefined when it was too large. */
  readonly read: Buffer | undefined;
  readonly unread: UnreadReason | undefined;
  /** To be released at the end. */
  readonly heldBytes: number;
}

/** Answer of the upstream. */
export interface GivenAnswer {
  readonly head: ReplyHeadSent;
  /** Headers for rules. */
  readonly headers: HeaderLines;
}

/** Answer behind rules. */
export interface RuledAnswer {
  readonly evaluation: Evaluation;
  readonly response: FinalResponse;
  /** Undefined where rules answer without the upstream. */
  readonly given: GivenAnswer | undefined;
  /** Whether the body follows as it comes from the upstream. */
  readonly isPassedOn: boolean;
  /** Why the upstream has not answered. */
  readonly problem: { readonly kind: ExchangeFailure; readonly reason: string } | undefined;
}

type ExchangeFailure = UpstreamFailure | 'notAttached';

export abstract class RuleExchange implements UpstreamSink {
  protected readonly parts: RulingParts;
  protected readonly ownerId: string;
  protected half: RequestHalf | undefined;
  /** The host that was asked last. */
  protected host: string | undefined;
  /** Nobody waits for an answer any more. */
  protected isOver = false;
  #flow: Pick<Flow, 'pause' | 'resume' | 'cancel'> | undefined;
  /** Present where the exchange is recorded. */
  #capture: Capture | undefined;
  #collected: ReadRequestBody | undefined;
  #files: RuleFiles | undefined;
  /** While an answer is collected for code. */
  #answerBody: AnswerBody | undefined;
  readonly #held = new HeldAnswer();
  #delay: NodeJS.Timeout | undefined;
  #drain: NodeJS.Timeout | undefined;
  /** Bytes of the upstream's body that were thrown away; undefined while it is passed on. */
  #discarded: number | undefined;
  /** Whether all of the upstream's answer has come. */
  #hasAll = false;

  constructor(parts: RulingParts, ownerId: string) {
    this.parts = parts;
    this.ownerId = ownerId;
  }

  /** Reads the body for rules. @returns Undefined where the client has left. */
  protected abstract collect(reading: readonly CompiledRule[]): Promise<ReadRequestBody | undefined>;
  /** Sends what rules have left of the request, by `ask`; or fails. */
  protected abstract send(half: RequestHalf, policy: ExchangePolicy): void;
  /** @returns Whether the head could be sent. The body follows by `onBody` where it is passed on. */
  protected abstract answer(answer: RuledAnswer): boolean;
  protected abstract onBody(chunk: Buffer): void;
  protected abstract onBodyEnd(): void;
  protected abstract onBodyCut(): void;
  /** Answers with a failure, unless it is answered. @param host Where one was asked. */
  protected abstract fail(kind: ExchangeFailure, reason: string, host?: string): void;
  /** Fails for what evaluating reports. */
  protected abstract refuse(problem: string): void;
  /** Ends it for a fault of this program. */
  protected abstract onFault(): void;
  /** The upstream has answered. */
  protected onGiven?(given: GivenAnswer): void;

  /** @param skipsUrlRules Asked when the body is there. @returns A promise where the body is read for rules. */
  protected run(
    policy: ExchangePolicy,
    request: ReceivedRequest & { readonly hasBody: boolean },
    mode: ExchangePolicy['mode'],
    skipsUrlRules?: () => boolean,
  ): Later<void> {
    this.#files = this.parts.filesOf?.(this.ownerId);
    const decide = (): void => this.#decide(policy, request, mode, skipsUrlRules?.() ?? false);
    return request.hasBody ? this.#read(policy, request, decide) : decide();
  }

  /** Reads the body where rules read it. @param next Called unless there is an answer then. */
  async #read({ table, find }: ExchangePolicy, request: ReceivedRequest, next: () => void): Promise<void> {
    const { ownerId } = this;
    const { bodies, shares, codeOf } = this.parts;
    const reading = await inTurn(shares, ownerId, () => rulesReadingBody(table, request, find, codeOf !== undefined));
    if (this.isOver) return undefined;
    if (reading === undefined) return this.fail('busy', TOO_MANY_WAIT);
    if (reading.length > 0) {
      const collected = await this.collect(reading);
      if (this.isOver) return bodies.release(ownerId, collected?.heldBytes ?? 0);
      // A client that leaves has an end of its own.
      if (collected === undefined) return undefined;
      this.#collected = collected;
    }
    return next();
  }

  /** Has rules act on the request. */
  #decide(
    policy: ExchangePolicy,
    request: ReceivedRequest,
    mode: ExchangePolicy['mode'],
    skipsUrlRules: boolean,
  ): void {
    const { ownerId, parts } = this;
    const { ownAddresses, shares, codeOf, mockUrl } = parts;
    const { method, url, headers } = request;
    const given = { method, url, headers, body: this.#collected?.read, unread: this.#collected?.unread };
    const options: EvaluateInput = {
      find: policy.find,
      mode,
      ownAddresses,
      skipsUrlRules,
      runCode: codeOf?.(ownerId),
      readFile: this.#files?.read,
      mockUrl,
    };
    const onFault = (): void => this.onFault();
    const act = (): void => {
      const half = this.isOver ? undefined : evaluateRequest(policy.table, given, options);
      if (half === undefined) return undefined;
      if (!(half instanceof Promise)) return this.#goOn(half, policy);
      return void half.then((found) => this.#goOn(found, policy)).catch(onFault);
    };
    if (!takeTurn(shares, ownerId, act, onFault)) this.fail('busy', TOO_MANY_WAIT);
  }

  #goOn(half: RequestHalf | string, policy: ExchangePolicy): void {
    if (this.isOver) return undefined;
    if (typeof half === 'string') return this.refuse(half);
    this.half = half;
    if (half.outcome === 'blocked' || half.outcome === 'redirect') return this.#answerWithout(half);
    const send = (): void => (this.answersItself(half) ? this.#answerWithout(half) : this.send(half, policy));
    if (half.delayMs === 0) return send();
    this.#delay = setTimeout(send, half.delayMs);
    return undefined;
  }

  /** Whether rules answer in place of the upstream. */
  protected answersItself({ outcome }: RequestHalf): boolean {
    return outcome === 'served';
  }

  /** @param record Begins a recording, whose sink takes the answer and passes it on. */
  protected ask(sent: UpstreamRequest, host: string, record: (sink: UpstreamSink) => Capture | undefined): void {
    this.host = host;
    this.#capture = record(this);
    this.#flow = this.parts.upstreams.send(sent, this.#capture ?? this);
  }

  pause(): void {
    this.#flow?.pause();
  }

  resume(): void {
    this.#flow?.resume();
  }

  /** It is answered, or its client has left. */
  protected end(): void {
    this.isOver = true;
    clearTimeout(this.#delay);
    this.parts.bodies.release(this.ownerId, this.#collected?.heldBytes ?? 0);
    this.#collected = undefined;
    this.#answerBody?.release();
    this.#files?.release();
  }

  /** Its client has left. */
  protected leave(): void {
    this.end();
    if (this.#discarded === undefined) this.giveUp();
  }

  /** Gives up the rest of the upstream's answer. */
  protected giveUp(): void {
    clearTimeout(this.#drain);
    this.#flow?.cancel();
    this.#capture?.abort();
  }

  #answerWithout(half: RequestHalf): void {
    this.evaluate(half, undefined, (evaluation) => this.answerWith(evaluation, undefined, false));
  }

  /** @param next Called at once where no code runs, and the owner has its turn. */
  protected evaluate(
    half: RequestHalf,
    upstream: Upstream | undefined,
    next: (found: Evaluation | string) => void,
  ): void {
    const onFault = (): void => this.onFault();
    const act = (): void => {
      const found = this.isOver ? undefined : evaluateResponse(half, upstream);
      if (found === undefined) return undefined;
      if (!(found instanceof Promise)) return next(found);
      return void found.then((evaluation) => this.isOver || next(evaluation)).catch(onFault);
    };
    if (takeTurn(this.parts.shares, this.ownerId, act, onFault)) return;
    this.giveUp();
    this.fail('busy', TOO_MANY_WAIT);
  }

  onHead(head: ReplyHeadSent): void {
    const { half } = this;
    if (this.isOver || half === undefined) return undefined;
    const answer = answerOf(head);
    const given = { head, headers: answer.headers };
    this.onGiven?.(given);
    if (!readsAnswer(half) || isBodyless(head.status, half.request.method)) {
      return this.#held.hold(() => this.#onAnswer(half, answer, given), this.#flow);
    }
    this.#answerBody = new AnswerBody(answer.headers, this.parts.bodies, this.ownerId, (read) => {
      if (this.isOver) return;
      this.#flow?.pause();
      this.#onAnswer(half, { ...answer, ...read }, given);
    });
    return this.#answerBody.begin();
  }

  #onAnswer(half: RequestHalf, answer: Exclude<Upstream, { failed: true }>, given: GivenAnswer): void {
    this.evaluate(half, answer, (evaluation) => {
      const collected = this.#answerBody;
      this.#answerBody = undefined;
      const came = collected?.release();
      const response = typeof evaluation === 'string' ? null : evaluation.response;
      const isKept = response !== null && response.body === answer.body;
      const isOther = response !== null && isBodyless(response.status) && response.status !== given.head.status;
      // It goes on as it came, with its coding.
      if (isKept && collected?.isWhole === true) {
        return this.answerWith({ ...(evaluation as Evaluation), response: { ...response, body: came } }, given, false);
      }
      this.answerWith(evaluation, given, isKept && !isOther);
      if (came === undefined) return this.#held.release();
      this.#flow?.resume();
      if (came.length > 0) this.#take(came);
      return undefined;
    });
  }

  onData(chunk: Buffer): void {
    this.#held.pass(() => this.#take(chunk));
  }

  #take(chunk: Buffer): void {
    if (this.#answerBody !== undefined) return this.#answerBody.take(chunk);
    if (this.#discarded === undefined) return this.isOver ? undefined : this.onBody(chunk);
    this.#discarded += chunk.length;
    const bytesMax = this.#capture === undefined ? DISCARDED_BYTES_MAX : RECORDED_BODY_BYTES_MAX;
    return this.#discarded > bytesMax ? this.giveUp() : undefined;
  }

  onEnd(): void {
    this.#held.pass(() => {
      this.#hasAll = true;
      clearTimeout(this.#drain);
      if (this.#answerBody !== undefined) this.#answerBody.end();
      else if (this.#discarded === undefined && !this.isOver) this.onBodyEnd();
    });
  }

  onCut(): void {
    this.#held.pass(() => {
      clearTimeout(this.#drain);
      if (this.#answerBody !== undefined) this.fail('lost', 'the response was cut off', this.host);
      else if (this.#discarded === undefined && !this.isOver) this.onBodyCut();
    });
  }

  onFailure(kind: UpstreamFailure, reason: string): void {
    this.failUnlessAnswered(kind, reason);
  }

  /** Fails, unless a rule answers in place of an upstream that does not. */
  protected failUnlessAnswered(kind: ExchangeFailure, reason: string): void {
    const { half, host } = this;
    if (this.isOver) return undefined;
    if (half === undefined || half.responding.length === 0) return this.fail(kind, reason, host);
    return this.evaluate(half, { failed: true }, (evaluation) => {
      if (typeof evaluation !== 'object' || evaluation.response === null) return this.fail(kind, reason, host);
      return this.answerWith({ ...evaluation, outcome: 'served' }, undefined, false, { kind, reason });
    });
  }

  /** Answers with what rules have left, or fails where that cannot be sent. */
  protected answerWith(
    evaluation: Evaluation | string,
    given: GivenAnswer | undefined,
    isPassedOn: boolean,
    problem?: RuledAnswer['problem'],
  ): void {
    if (given !== undefined && !isPassedOn) this.#discard();
    if (typeof evaluation === 'string') return this.refuse(evaluation);
    const { response } = evaluation;
    if (response === null) return this.fail('invalid', 'the rules left no response');
    if (this.answer({ evaluation, response, given, isPassedOn, problem })) return undefined;
    if (isPassedOn) this.#discard();
    return this.fail('invalid', 'the response head contains characters that cannot be sent', this.host);
  }

  /** The rest of the upstream's answer is not passed on. */
  #discard(): void {
    this.#discarded = 0;
    if (!this.#hasAll) this.#drain = setTimeout(() => this.giveUp(), DISCARDED_MS).unref();
  }
}
