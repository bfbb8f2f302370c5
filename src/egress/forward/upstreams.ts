/**
 * Sends calls to upstreams, and passes on how they are answered. Connections are kept for each owner apart, and made where the
 * policy allows alone (policy/connector.ts). Redirects are not followed.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { errors } from 'undici';
import type { ReplyHeadSent, RulesActed } from '../../forward/envelope.ts';
import { send, type Flow, type Incoming, type Outgoing } from '../../forward/send.ts';
import {
  upstreamUrl,
  type UpstreamCall,
  type UpstreamFailure,
  type UpstreamKind,
} from '../../forward/upstream-call.ts';
import {
  UPSTREAM_CONNECTIONS_MAX,
  UPSTREAM_IDLE_MS,
  UPSTREAM_ORIGINS_MAX,
  UPSTREAM_PASSES_MAX,
  UPSTREAM_SILENCE_MS,
} from '../../limits.ts';
import { AddressPolicy, AddressRefused, type PolicySettings } from '../policy/address-policy.ts';
import { peerConnector } from '../policy/peer-connector.ts';
import { ConnectError, ownPortConnector, policedConnector, type Lookup, type OwnPort } from '../policy/connector.ts';
import { answerLines, leavesBase, oneByteEach, passesOf, requestLines, targetPath, headerValue } from './lines.ts';
import { OwnerPools, type OriginPool } from './owner-pools.ts';
import { UpstreamFigures } from './upstream-figures.ts';

/** A request as it is sent. */
export interface UpstreamRequest {
  /** Kind in the figures. */
  readonly kind: UpstreamKind;
  /** Whose connections it uses. */
  readonly ownerId: string;
  readonly method: string;
  /** Its origin is what is connected to. */
  readonly target: URL;
  readonly path: string;
  /** Names and values, alternating, as they are written. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | null;
  readonly timeoutMs: number;
  /** How often this server has passed it on before. */
  readonly passes: number;
  /** Whether its path leads out of that of its upstream: it is refused. */
  readonly isOutsideBase?: boolean;
  /** Whether it is for the port of mocks of this server, whatever its host. */
  readonly isForMock?: boolean;
  /** The internal address of the node whose gateway it is for: its own connections lead there, whatever the target. */
  readonly node?: string;
  /** The protocol that is asked for. */
  readonly upgrade?: string | undefined;
  /** The header lines of the answer as they are passed on. */
  readonly answerLines: (lines: readonly string[]) => readonly string[];
}

/** Receives the outcome: `onHead` and the rest of the answer, or `onFailure`. */
export interface UpstreamSink {
  /** The header lines that the upstream gets: names and values, alternating. */
  onSending?(lines: readonly string[]): void;
  onHead(head: ReplyHeadSent): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** In place of a head: the connection has the protocol that was asked for. */
  onUpgrade?(head: ReplyHeadSent, socket: Socket): void;
  /** The rest of the answer does not come. */
  onCut(): void;
  /** @param rules Present where rules act on such requests. */
  onFailure(kind: UpstreamFailure, reason: string, rules?: RulesActed): void;
}

interface UpstreamsSettings {
  readonly policy: PolicySettings;
  readonly instance: string;
  readonly ca: readonly string[];
  readonly insecure: readonly string[];
  /** That of the system by default. */
  readonly lookup?: Lookup;
  /** UPSTREAM_SILENCE_MS by default. */
  readonly silenceMs?: number;
  /** Where requests for mocks of this server go. */
  readonly mocks?: OwnPort | undefined;
  /** By which nodes of a cluster know each other, in base64. */
  readonly peerKey?: string | undefined;
}

/** A request that may be sent again without having another effect. */
const REPEATED: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Statuses that are not counted by any mock: no standard has them. */
const STATUS_MAX = 599;

export class Upstreams {
  readonly figures = new UpstreamFigures();
  readonly #connect: ReturnType<typeof policedConnector>;
  readonly #connectToMocks: ReturnType<typeof policedConnector> | undefined;
  readonly #peerKey: Buffer | undefined;
  /** Names this server in `via`. */
  readonly via: string;
  readonly #silenceMs: number;
  readonly #owners = new Map<string, OwnerPools>();

  constructor(settings: UpstreamsSettings) {
    const { policy, instance, ca, insecure, lookup, mocks, peerKey, silenceMs = UPSTREAM_SILENCE_MS } = settings;
    this.#silenceMs = silenceMs;
    this.via = `1.1 switchyard-${instance}`;
    this.#connectToMocks = mocks && ownPortConnector(mocks);
    this.#peerKey = peerKey === undefined ? undefined : Buffer.from(peerKey, 'base64');
    this.#connect = this.figures.counted(
      policedConnector({
        policy: new AddressPolicy(policy),
        ca,
        insecure,
        ...(lookup === undefined ? {} : { lookup }),
      }),
    );
  }

  /** @returns The flow of the answer; nothing is called after its `cancel`. */
  forward(call: UpstreamCall, body: Buffer, sink: UpstreamSink): Pick<Flow, 'pause' | 'resume' | 'cancel'> {
    const target = upstreamUrl(call.upstream);
    const path = targetPath(target, call.path, call.query);
    return this.send(
      {
        kind: call.kind ?? 'mock',
        ownerId: call.ownerId,
        method: call.method,
        target,
        path,
        headers: requestLines(call, call.headers, target, this.via),
        body: body.length === 0 ? null : body,
        timeoutMs: call.timeoutMs,
        passes: passesOf(call.headers, this.via),
        isOutsideBase: leavesBase(target, call.path),
        answerLines: (lines) => answerLines(call, lines, target, this.via),
      },
      sink,
    );
  }

  /** Sends like `forward`, for a request that is sent as it is. */
  send(request: UpstreamRequest, sink: UpstreamSink): Pick<Flow, 'pause' | 'resume' | 'cancel'> {
    const { figures } = this;
    const { kind } = request;
    const forwarding = new Forwarding(request, sink, { silenceMs: this.#silenceMs, figures });
    const [key, ...connections] = this.#connectionsOf(request);
    const owner = this.#take(key, ...connections);
    figures.begin(kind);
    forwarding.begin(owner, () => {
      figures.end(kind);
      this.#release(key, owner);
    });
    return forwarding;
  }

  /** A plain connection where the policy allows one. */
  connect(host: string, port: number): Promise<Socket | { readonly kind: UpstreamFailure; readonly reason: string }> {
    return new Promise((resolve) => {
      this.#connect({ hostname: host, protocol: 'http:', port: `${port}`, host }, (error, socket) =>
        resolve(error === null ? socket : { kind: failureOf(error), reason: error.message }),
      );
    });
  }

  /** A connection to the gateway of another node. */
  connectToNode(address: string): Promise<Socket | { readonly kind: UpstreamFailure; readonly reason: string }> {
    return new Promise((resolve) => {
      const options = { hostname: 'node', protocol: 'http:', port: '80', host: 'node' };
      peerConnector(address, this.#nodesKey)(options, (error, socket) =>
        resolve(error === null ? socket : { kind: failureOf(error), reason: error.message }),
      );
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#owners.values()].map((owner) => owner.destroy()));
  }

  get #nodesKey(): Buffer {
    if (this.#peerKey === undefined) throw new Error('there is no other node');
    return this.#peerKey;
  }

  /** @returns Whose connections a request uses, how they are made where that is not the usual way, and how many there may be. */
  #connectionsOf({
    ownerId,
    isForMock,
    node,
  }: UpstreamRequest): [key: string, connect?: ReturnType<typeof policedConnector> | undefined, countMax?: number] {
    if (node !== undefined) {
      return [`${NODES}${node}/${ownerId}`, peerConnector(node, this.#nodesKey), NODE_CONNECTIONS_MAX];
    }
    return isForMock === true ? [`${MOCKS}${ownerId}`, this.#connectToMocks] : [ownerId];
  }

  #take(ownerId: string, connect = this.#connect, connections = UPSTREAM_CONNECTIONS_MAX): OwnerPools {
    let owner = this.#owners.get(ownerId);
    if (owner === undefined) this.#owners.set(ownerId, (owner = new OwnerPools(connect, connections)));
    clearTimeout(owner.idle);
    owner.running++;
    return owner;
  }

  /** An owner without calls keeps nothing. */
  #release(ownerId: string, owner: OwnerPools): void {
    if (--owner.running > 0) return;
    owner.idle = setTimeout(() => {
      this.#owners.delete(ownerId);
      void owner.destroy();
    }, 2 * UPSTREAM_IDLE_MS);
  }
}

/** Precedes the owner of connections to the mocks of this server: no owner has such a name. */
const MOCKS = '/mocks/';
/** The same of connections to another node: as many as an owner may have exchanges. */
const NODES = '/nodes/';
const NODE_CONNECTIONS_MAX = 1_024;

/** Settings that are the same for all calls. */
interface Sending {
  readonly silenceMs: number;
  readonly figures: UpstreamFigures;
}

class Forwarding implements Incoming {
  readonly #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  readonly #silenceMs: number;
  readonly #figures: UpstreamFigures;
  #beganAt = 0;
  #flow: Flow | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasHead = false;
  #isOver = false;
  #isRepeated = false;
  #isGivenUp = false;
  #pool: OriginPool | undefined;
  #release: () => void = () => undefined;

  constructor(request: UpstreamRequest, sink: UpstreamSink, { silenceMs, figures }: Sending) {
    this.#silenceMs = silenceMs;
    this.#figures = figures;
    this.#request = request;
    this.#sink = sink;
  }

  begin(owner: OwnerPools, release: () => void): void {
    this.#beganAt = performance.now();
    this.#release = release;
    const { target, path, headers, timeoutMs, passes, isOutsideBase = false } = this.#request;
    if (passes >= UPSTREAM_PASSES_MAX) {
      return this.#fail('loop', `this server has already proxied the request ${UPSTREAM_PASSES_MAX} times`);
    }
    if (isOutsideBase) {
      return this.#fail('outsideBase', `${path} is outside ${target.pathname}`);
    }
    const found = owner.of(target.origin);
    if (found === undefined) {
      const why = `an owner may have requests to at most ${UPSTREAM_ORIGINS_MAX} origins in flight`;
      return this.#fail('busy', `${target.host}: ${why}`);
    }
    if (found.givenUp >= UPSTREAM_CONNECTIONS_MAX) {
      return this.#fail('busy', `${target.host}: too many abandoned requests are still waiting for a connection`);
    }
    found.running++;
    this.#pool = found;
    this.#timer = setTimeout(() => {
      this.#cancel();
      this.#fail('timeout', `${target.host} did not answer within ${timeoutMs} ms`);
    }, timeoutMs);
    this.#sink.onSending?.(headers);
    this.#send();
  }

  pause(): void {
    this.#flow?.pause();
  }

  resume(): void {
    this.#flow?.resume();
  }

  cancel(): void {
    if (this.#end()) this.#cancel();
  }

  #cancel(): void {
    this.#isGivenUp = this.#flow?.wasSent === false;
    if (this.#isGivenUp && this.#pool !== undefined) this.#pool.givenUp++;
    this.#flow?.cancel();
  }

  #send(): void {
    const { target, method, path, headers, body, upgrade } = this.#request;
    const { pool, origin } = this.#pool as OriginPool;
    const sent: Outgoing = {
      method,
      origin,
      path,
      headers,
      body,
      upgrade,
      encoding: 'latin1',
      headMs: 0,
      silenceMs: this.#silenceMs,
    };
    try {
      this.#flow = send(pool, sent, this);
    } catch (error) {
      this.#fail(failureOf(error as Error), `${target.host}: ${(error as Error).message}`);
    }
  }

  onData(chunk: Buffer): void {
    if (!this.#isOver) this.#sink.onData(chunk);
  }

  onEnd(): void {
    if (this.#end()) this.#sink.onEnd();
  }

  onLost(_wasSent: boolean, error: Error): void {
    if (this.#isOver) return undefined;
    if (this.#hasHead) {
      this.#end();
      return this.#sink.onCut();
    }
    const { body, method, target } = this.#request;
    const kind = failureOf(error);
    // A connection that was kept may end just as a request is sent over it.
    if (kind === 'lost' && !this.#isRepeated && body === null && REPEATED.has(method)) {
      this.#isRepeated = true;
      return this.#send();
    }
    return this.#fail(kind, error instanceof AddressRefused ? error.message : `${target.host}: ${error.message}`);
  }

  onGone(): void {
    if (this.#isGivenUp && this.#pool !== undefined) this.#pool.givenUp--;
  }

  onHead(status: number, reason: string, headers: readonly string[]): void {
    if (this.#isOver) return undefined;
    const { target } = this.#request;
    if (status > STATUS_MAX) {
      this.#flow?.cancel();
      return this.#fail('invalid', `${target.host} answered with the status ${status}`);
    }
    const lengthText = headerValue(headers, 'content-length');
    const length = lengthText === undefined ? undefined : Number(lengthText);
    const coding = headerValue(headers, 'transfer-encoding') ?? 'chunked';
    // Nobody else would undo another coding: its header ends here.
    if ((length !== undefined && !Number.isSafeInteger(length)) || coding.toLowerCase() !== 'chunked') {
      this.#flow?.cancel();
      const what = length === undefined ? `transfer coding ${coding}` : `length ${lengthText}`;
      return this.#fail('invalid', `${target.host} answered with the ${what}`);
    }
    clearTimeout(this.#timer);
    this.#figures.answered(performance.now() - this.#beganAt);
    this.#hasHead = true;
    // Such an answer ends at its head, whatever length that says.
    const isBodyless = status === 204 || status === 304;
    const isComplete = isBodyless || this.#request.method === 'HEAD';
    this.#sink.onHead({
      status,
      // It was read as UTF-8: a character may have the low byte of a line end.
      reason: oneByteEach(reason),
      headers: this.#request.answerLines(headers),
      bodyBytes: isBodyless ? 0 : length,
    });
    if (isComplete && this.#end()) this.#sink.onEnd();
  }

  onUpgrade(headers: readonly string[], socket: Socket): void {
    const { target, upgrade: asked = '' } = this.#request;
    const given = headerValue(headers, 'upgrade') ?? '';
    if (this.#isOver || given.toLowerCase() !== asked) {
      socket.destroy();
      return this.#fail('invalid', `${target.host} switched to the protocol ${given}`);
    }
    this.#figures.answered(performance.now() - this.#beganAt);
    this.#end();
    return this.#sink.onUpgrade?.(
      { status: 101, reason: 'Switching Protocols', headers: this.#request.answerLines(headers) },
      socket,
    );
  }

  #fail(kind: UpstreamFailure, reason: string): void {
    if (!this.#end()) return;
    this.#figures.failed(kind);
    this.#sink.onFailure(kind, reason);
  }

  /** @returns false when it was over before. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#pool !== undefined) this.#pool.running--;
    this.#release();
    return true;
  }
}

/** Codes of undici for what is not an answer (it asserts that a status can be one), and for what cannot be a request. */
const INVALID =
  /^(?:ERR_ASSERTION|UND_ERR_(?:HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH|INVALID_ARG|NOT_SUPPORTED))$/;

/** Messages of undici for a 101 and a 100 that nothing has asked for. */
const UNASKED = /^bad (?:upgrade|response)$/;

function failureOf(error: Error): UpstreamFailure {
  if (error instanceof AddressRefused) return 'addressRefused';
  if (error instanceof ConnectError) return error.kind;
  const { code = '' } = error as NodeJS.ErrnoException;
  const isInvalid = error instanceof errors.HTTPParserError || INVALID.test(code) || UNASKED.test(error.message);
  return isInvalid ? 'invalid' : 'lost';
}
