/** An exchange of the gateway: its client is a connection, and the log keeps what came of it. */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { whenThere, type Later } from '../../base/later.ts';
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import { pathWithin } from '../../model/mocks/sessions/address.ts';
import type { CompiledRule } from '../../rules-table/compile-rule.ts';
import type { RequestHalf } from '../../rules-table/evaluate.ts';
import type { HeaderLine } from '../../rules-table/header-list.ts';
import { oneByteEach, passesOf } from '../forward/lines.ts';
import type { UpstreamRequest, UpstreamSink } from '../forward/upstreams.ts';
import type { Handshake } from '../listeners/handshakes.ts';
import type { GatewayTarget } from '../listeners/gateway-head.ts';
import { failureReply, type GatewayFailure } from '../listeners/gateway-replies.ts';
import type { Capture } from '../recording/capture.ts';
import { collectFor, passThrough, type CollectedBody } from './collected-body.ts';
import type { ExchangeLog } from './exchange-log.ts';
import { ExchangeNote, sessionHint, type ExchangeCaller } from './exchange-note.ts';
import { notAttached, portOf, type ExchangePolicy } from './exchange-policy.ts';
import { addressedLines, textOfBytes, toClientLines } from './message-lines.ts';
import type { RecordedExchanges } from './recorded-exchanges.ts';
import type { RedirectGuard } from './redirect-guard.ts';
import { RuleExchange, type GivenAnswer, type RuledAnswer, type RulingParts } from './rule-exchange.ts';
import { answerLines, answerOf, hasBody, pathOf, ruledRequest } from './ruled-messages.ts';

/** Time until the head of an answer; of a request that is still being sent. (shown: Gateway) */
const ANSWER_MS = 120_000;
const UPLOAD_MS = 600_000;

export interface ExchangeParts extends RulingParts {
  readonly log: Pick<ExchangeLog, 'add'>;
  readonly recorded: Pick<RecordedExchanges, 'begin'>;
  readonly redirects: RedirectGuard;
}

interface ReceivedExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Set for a WebSocket: its request asks for one. */
  readonly handshake: Pick<Handshake, 'join'> | undefined;
}

export class LiveExchange extends RuleExchange {
  declare protected readonly parts: ExchangeParts;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #target: GatewayTarget;
  readonly #of: ExchangeCaller;
  readonly #handshake: Pick<Handshake, 'join'> | undefined;
  readonly #note: ExchangeNote;
  /** URL for rules. */
  readonly #url: string;
  readonly #lines: readonly HeaderLine[];
  #collected: CollectedBody | undefined;
  #sentAt = 0;
  #hasData = false;
  /** The length of a body that is passed on, where the head says it. */
  #bodyBytes: number | undefined;
  /** Whether the body of the request goes on as it comes. */
  #isUploading = false;

  constructor(
    parts: ExchangeParts,
    { req, res, handshake }: ReceivedExchange,
    target: GatewayTarget,
    of: ExchangeCaller,
  ) {
    super(parts, of.caller.ownerId);
    this.#handshake = handshake;
    this.#req = req;
    this.#res = res;
    this.#target = target;
    this.#of = of;
    this.#url = textOfBytes(target.url);
    this.#lines = toClientLines(req.rawHeaders);
    this.#note = new ExchangeNote(parts.log, of, { method: req.method ?? '', url: this.#url, lines: this.#lines });
  }

  /** @param onOver Called once, when it is answered or its client has left. */
  begin(onOver: () => void): Later<void> {
    let isClosed = false;
    this.#res.on('close', () => {
      if (isClosed) return;
      isClosed = true;
      if (this.#res.writableFinished) {
        this.#note.end();
        this.end();
      } else {
        this.#note.leave(this.half);
        this.leave();
      }
      onOver();
    });
    return whenThere(this.parts.rules.effectivePolicy(this.ownerId), (base) => {
      if (this.isOver) return undefined;
      if (typeof base === 'string') return this.fail('rules', base);
      const policy = this.#of.session?.effectivePolicy(base) ?? base;
      this.#note.policy = policy;
      if (this.#of.missing !== undefined) return this.fail('session', sessionHint(this.#of.missing));
      const { redirects } = this.parts;
      const request = {
        method: this.#req.method ?? 'GET',
        url: this.#url,
        headers: this.#lines,
        hasBody: hasBody(this.#req),
      };
      // Clients of WebSockets follow no redirects.
      if (this.#handshake !== undefined || policy.mode === 'rewrite') return this.run(policy, request, 'rewrite');
      return this.run(policy, request, 'redirect', () => redirects.follows(this.ownerId, this.#client, this.#url));
    });
  }

  protected override async collect(reading: readonly CompiledRule[]): Promise<CollectedBody | undefined> {
    const collected = await collectFor(reading, this.#req, this.parts.bodies, this.ownerId);
    if (collected === undefined) return undefined;
    this.#collected = collected;
    this.#isUploading = collected.read === undefined;
    this.#note.skipped = collected.skipped;
    return collected;
  }

  protected override answersItself(half: RequestHalf): boolean {
    // Response rules have no answer to replace there.
    return this.#handshake === undefined && super.answersItself(half);
  }

  /** Sessions of one address are as clients of their own. */
  get #client(): string {
    return `${this.#target.client ?? this.#req.socket.remoteAddress ?? ''} ${this.#of.session?.id ?? ''}`;
  }

  protected override send(half: RequestHalf, policy: ExchangePolicy): void {
    const { url, headers } = half.request;
    const { origin: target, path } = url === this.#url ? this.#target : { origin: new URL(url), path: pathOf(url) };
    this.host = target.host;
    // The host that rules have left decides.
    const attached = policy.attachOf(target.hostname, portOf(target));
    this.#note.attached = attached;
    const isForMock = attached !== undefined || this.parts.isForMock(target);
    if (!isForMock && policy.others === 'refuse') {
      const { kind, reason } = notAttached(target.host);
      return this.failUnlessAnswered(kind, reason);
    }
    const wanted =
      isForMock &&
      this.#of.session !== undefined &&
      this.parts.sessions.problemOf(this.#of.session, { attached, hostname: target.hostname, path, headers });
    if (wanted === undefined || wanted === false) return this.#sendTo(target, half, policy, isForMock);
    return void Promise.resolve(wanted).then((problem) => {
      if (this.isOver) return undefined;
      if (problem !== undefined) return this.fail('session', problem, target.host);
      return this.#sendTo(target, half, policy, isForMock);
    });
  }

  #sendTo(target: URL, half: RequestHalf, policy: ExchangePolicy, isForMock: boolean): void {
    const { via } = this.parts.upstreams;
    const { attached } = this.#note;
    const given = { url: this.#url, target, path: this.#target.path, lines: this.#lines, via };
    const ruled = ruledRequest(half, given);
    const { body: ruledBody } = half.request;
    const isReplaced = ruledBody !== this.#collected?.read;
    // Its client may wait until all of it is taken.
    if (isReplaced) this.#req.resume();
    const body = isReplaced ? ruledBody : (this.#collected?.sent ?? this.#bodyOfRequest());
    const sent: UpstreamRequest = {
      kind: 'gateway',
      ownerId: this.ownerId,
      method: ruled.method,
      target: ruled.target,
      path: attached === undefined ? ruled.path : pathWithin(attached, ruled.path),
      headers: addressedLines(ruled.headers, policy, target, { attached, isForMock }),
      body: body ?? null,
      timeoutMs: body === undefined || Buffer.isBuffer(body) ? ANSWER_MS : UPLOAD_MS,
      passes: passesOf(this.#req.rawHeaders, via),
      isForMock,
      upgrade: this.#handshake && 'websocket',
      answerLines: (lines) => lines,
    };
    this.ask(sent, target.host, (sink) => this.#record(sent, policy, sink));
  }

  #record(sent: UpstreamRequest, policy: ExchangePolicy, sink: UpstreamSink): Capture | undefined {
    this.#sentAt = performance.now();
    // What is behind the handshake of a WebSocket is not kept.
    const capture = this.#handshake === undefined ? this.parts.recorded.begin(sent, policy, sink) : undefined;
    if (capture === undefined) return undefined;
    this.#note.recording = capture.number;
    if (this.#isUploading && sent.body !== null && !Buffer.isBuffer(sent.body)) {
      // What has come of it before would be missing.
      if (this.#collected !== undefined) capture.requestBody.omit('tooLarge');
      else capture.follow(this.#req);
    }
    return capture;
  }

  /** A stream of its own: its end, when the upstream is lost, must not be that of the client's connection. */
  #bodyOfRequest(): Readable | undefined {
    if (!hasBody(this.#req)) return undefined;
    this.#isUploading = true;
    return this.#req.pipe(passThrough());
  }

  protected override onGiven({ head, headers }: GivenAnswer): void {
    this.#note.upstreamMs = performance.now() - this.#sentAt;
    this.#note.upstream = { status: head.status, headers };
  }

  onUpgrade(head: ReplyHeadSent, socket: Socket): void {
    socket.once('error', () => undefined);
    const { half } = this;
    if (half === undefined) return void socket.destroy();
    const answered = answerOf(head);
    const given = { head, headers: answered.headers };
    this.#note.upstream = { status: head.status, headers: given.headers };
    this.evaluate({ ...half, outcome: 'forward', responding: [] }, answered, (evaluation) => {
      this.#hasData = true;
      this.answerWith(evaluation, given, true);
      if (this.#res.headersSent && this.#res.statusCode === 101) return this.#handshake?.join(socket);
      return void socket.destroy();
    });
  }

  protected override answer({ evaluation, response, given, isPassedOn, problem }: RuledAnswer): boolean {
    const { status, statusText = STATUS_CODES[status] ?? '', headers, body } = response;
    const { outcome, steps, location, delayMs } = evaluation;
    const raw = answerLines(response, given?.headers, this.parts.upstreams.via, this.#req.method);
    if (!this.#writeHead(status, oneByteEach(statusText), raw, outcome === 'forward')) return false;
    if (location !== null) this.parts.redirects.note(this.ownerId, this.#client, location);
    this.#note.keep(this.half, {
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
    this.#bodyBytes = given?.head.bodyBytes;
    if (!isPassedOn) this.#res.end(body);
    // A head goes out with what follows at once, and does not wait for what comes later.
    else queueMicrotask(() => this.#hasData || this.isOver || this.#res.flushHeaders());
    return true;
  }

  protected override onBody(chunk: Buffer): void {
    this.#hasData = true;
    // A body that has come at once is written at once: its end follows.
    if (chunk.length === this.#bodyBytes) return void this.#res.end(chunk);
    if (this.#res.write(chunk)) return;
    this.pause();
    this.#res.once('drain', () => this.resume());
  }

  protected override onBodyEnd(): void {
    if (!this.#res.writableEnded) this.#res.end();
  }

  protected override onBodyCut(): void {
    if (!this.#res.writableEnded) this.#res.destroy();
  }

  protected override onFault(): void {
    this.#res.destroy();
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

  protected override refuse(problem: string): void {
    this.fail(problem.startsWith('must be') ? 'malformed' : 'tooMuchWork', problem);
  }

  protected override fail(kind: GatewayFailure, reason: string, host?: string): void {
    if (this.isOver || this.#res.headersSent) return;
    const { status, headers, body } = failureReply(kind, reason, host);
    this.#note.fail(this.half, kind, reason, { status, headers: toClientLines(headers), host });
    if (this.#writeHead(status, STATUS_CODES[status] ?? '', headers, false)) this.#res.end(body);
    else this.#res.destroy();
  }
}
