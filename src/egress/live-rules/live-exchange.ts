/**
 * One exchange of the gateway: the rules of its owner act on the request, the upstream is asked, and rules act on what it
 * answers. The same functions as those of a dry run decide (rules-table/evaluate.ts).
 *
 * Bodies stream both ways unless a rule replaces or reads them.
 */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Flow } from '../../forward/send.ts';
import { RECORDED_BODY_BYTES_MAX } from '../../limits.ts';
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import type { UpstreamFailure } from '../../forward/upstream-call.ts';
import type { ExchangeOutcome } from '../../model/gateway/exchange.ts';
import { pathWithin } from '../../model/mocks/sessions/address.ts';
import {
  evaluateRequest,
  evaluateResponse,
  readsAnswer,
  type RequestHalf,
  type Upstream,
} from '../../rules-table/evaluate.ts';
import type { HeaderLine } from '../../rules-table/header-list.ts';
import { rulesReadingBody } from '../../rules-table/needs-body.ts';
import type { Evaluation } from '../../rules-table/outcome.ts';
import { oneByteEach, passesOf } from '../forward/lines.ts';
import type { UpstreamRequest, UpstreamSink } from '../forward/upstreams.ts';
import type { Handshake } from '../listeners/handshakes.ts';
import type { GatewayTarget } from '../listeners/gateway-head.ts';
import { failureReply, type GatewayFailure } from '../listeners/gateway-replies.ts';
import { AnswerBody } from './answer-body.ts';
import { collectFor, passThrough, type CollectedBody } from './collected-body.ts';
import type { ExchangeLog } from './exchange-log.ts';
import { ExchangeNote, sessionHint, type ExchangeCaller } from './exchange-note.ts';
import { addressedLines, toClientLines, textOfBytes } from './message-lines.ts';
import { HeldAnswer, inTurn, takeTurn, TOO_MANY_WAIT } from './owner-turns.ts';
import type { RecordedExchanges } from './recorded-exchanges.ts';
import type { RedirectGuard } from './redirect-guard.ts';
import type { RulingParts } from './ruled-calls.ts';
import type { RuleFiles } from './rule-files.ts';
import {
  answerLines,
  answerOf,
  DISCARDED_BYTES_MAX,
  DISCARDED_MS,
  hasBody,
  isBodyless,
  pathOf,
  ruledRequest,
} from './ruled-messages.ts';
import { notAttached, portOf, type ExchangePolicy } from './exchange-policy.ts';

/** Time until the head of an answer; of a request that is still being sent. (shown: Gateway) */
const ANSWER_MS = 120_000;
const UPLOAD_MS = 600_000;

export interface ExchangeParts extends RulingParts {
  readonly log: Pick<ExchangeLog, 'add'>;
  readonly recorded: Pick<RecordedExchanges, 'begin'>;
  readonly redirects: RedirectGuard;
}

export class LiveExchange {
  readonly #parts: ExchangeParts;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #target: GatewayTarget;
  readonly #of: ExchangeCaller;
  readonly #handshake: Pick<Handshake, 'join'> | undefined;
  readonly #note: ExchangeNote;
  /** What rules see of the request. */
  readonly #url: string;
  readonly #lines: readonly HeaderLine[];
  #collected: CollectedBody | undefined;
  #flow: Pick<Flow, 'pause' | 'resume' | 'cancel'> | undefined;
  /** Present where bodies are recorded. */
  #capture: ReturnType<RecordedExchanges['begin']>;
  #sentAt = 0;
  readonly #held = new HeldAnswer();
  #files: RuleFiles | undefined;
  /** While an answer is collected for code. */
  #answerBody: AnswerBody | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasData = false;
  /** Whether the body of the request goes on as it comes. */
  #isUploading = false;
  /** Bytes of the upstream's body that were thrown away; undefined while it is passed on. */
  #discarded: number | undefined;
  #isOver = false;

  /** @param handshake Of a WebSocket: its request asks for one. */
  constructor(
    parts: ExchangeParts,
    req: IncomingMessage,
    res: ServerResponse,
    target: GatewayTarget,
    of: ExchangeCaller,
    handshake?: Pick<Handshake, 'join'>,
  ) {
    this.#handshake = handshake;
    this.#parts = parts;
    this.#req = req;
    this.#res = res;
    this.#target = target;
    this.#of = of;
    this.#url = textOfBytes(target.url);
    this.#lines = toClientLines(req.rawHeaders);
    this.#note = new ExchangeNote(parts.log, of, { method: req.method ?? '', url: this.#url, lines: this.#lines });
  }

  /** @param onOver Called once, when it is answered or its client has left. */
  async run(onOver: () => void): Promise<void> {
    this.#res.once('close', () => {
      const isAnswered = this.#res.writableFinished;
      this.#isOver = true;
      clearTimeout(this.#timer);
      if (isAnswered) this.#note.end();
      else this.#note.leave();
      if (this.#discarded !== undefined) setTimeout(() => this.#giveUp(), DISCARDED_MS).unref();
      else if (!isAnswered) this.#giveUp();
      this.#parts.bodies.release(this.#of.caller.ownerId, this.#collected?.heldBytes ?? 0);
      this.#answerBody?.release();
      this.#files?.release();
      onOver();
    });
    const found = this.#parts.rules.effectivePolicy(this.#of.caller.ownerId);
    const base = found instanceof Promise ? await found : found;
    if (this.#isOver) return undefined;
    if (typeof base === 'string') return this.#fail('rules', base);
    const policy = this.#of.session?.effectivePolicy(base) ?? base;
    this.#note.policy = policy;
    if (this.#of.missing !== undefined) return this.#fail('session', sessionHint(this.#of.missing));
    return this.#runIn(policy);
  }

  async #runIn(policy: ExchangePolicy): Promise<void> {
    const { ownAddresses, bodies, shares, redirects, codeOf, filesOf, mockUrl } = this.#parts;
    const { ownerId } = this.#of.caller;
    this.#files = filesOf?.(ownerId);
    const { table, find } = policy;
    // Clients of WebSockets follow no redirects.
    const mode = this.#handshake === undefined ? policy.mode : 'rewrite';
    const request = { method: this.#req.method ?? 'GET', url: this.#url, headers: this.#lines };
    const runCode = codeOf?.(ownerId);
    if (hasBody(this.#req)) {
      const reading = await inTurn(shares, ownerId, () => rulesReadingBody(table, request, find, codeOf !== undefined));
      if (this.#isOver) return undefined;
      if (reading === undefined) return this.#fail('busy', TOO_MANY_WAIT);
      if (reading.length > 0) {
        const collected = await collectFor(reading, this.#req, bodies, ownerId);
        if (this.#isOver) return bodies.release(ownerId, collected?.heldBytes ?? 0);
        // A client that leaves has an end of its own.
        if (collected === undefined) return undefined;
        this.#collected = collected;
        this.#isUploading = collected.read === undefined;
        this.#note.skipped = collected.skipped;
      }
    }
    const given = { ...request, body: this.#collected?.read, unread: this.#collected?.unread };
    const skipsUrlRules = mode === 'redirect' && redirects.follows(ownerId, this.#client, this.#url);
    const options = { find, mode, ownAddresses, skipsUrlRules, runCode, readFile: this.#files?.read, mockUrl };
    const half = await inTurn(shares, ownerId, () =>
      this.#isOver ? undefined : evaluateRequest(table, given, options),
    );
    if (this.#isOver) return undefined;
    if (half === undefined) return this.#fail('busy', TOO_MANY_WAIT);
    if (typeof half === 'string') return this.#refuse(half);
    this.#note.half = half;
    if (half.outcome === 'blocked' || half.outcome === 'redirect') return this.#answerItself(half);
    if (half.delayMs === 0) return this.#goOn(half, policy);
    this.#timer = setTimeout(() => this.#goOn(half, policy), half.delayMs);
    return undefined;
  }

  #goOn(half: RequestHalf, policy: ExchangePolicy): void {
    if (half.outcome === 'served' && this.#handshake === undefined) this.#answerItself(half);
    else this.#send(half, policy);
  }

  /** Sessions of one address are as clients of their own. */
  get #client(): string {
    return `${this.#target.client ?? this.#req.socket.remoteAddress ?? ''} ${this.#of.session?.id ?? ''}`;
  }

  /** Without the upstream. */
  #answerItself(half: RequestHalf): void {
    this.#evaluate(half, undefined, (evaluation) => {
      if (typeof evaluation === 'string') return this.#refuse(evaluation);
      const { outcome, location } = evaluation;
      if (location !== null) this.#parts.redirects.note(this.#of.caller.ownerId, this.#client, location);
      return this.#answerWith(evaluation, outcome, undefined);
    });
  }

  /** @param next Called at once where no code runs, and the owner has its turn. */
  #evaluate(half: RequestHalf, upstream: Upstream | undefined, next: (found: Evaluation | string) => void): void {
    const onFault = (): void => void this.#res.destroy();
    const act = (): void => {
      const found = this.#isOver ? undefined : evaluateResponse(half, upstream);
      if (found === undefined) return undefined;
      if (!(found instanceof Promise)) return next(found);
      return void found.then((evaluation) => this.#isOver || next(evaluation)).catch(onFault);
    };
    if (takeTurn(this.#parts.shares, this.#of.caller.ownerId, act, onFault)) return;
    this.#giveUp();
    this.#fail('busy', TOO_MANY_WAIT);
  }

  #send(half: RequestHalf, policy: ExchangePolicy): void {
    const { url, headers } = half.request;
    const { origin: target, path } = url === this.#url ? this.#target : { origin: new URL(url), path: pathOf(url) };
    // The host that rules have left decides.
    const attached = policy.attachOf(target.hostname, portOf(target));
    this.#note.attached = attached;
    const isForMock = attached !== undefined || this.#parts.isForMock(target);
    if (!isForMock && policy.others === 'refuse') {
      const { kind, reason } = notAttached(target.host);
      return this.#onFailure(half, kind, reason, target.host);
    }
    const wanted =
      isForMock &&
      this.#of.session !== undefined &&
      this.#parts.sessions.problemOf(this.#of.session, { attached, hostname: target.hostname, path, headers });
    if (wanted === undefined || wanted === false) return this.#sendTo(target, half, policy, isForMock);
    return void Promise.resolve(wanted).then((problem) => {
      if (this.#isOver) return undefined;
      if (problem !== undefined) return this.#fail('session', problem, target.host);
      return this.#sendTo(target, half, policy, isForMock);
    });
  }

  #sendTo(target: URL, half: RequestHalf, policy: ExchangePolicy, isForMock: boolean): void {
    const { upstreams } = this.#parts;
    const { request } = half;
    const { headers, path, ...ruled } = ruledRequest(half, {
      url: this.#url,
      target,
      path: this.#target.path,
      lines: this.#lines,
      via: upstreams.via,
    });
    const isReplaced = request.body !== this.#collected?.read;
    // Its client may wait until all of it is taken.
    if (isReplaced) this.#req.resume();
    const body = isReplaced ? request.body : (this.#collected?.sent ?? this.#bodyOfRequest());
    const sent: UpstreamRequest = {
      kind: 'gateway',
      ownerId: this.#of.caller.ownerId,
      ...ruled,
      path: this.#note.attached === undefined ? path : pathWithin(this.#note.attached, path),
      headers: addressedLines(headers, policy, target, { attached: this.#note.attached, isForMock }),
      body: body ?? null,
      timeoutMs: body === undefined || Buffer.isBuffer(body) ? ANSWER_MS : UPLOAD_MS,
      passes: passesOf(this.#req.rawHeaders, upstreams.via),
      isForMock,
      upgrade: this.#handshake && 'websocket',
      answerLines: (lines) => lines,
    };
    const sink: UpstreamSink = {
      onHead: (head) => this.#onHead(half, head),
      onUpgrade: (head, socket) => this.#onUpgrade(half, head, socket),
      onData: (chunk) => this.#held.pass(() => this.#onData(chunk)),
      onEnd: () =>
        this.#held.pass(() => {
          if (this.#answerBody !== undefined) this.#answerBody.end();
          else if (this.#discarded === undefined) this.#res.end();
        }),
      onCut: () =>
        this.#held.pass(() => {
          if (this.#answerBody !== undefined) this.#fail('lost', 'the response was cut off', target.host);
          else if (this.#discarded === undefined) this.#res.destroy();
        }),
      onFailure: (kind, reason) => this.#onFailure(half, kind, reason, target.host),
    };
    // What is behind the handshake of a WebSocket is not kept.
    if (this.#handshake === undefined) this.#capture = this.#parts.recorded.begin(sent, policy, sink);
    this.#note.recording = this.#capture?.number;
    if (this.#isUploading && sent.body !== null && !Buffer.isBuffer(sent.body)) {
      // What has come of it before would be missing.
      if (this.#collected !== undefined) this.#capture?.requestBody.omit('tooLarge');
      else this.#capture?.follow(this.#req);
    }
    this.#sentAt = performance.now();
    this.#flow = upstreams.send(sent, this.#capture ?? sink);
  }

  /** What has not come yet of the upstream's answer. */
  #giveUp(): void {
    this.#flow?.cancel();
    this.#capture?.abort();
  }

  /** A stream of its own: its end, when the upstream is lost, must not be that of the client's connection. */
  #bodyOfRequest(): Readable | undefined {
    if (!hasBody(this.#req)) return undefined;
    this.#isUploading = true;
    return this.#req.pipe(passThrough());
  }

  #onHead(half: RequestHalf, head: ReplyHeadSent): void {
    if (this.#isOver) return;
    this.#note.upstreamMs = performance.now() - this.#sentAt;
    const answer = answerOf(head);
    const { headers } = answer;
    this.#note.upstream = { status: head.status, headers };
    if (!readsAnswer(half) || isBodyless(head.status, this.#req.method)) {
      return this.#held.hold(() => this.#onAnswer(half, answer, headers), this.#flow);
    }
    this.#answerBody = new AnswerBody(headers, this.#parts.bodies, this.#of.caller.ownerId, (read) => {
      if (this.#isOver || this.#res.headersSent) return;
      this.#flow?.pause();
      this.#onAnswer(half, { ...answer, ...read }, headers);
    });
    return this.#answerBody.begin();
  }

  #onAnswer(half: RequestHalf, answer: Exclude<Upstream, { failed: true }>, headers: readonly HeaderLine[]): void {
    this.#evaluate(half, answer, (evaluation) => {
      const collected = this.#answerBody;
      this.#answerBody = undefined;
      const came = collected?.release();
      if (typeof evaluation === 'string') {
        this.#discarded = 0;
        this.#giveUp();
        return this.#refuse(evaluation);
      }
      const isKept = evaluation.response?.body === answer.body;
      if (!isKept) this.#discarded = 0;
      const { response } = evaluation;
      // It goes on as it came, with its coding.
      const isWhole = isKept && collected?.isWhole === true && response !== null;
      this.#answerWith(
        isWhole ? { ...evaluation, response: { ...response, body: came } } : evaluation,
        'forward',
        headers,
      );
      if (came === undefined) return this.#held.release();
      // The rest of one that is replaced is thrown away.
      this.#flow?.resume();
      if (isKept && came.length > 0 && !this.#res.writableEnded) this.#onData(came);
    });
  }

  /** Response rules have no answer to replace there. */
  #onUpgrade(half: RequestHalf, head: ReplyHeadSent, socket: Socket): void {
    socket.once('error', () => undefined);
    const { headers } = answerOf(head);
    this.#note.upstream = { status: head.status, headers };
    this.#evaluate({ ...half, outcome: 'forward', responding: [] }, answerOf(head), (evaluation) => {
      if (typeof evaluation === 'string') {
        socket.destroy();
        return this.#refuse(evaluation);
      }
      this.#hasData = true;
      this.#answerWith(evaluation, 'forward', headers);
      if (this.#res.headersSent && this.#res.statusCode === 101) return this.#handshake?.join(socket);
      return void socket.destroy();
    });
  }

  #onData(chunk: Buffer): void {
    if (this.#answerBody !== undefined) return this.#answerBody.take(chunk);
    if (this.#discarded !== undefined) {
      this.#discarded += chunk.length;
      const bytesMax = this.#capture === undefined ? DISCARDED_BYTES_MAX : RECORDED_BODY_BYTES_MAX;
      if (this.#discarded > bytesMax) this.#giveUp();
      return;
    }
    this.#hasData = true;
    if (this.#res.write(chunk)) return;
    this.#flow?.pause();
    this.#res.once('drain', () => this.#flow?.resume());
  }

  /** A rule may answer in place of an upstream that does not. */
  #onFailure(half: RequestHalf, kind: UpstreamFailure | 'notAttached', reason: string, host: string): void {
    if (this.#isOver) return;
    if (half.responding.length === 0) return this.#fail(kind, reason, host);
    return this.#evaluate(half, { failed: true }, (evaluation) => {
      if (typeof evaluation !== 'object' || evaluation.response === null) return this.#fail(kind, reason, host);
      return this.#answerWith(evaluation, 'served', undefined, { kind, reason });
    });
  }

  /** @param given The lines that came from the upstream, if it has answered. */
  #answerWith(
    { response, steps, location, delayMs }: Evaluation,
    outcome: ExchangeOutcome,
    given: readonly HeaderLine[] | undefined,
    problem?: { readonly kind: string; readonly reason: string },
  ): void {
    if (response === null) return this.#fail('invalid', 'the response was lost');
    const { status, statusText = STATUS_CODES[status] ?? '', headers, body } = response;
    const isPassedOn = body === undefined && given !== undefined;
    const raw = answerLines(response, given, this.#parts.upstreams.via, this.#req.method);
    if (!this.#writeHead(status, oneByteEach(statusText), raw, outcome === 'forward')) {
      this.#giveUp();
      return this.#fail(
        'invalid',
        'the response head contains characters that cannot be sent',
        this.#target.origin.host,
      );
    }
    this.#note.keep({
      outcome,
      status,
      statusText,
      responseHeaders: headers,
      steps,
      location,
      delayMs,
      problem: problem?.kind,
      reason: problem?.reason,
      written: this.#note.policy?.recordsBodies === true ? body : undefined,
    });
    if (body !== undefined) this.#res.end(body);
    else if (!isPassedOn) this.#res.end();
    // A head goes out with what follows at once, and does not wait for what comes later.
    else setImmediate(() => this.#hasData || this.#isOver || this.#res.flushHeaders());
    return undefined;
  }

  #writeHead(status: number, reason: string, raw: readonly string[], isOfUpstream: boolean): boolean {
    const res = this.#res;
    res.sendDate = !isOfUpstream;
    // Nobody reads the rest of a body that was being sent on. One that nobody has begun to read is thrown away as it comes.
    if (this.#isUploading && !this.#req.complete) res.shouldKeepAlive = false;
    try {
      res.writeHead(status, reason, [...raw]);
      return true;
    } catch {
      return false;
    }
  }

  /** @param problem As evaluating reports it. */
  #refuse(problem: string): void {
    this.#fail(problem.startsWith('must be') ? 'malformed' : 'tooMuchWork', problem);
  }

  #fail(kind: GatewayFailure, reason: string, host?: string): void {
    if (this.#isOver || this.#res.headersSent) return;
    const { status, headers, body } = failureReply(kind, reason, host);
    this.#note.fail(kind, reason, { status, headers: toClientLines(headers), host });
    if (this.#writeHead(status, STATUS_CODES[status] ?? '', headers, false)) this.#res.end(body);
    else this.#res.destroy();
  }
}
