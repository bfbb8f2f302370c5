/**
 * One exchange of the gateway: the rules of its owner act on the request, the upstream is asked, and rules act on what it
 * answers. The same functions as those of a dry run decide (rules-table/evaluate.ts).
 *
 * Bodies stream both ways unless a rule replaces or reads them.
 */
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Flow } from '../../forward/send.ts';
import { RECORDED_BODY_BYTES_MAX } from '../../limits.ts';
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import type { UpstreamFailure } from '../../forward/upstream-call.ts';
import type { ExchangeOutcome, ExchangeRecord } from '../../model/gateway/exchange.ts';
import { evaluateRequest, evaluateResponse, type RequestHalf, type Upstream } from '../../rules-table/evaluate.ts';
import type { HeaderLine } from '../../rules-table/header-list.ts';
import { rulesReadingBody } from '../../rules-table/needs-body.ts';
import type { Evaluation } from '../../rules-table/outcome.ts';
import { oneByteEach, passesOf } from '../forward/lines.ts';
import type { UpstreamRequest, Upstreams, UpstreamSink } from '../forward/upstreams.ts';
import type { GatewayTarget } from '../listeners/gateway-head.ts';
import { failureReply, type GatewayFailure } from '../listeners/gateway-replies.ts';
import type { GatewayCaller } from '../process/gateway-messages.ts';
import type { WaitingBytes } from '../recording/waiting-bytes.ts';
import { collectBody, passThrough, type CollectedBody } from './collected-body.ts';
import type { ExchangeLog, GivenExchange } from './exchange-log.ts';
import type { GatewaySession, GatewaySessions } from './gateway-sessions.ts';
import type { LiveRules } from './live-rules.ts';
import { attachedLines, linesOf, sentLines, textOfBytes, withSession } from './message-lines.ts';
import type { RecordedExchanges } from './recorded-exchanges.ts';
import type { RedirectGuard } from './redirect-guard.ts';
import { notAttached, portOf, type World } from './world.ts';

/** How long the head of an answer may take; longer for a request whose body is still being sent. */
const ANSWER_MS = 120_000;
const UPLOAD_MS = 600_000;
/** How much is read of a body that a rule replaces, to keep the connection. */
const DISCARDED_BYTES_MAX = 65_536;
const DISCARDED_MS = 1_000;

export interface ExchangeParts {
  readonly rules: Pick<LiveRules, 'worldOf'>;
  readonly sessions: Pick<GatewaySessions, 'find' | 'mockWanted'>;
  readonly upstreams: Pick<Upstreams, 'send' | 'via'>;
  readonly log: Pick<ExchangeLog, 'add'>;
  readonly recorded: Pick<RecordedExchanges, 'begin'>;
  /** By owner. */
  readonly bodies: WaitingBytes;
  readonly redirects: RedirectGuard;
  /** This server's own addresses as `host:port`: no rule applies to them. */
  readonly ownAddresses: ReadonlySet<string>;
  /** Whether a mock of this server answers there. */
  readonly isForMock: (origin: URL) => boolean;
}

/** Whose exchange it is, and in which session. */
export interface ExchangeCaller {
  readonly caller: GatewayCaller;
  readonly session: GatewaySession | undefined;
}

export class LiveExchange {
  readonly #parts: ExchangeParts;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #target: GatewayTarget;
  readonly #caller: GatewayCaller;
  readonly #session: GatewaySession | undefined;
  readonly #startedAt = performance.now();
  readonly #time = Date.now();
  /** What rules see of the request. */
  readonly #url: string;
  readonly #lines: readonly HeaderLine[];
  #world: World | undefined;
  /** The mock that answers for the host. */
  #attached: string | undefined;
  #half: RequestHalf | undefined;
  #skipped: ExchangeRecord['skipped'] = [];
  #upstream: ExchangeRecord['upstream'];
  #collected: CollectedBody | undefined;
  #flow: Pick<Flow, 'pause' | 'resume' | 'cancel'> | undefined;
  /** Present where bodies are recorded. */
  #capture: ReturnType<RecordedExchanges['begin']>;
  #sentAt = 0;
  #upstreamMs: number | undefined;
  /** Takes when the answer was sent as a whole. */
  #noteEnd: ((totalMs: number) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasData = false;
  /** Whether the body of the request goes on as it comes. */
  #isUploading = false;
  /** Bytes of the upstream's body that were thrown away; undefined while it is passed on. */
  #discarded: number | undefined;
  #isOver = false;

  constructor(
    parts: ExchangeParts,
    req: IncomingMessage,
    res: ServerResponse,
    target: GatewayTarget,
    { caller, session }: ExchangeCaller,
  ) {
    this.#parts = parts;
    this.#req = req;
    this.#res = res;
    this.#target = target;
    this.#caller = caller;
    this.#session = session;
    this.#url = textOfBytes(target.url);
    this.#lines = linesOf(req.rawHeaders);
  }

  /** @param onOver Called once, when it is answered or its client has left. */
  async run(onOver: () => void): Promise<void> {
    this.#res.once('close', () => {
      const isAnswered = this.#res.writableFinished;
      this.#isOver = true;
      clearTimeout(this.#timer);
      if (isAnswered) this.#noteEnd?.(performance.now() - this.#startedAt);
      if (this.#discarded !== undefined) setTimeout(() => this.#giveUp(), DISCARDED_MS).unref();
      else if (!isAnswered) this.#giveUp();
      this.#parts.bodies.release(this.#caller.ownerId, this.#collected?.heldBytes ?? 0);
      onOver();
    });
    const found = this.#parts.rules.worldOf(this.#caller.ownerId);
    const base = found instanceof Promise ? await found : found;
    if (this.#isOver) return undefined;
    if (typeof base === 'string') return this.#fail('rules', base);
    const world = this.#session === undefined ? base : this.#session.worldOf(base);
    this.#world = world;
    return this.#runIn(world);
  }

  async #runIn(world: World): Promise<void> {
    const { ownAddresses, bodies, redirects } = this.#parts;
    const { ownerId } = this.#caller;
    const { table, find, mode } = world;
    const method = this.#req.method ?? 'GET';
    const request = { method, url: this.#url, headers: this.#lines };
    if (hasBody(this.#req)) {
      const reading = rulesReadingBody(table, request, find);
      if (reading.length > 0) {
        // A client that leaves has an end of its own.
        this.#collected = await collectBody(this.#req, bodies, ownerId).catch(() => undefined);
        if (this.#isOver) return bodies.release(ownerId, this.#collected?.heldBytes ?? 0);
        if (this.#collected === undefined) return undefined;
        if (this.#collected.read === undefined) {
          this.#isUploading = true;
          this.#skipped = reading.map(({ id }) => ({ ruleId: id, reason: 'bodyTooLarge' }));
        }
      }
    }
    const half = evaluateRequest(
      table,
      { ...request, body: this.#collected?.read },
      {
        find,
        mode,
        ownAddresses,
        skipsUrlRules: mode === 'redirect' && redirects.follows(ownerId, this.#client, this.#url),
      },
    );
    if (typeof half === 'string') return this.#refuse(half);
    this.#half = half;
    if (half.outcome === 'blocked' || half.outcome === 'redirect') return this.#answerItself(half);
    if (half.delayMs === 0) return this.#goOn(half, world);
    this.#timer = setTimeout(() => this.#goOn(half, world), half.delayMs);
    return undefined;
  }

  #goOn(half: RequestHalf, world: World): void {
    if (half.outcome === 'served') this.#answerItself(half);
    else this.#send(half, world);
  }

  /** Sessions of one address are as clients of their own. */
  get #client(): string {
    return `${this.#req.socket.remoteAddress ?? ''} ${this.#session?.id ?? ''}`;
  }

  /** Without the upstream. */
  #answerItself(half: RequestHalf): void {
    const evaluation = evaluateResponse(half, undefined);
    if (typeof evaluation === 'string') return this.#refuse(evaluation);
    const { outcome, location } = evaluation;
    if (location !== null) this.#parts.redirects.note(this.#caller.ownerId, this.#client, location);
    return this.#answerWith(evaluation, outcome, undefined);
  }

  #send(half: RequestHalf, world: World): void {
    const target = half.request.url === this.#url ? this.#target.origin : new URL(half.request.url);
    // The host that rules have left decides.
    this.#attached = world.attachOf(target.hostname, portOf(target));
    const isForMock = this.#attached !== undefined || this.#parts.isForMock(target);
    if (!isForMock && world.others === 'refuse') {
      const { kind, reason } = notAttached(target.host);
      return this.#onFailure(half, kind, reason, target.host);
    }
    const wanted = this.#session && this.#attached && this.#parts.sessions.mockWanted(this.#session, this.#attached);
    if (!(wanted instanceof Promise)) return this.#sendTo(target, half, world, isForMock);
    return void wanted.then((problem) => {
      if (this.#isOver) return undefined;
      if (problem !== undefined) return this.#fail('session', problem, target.host);
      return this.#sendTo(target, half, world, isForMock);
    });
  }

  #sendTo(target: URL, half: RequestHalf, world: World, isForMock: boolean): void {
    const { upstreams } = this.#parts;
    const { request } = half;
    const isElsewhere = request.url !== this.#url;
    const given = this.#collected?.read;
    const isReplaced = request.body !== given;
    // Its client may wait until all of it is taken.
    if (isReplaced) this.#req.resume();
    const body = isReplaced ? request.body : (this.#collected?.sent ?? this.#bodyOfRequest());
    const sent: UpstreamRequest = {
      kind: 'gateway',
      ownerId: this.#caller.ownerId,
      method: request.method,
      target,
      path: isElsewhere ? pathOf(request.url) : this.#target.path,
      headers: this.#addressed(sentLines(request.headers, this.#lines, upstreams.via, true), world, target),
      body: body ?? null,
      timeoutMs: body === undefined || Buffer.isBuffer(body) ? ANSWER_MS : UPLOAD_MS,
      passes: passesOf(this.#req.rawHeaders, upstreams.via),
      isForMock,
      answerLines: (lines) => lines,
    };
    const sink: UpstreamSink = {
      onHead: (head) => this.#onHead(half, head),
      onData: (chunk) => this.#onData(chunk),
      onEnd: () => {
        if (this.#discarded === undefined) this.#res.end();
      },
      onCut: () => {
        if (this.#discarded === undefined) this.#res.destroy();
      },
      onFailure: (kind, reason) => this.#onFailure(half, kind, reason, target.host),
    };
    this.#capture = this.#parts.recorded.begin(sent, world, sink);
    if (this.#isUploading) this.#capture?.follow(this.#req);
    this.#sentAt = performance.now();
    this.#flow = upstreams.send(sent, this.#capture ?? sink);
  }

  /** What has not come yet of the upstream's answer. */
  #giveUp(): void {
    this.#flow?.cancel();
    this.#capture?.abort();
  }

  /** @param sent Names and values, alternating. */
  #addressed(sent: string[], { sessionId, propagates }: World, target: URL): string[] {
    if (this.#attached !== undefined) return attachedLines(sent, this.#attached, sessionId);
    if (sessionId === undefined || !propagates(target.hostname, portOf(target))) return sent;
    return withSession(sent, sessionId);
  }

  /** A stream of its own: its end, when the upstream is lost, must not be that of the client's connection. */
  #bodyOfRequest(): Readable | undefined {
    if (!hasBody(this.#req)) return undefined;
    this.#isUploading = true;
    return this.#req.pipe(passThrough());
  }

  #onHead(half: RequestHalf, head: ReplyHeadSent): void {
    if (this.#isOver) return;
    const headers = linesOf(head.headers);
    this.#upstreamMs = performance.now() - this.#sentAt;
    this.#upstream = { status: head.status, headers };
    const answer: Upstream = { status: head.status, statusText: textOfBytes(head.reason), headers, body: undefined };
    const evaluation = evaluateResponse(half, answer);
    if (typeof evaluation === 'string') {
      this.#discarded = 0;
      this.#giveUp();
      return this.#refuse(evaluation);
    }
    if (evaluation.response?.body !== undefined) this.#discarded = 0;
    return this.#answerWith(evaluation, 'forward', headers);
  }

  #onData(chunk: Buffer): void {
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
    const evaluation = half.responding.length === 0 ? undefined : evaluateResponse(half, { failed: true });
    if (typeof evaluation !== 'object' || evaluation.response === null) return this.#fail(kind, reason, host);
    return this.#answerWith(evaluation, 'served', undefined, { kind, reason });
  }

  /** @param given The lines that came from the upstream, if it has answered. */
  #answerWith(
    { response, steps, location, delayMs }: Evaluation,
    outcome: ExchangeOutcome,
    given: readonly HeaderLine[] | undefined,
    problem?: { readonly kind: string; readonly reason: string },
  ): void {
    if (response === null) return this.#fail('invalid', 'the answer is lost');
    const { status, statusText = STATUS_CODES[status] ?? '', headers, body } = response;
    const isPassedOn = body === undefined && given !== undefined;
    const raw =
      given === undefined
        ? headers.flatMap(({ name, value }) => [name, oneByteEach(value)])
        : sentLines(headers, given, this.#parts.upstreams.via, isPassedOn);
    if (body !== undefined && !isBodyless(status, this.#req.method)) raw.push('content-length', `${body.length}`);
    if (!this.#writeHead(status, oneByteEach(statusText), raw, outcome === 'forward')) {
      this.#giveUp();
      return this.#fail(
        'invalid',
        'the head of the answer has characters that cannot be sent',
        this.#target.origin.host,
      );
    }
    this.#record({
      outcome,
      status,
      statusText,
      responseHeaders: headers,
      steps,
      location,
      delayMs,
      problem: problem?.kind,
      reason: problem?.reason,
      written: this.#world?.recordsBodies === true ? body : undefined,
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
    const half = this.#half;
    this.#record({
      outcome: 'failed',
      status,
      statusText: STATUS_CODES[status] ?? '',
      responseHeaders: linesOf(headers),
      steps: half?.run.steps ?? [],
      location: null,
      delayMs: half?.delayMs ?? 0,
      problem: kind,
      reason,
    });
    if (this.#writeHead(status, STATUS_CODES[status] ?? '', headers, false)) this.#res.end(body);
    else this.#res.destroy();
  }

  #record(
    answered: Pick<
      GivenExchange,
      | 'outcome'
      | 'status'
      | 'statusText'
      | 'responseHeaders'
      | 'steps'
      | 'location'
      | 'delayMs'
      | 'problem'
      | 'reason'
      | 'written'
    >,
  ): void {
    const exchange = {
      time: this.#time,
      user: this.#caller.userId,
      session: this.#session?.id,
      method: this.#req.method ?? '',
      url: this.#url,
      ruleIds: [...new Set(answered.steps.map(({ ruleId }) => ruleId))],
      ms: performance.now() - this.#startedAt,
      requestHeaders: this.#lines,
      upstream: this.#upstream,
      skipped: this.#skipped,
      version: this.#world?.version ?? 0,
      attached: this.#attached,
      upstreamMs: this.#upstreamMs,
      recording: this.#capture?.number,
      ...answered,
    };
    this.#noteEnd = this.#parts.log.add(this.#caller.ownerId, exchange, this.#world?.redact);
    this.#session?.note(exchange);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isBodyless(status: number, method = ''): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** The path and query of a URL as rules write it. */
function pathOf(url: string): string {
  const [, path = ''] = /^https?:\/\/[^/?#]*([^#]*)/i.exec(url) ?? [];
  return path.startsWith('/') ? path : `/${path}`;
}
