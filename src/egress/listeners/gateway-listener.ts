/**
 * The port of the gateway: a forward proxy for HTTP. Each request carries an API key, and the rules of its owner act on it
 * (live-rules/live-exchange.ts).
 */
import { whenThere, type Later } from '../../base/later.ts';
import { STRANGER } from '../../base/owner-account.ts';
import { WaitingBytes } from '../../base/waiting-bytes.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Socket, type AddressInfo, type Server as SharedPort } from 'node:net';
import type { HostTable } from '../live-rules/host-table.ts';
import { missingSession, sessionHint, type ExchangeCaller } from '../live-rules/exchange-note.ts';
import { LiveExchange, type ExchangeParts } from '../live-rules/live-exchange.ts';
import { hasBody } from '../live-rules/ruled-messages.ts';
import { notAttached, type ExchangePolicy } from '../live-rules/exchange-policy.ts';
import type { Leafs } from '../../ca/leafs.ts';
import type { OwnerHome, OwnerHomes } from '../live-rules/owner-homes.ts';
import { AtOthers, connectHead, restoreClient, forwardToOwner } from './at-home.ts';
import type { Upstreams } from '../forward/upstreams.ts';
import type { Credential, Credentials } from './credentials.ts';
import { readTarget, readTunnelTarget, sessionNamedIn, type GatewayTarget } from './gateway-head.ts';
import { Handshake, headWithoutUpgrade, isHandshake } from './handshakes.ts';
import { failureReply, refuse, type GatewayFailure } from './gateway-replies.ts';
import { takeTurn } from '../live-rules/owner-turns.ts';
import { OpenConnections } from './open-connections.ts';
import { openTunnel, parseAuthority, splice, type Tunnel, type TunnelTo } from './tunnels.ts';
import { UnansweredRequests } from './unanswered.ts';

/** Connections; a further one ends the one idle longest of the owner with most. (shown: Gateway) */
const CONNECTIONS_MAX = 10_000;
const BACKLOG = 4_096;
/** Head of a request. (shown: Gateway) */
const HEAD_BYTES_MAX = 32_768;
/** Time for a head; idle connections. (shown: Gateway) */
const IDLE_MS = 60_000;
/** Time in which a client reads nothing of an answer. Longer than an upstream may take until it answers. */
const UNREAD_MS = 660_000;
/** How long a client that was refused keeps its connection; and how often one is refused over a connection for want of a key. */
const REFUSED_MS = 1_000;
const REFUSALS_MAX = 16;
/** Exchanges under way, WebSockets and tunnels included: of an owner; of all. (shown: Gateway) */
const OWNER_EXCHANGES_MAX = 1_024;
const EXCHANGES_MAX = 8_192;

/** User names that stand for no session. */
const NO_SESSION: ReadonlySet<string> = new Set(['', 'key']);
/** A request whose key is valid. */
interface AuthorizedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly handshake: Handshake | undefined;
  readonly credential: Credential;
  readonly target: GatewayTarget;
  /** Whether another node has received it. */
  readonly isOfNode: boolean;
  readonly tunnel: Tunnel | undefined;
}

interface AskedTunnel extends Pick<AuthorizedRequest, 'req' | 'credential' | 'isOfNode'> {
  readonly socket: Socket;
  readonly head: Buffer;
  /** The address of the client, of one that another node has received. */
  readonly client: string | undefined;
}

interface ListenerParts extends ExchangeParts {
  readonly credentials: Credentials;
  /** A text says why no certificates can be made. */
  readonly leafs: () => Leafs | string;
  /** Hosts whose tunnels are passed on unread for all owners. */
  readonly tunnelled: HostTable<true>;
  readonly upstreams: Pick<Upstreams, 'send' | 'connect' | 'via'> & Partial<Pick<Upstreams, 'connectToNode'>>;
  /** UNREAD_MS and CONNECTIONS_MAX by default. */
  readonly unreadMs?: number;
  readonly connectionsMax?: number;
  /** In a cluster. */
  readonly homes?: OwnerHomes | undefined;
}

export class GatewayListener {
  readonly #parts: ListenerParts;
  readonly #server: Server;
  readonly #connections: OpenConnections;
  /** By owner. */
  readonly #underWay = new WaitingBytes(EXCHANGES_MAX, OWNER_EXCHANGES_MAX);
  readonly #unanswered = new UnansweredRequests((socket) => this.#connections.rest(socket));
  /** Refusals for want of a key, by connection. */
  readonly #refusals = new WeakMap<Socket, number>();
  /** By the connection that its requests come over. */
  readonly #tunnels = new WeakMap<Socket, Tunnel>();
  /** Connections over which another node sends what it has received. */
  readonly #ofNodes = new WeakSet<Socket>();
  readonly atOthers = new AtOthers();

  constructor(parts: ListenerParts) {
    this.#parts = parts;
    const take = (req: IncomingMessage, res: ServerResponse): void => orEnd(res, () => this.#take(req, res));
    this.#server = createServer(
      {
        maxHeaderSize: HEAD_BYTES_MAX,
        headersTimeout: IDLE_MS,
        requestTimeout: 0,
        keepAliveTimeout: IDLE_MS,
        // It is read with the target (gateway-head.ts).
        requireHostHeader: false,
        noDelay: true,
      },
      take,
    );
    // What is expected beside "100-continue" ends here, but not before the key.
    this.#server.on('checkExpectation', take);
    this.#server.timeout = parts.unreadMs ?? UNREAD_MS;
    this.#connections = new OpenConnections(parts.connectionsMax ?? CONNECTIONS_MAX);
    this.#server.prependListener('connection', (socket: Socket) => {
      parts.shares.noteConnection();
      if (!this.#ofNodes.has(socket)) this.#connections.add(socket);
    });
    this.#server.on('connection', (socket: Socket) => this.#unanswered.pace(socket));
    // Lines beyond it would be left out silently: gateway-head.ts refuses them.
    this.#server.maxHeadersCount = 0;
    this.#server.on('connect', (req: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.#connect(req, socket, this.#unanswered.leave(socket, head)).catch(() => socket.destroy());
    });
    this.#server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) =>
      this.#upgrade(req, socket, this.#unanswered.leave(socket, head)),
    );
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
      if (this.#unanswered.end(socket)) return undefined;
      const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
      return writeRaw(socket, 'malformed', isLarge ? `a head of more than ${HEAD_BYTES_MAX} bytes` : 'not HTTP/1.1');
    });
  }

  /** @returns The port. @throws The error of the socket. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, backlog: BACKLOG }, () =>
        resolve((this.#server.address() as AddressInfo).port),
      );
    });
  }

  /** A port that another process listened on, or a connection to it. */
  takeHandle(handle: SharedPort | Socket): void {
    if (handle instanceof Socket) this.#server.emit('connection', handle);
    else this.#server.listen(handle, BACKLOG);
  }

  /** A connection of another node, which sends on what its clients ask. */
  takeFromNode(socket: Socket): void {
    this.#ofNodes.add(socket);
    this.#server.emit('connection', socket);
  }

  get connections(): number {
    return this.#connections.count;
  }

  close(): void {
    this.#parts.credentials.stop();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #take(req: IncomingMessage, res: ServerResponse, handshake?: Handshake): Later<void> {
    res.on('error', ignore);
    const { socket } = req;
    this.#connections.use(socket);
    this.#unanswered.add(socket, res);
    const tunnel = this.#tunnels.get(socket);
    const isOfNode = this.#ofNodes.has(socket);
    const client = isOfNode ? restoreClient(req) : tunnel?.client;
    return whenThere(tunnel?.credential ?? this.#credentialOf(req), (credential) => {
      if (socket.destroyed) return undefined;
      if (credential === undefined) return this.#refuseUnknown(socket, res);
      this.#connections.own(socket, credential.caller.ownerId);
      const target = tunnel === undefined ? readTarget(req, client) : readTunnelTarget(req, tunnel, client);
      if (typeof target === 'string') return refuse(res, 'malformed', target);
      if (handshake !== undefined && hasBody(req)) return refuse(res, 'malformed', 'a handshake must not have a body');
      const asked = { req, res, handshake, credential, target, isOfNode, tunnel };
      return this.#inTurn(credential.caller.ownerId, res, () => this.#answer(asked));
    });
  }

  /** So do refusals. */
  #inTurn(ownerId: string, res: ServerResponse, act: () => Later<void>): void {
    const isTaken = takeTurn(this.#parts.shares, ownerId, () => orEnd(res, act), ignore);
    if (!isTaken) this.#parts.shares.refuse(ownerId, () => refuse(res, 'busy', TOO_MANY));
  }

  /** @param wasMoved Whether another node was taken for the home before, and was not. */
  #answer(asked: AuthorizedRequest, wasMoved = false): Later<void> {
    const { req, res, credential, isOfNode, tunnel } = asked;
    const { ownerId } = credential.caller;
    return whenThere(this.#ownerNode(ownerId, isOfNode), (home) => {
      if (req.socket.destroyed) return undefined;
      if (home === 'own') return this.#answerHere(asked);
      if (home === undefined || isOfNode || tunnel !== undefined) return refuseAndClose(res);
      return this.#answerAtHome(asked, home, wasMoved);
    });
  }

  #answerHere({ req, res, handshake, credential, target }: AuthorizedRequest): Later<void> {
    const { caller } = credential;
    const named = NO_SESSION.has(credential.user) ? sessionNamedIn(req) : credential.user;
    return whenThere(this.#sessionOf(credential, named), (session) => {
      if (req.socket.destroyed) return undefined;
      // A mock of this server may have a session of that name of its own, and answers for it.
      const isKnown = named === session?.id || (named !== credential.user && this.#parts.isForMock(target.origin));
      const missing = isKnown ? undefined : named;
      if (!this.#begin(caller.ownerId)) return refuse(res, 'busy', TOO_MANY);
      const exchange = new LiveExchange(this.#parts, { req, res, handshake }, target, { caller, session, missing });
      return exchange.begin(() => this.#over(caller.ownerId));
    });
  }

  #answerAtHome(asked: AuthorizedRequest, node: string, wasMoved: boolean): void {
    const { req, res, handshake, credential, target } = asked;
    const { ownerId } = credential.caller;
    if (!this.#begin(ownerId)) return refuse(res, 'busy', TOO_MANY);
    res.once('close', () => this.#over(ownerId));
    const onMoved = (isUnsent: boolean): boolean => {
      this.#parts.homes?.forget(ownerId, node);
      if (wasMoved || !isUnsent) return false;
      orEnd(res, () => this.#answer(asked, true));
      return true;
    };
    const { upstreams } = this.#parts;
    return forwardToOwner(req, res, target, { node, ownerId, upstreams, atOthers: this.atOthers, onMoved }, handshake);
  }

  #upgrade(req: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on('error', ignore);
    if (this.#unanswered.has(socket)) return void socket.destroy();
    if (isHandshake(req)) {
      const handshake = new Handshake(req, socket, head);
      return orEnd(socket, () => this.#take(req, handshake.res, handshake));
    }
    // A server may ignore that another protocol is asked for, and clients that ask for HTTP/2 so go on with HTTP/1.1.
    socket
      .off('error', ignore)
      .pause()
      .unshift(Buffer.concat([headWithoutUpgrade(req), head]));
    this.#server.emit('connection', socket);
    return void socket.resume();
  }

  #refuseUnknown(socket: Socket, res: ServerResponse): void {
    const count = (this.#refusals.get(socket) ?? 0) + 1;
    this.#refusals.set(socket, count);
    if (count >= REFUSALS_MAX) res.shouldKeepAlive = false;
    this.#inTurn(`${STRANGER}${socket.remoteAddress}`, res, () => refuse(res, 'credentials', CREDENTIALS_HINT));
  }

  async #connect(req: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', ignore);
    if (this.#unanswered.has(socket)) return void socket.destroy();
    // A tunnel within a tunnel has nobody to ask for.
    if (this.#tunnels.has(socket)) return writeRaw(socket, 'malformed', 'CONNECT inside a tunnel');
    const isOfNode = this.#ofNodes.has(socket);
    const client = isOfNode ? restoreClient(req) : undefined;
    const credential = await this.#credentialOf(req);
    if (credential === undefined) return writeRaw(socket, 'credentials', CREDENTIALS_HINT);
    this.#connections.own(socket, credential.caller.ownerId);
    return this.#openTunnel({ req, socket, head, client, credential, isOfNode });
  }

  /** @param wasMoved As of `#answer`. */
  async #openTunnel(asked: AskedTunnel, wasMoved = false): Promise<void> {
    const { req, socket, head, client, credential, isOfNode } = asked;
    const home = await this.#ownerNode(credential.caller.ownerId, isOfNode);
    if (home === undefined || (home !== 'own' && isOfNode)) return writeRaw(socket, 'home', NO_HOME);
    if (home !== 'own') return this.#connectAtHome(asked, home, wasMoved);
    const named = NO_SESSION.has(credential.user) ? undefined : credential.user;
    const session = await this.#sessionOf(credential, named);
    const authority = req.url ?? '';
    const to = parseAuthority(authority);
    if (to === undefined) return writeRaw(socket, 'malformed', 'CONNECT requires a host and a port');
    const found = this.#parts.rules.effectivePolicy(credential.caller.ownerId);
    const base = found instanceof Promise ? await found : found;
    if (socket.destroyed) return undefined;
    if (session?.id !== named) {
      const problem = { kind: 'session', reason: sessionHint(named) } as const;
      this.#note(to, { ...credential, session, missing: named }, typeof base === 'string' ? undefined : base, problem);
      return writeRaw(socket, problem.kind, problem.reason);
    }
    const policy = typeof base === 'object' && session !== undefined ? session.effectivePolicy(base) : base;
    if (typeof policy === 'string') {
      // Each request over a tunnel that is read is refused, and recorded.
      if (this.#parts.tunnelled.has(to.hostname, to.port)) return writeRaw(socket, 'rules', policy);
    } else if (this.#isPassedOn(policy, to)) {
      return this.#passOn(socket, head, { ...credential, session }, to, policy);
    }
    const leafs = this.#parts.leafs();
    const problem = typeof leafs === 'string' ? leafs : leafs.ended;
    if (typeof leafs === 'string' || problem !== undefined) return writeRaw(socket, 'notSupported', problem ?? '');
    const { ownerId } = credential.caller;
    const of = { ownerId, host: to.host, leafs, shares: this.#parts.shares };
    return openTunnel(socket, head, of, (connection, scheme) => {
      this.#tunnels.set(connection, { credential, scheme, authority, client });
      if (!isOfNode) this.#connections.add(connection, socket);
      // Where no TLS ends, it is the connection itself: over it the client asks from now on.
      this.#ofNodes.delete(connection);
      this.#server.emit('connection', connection);
    });
  }

  /** Which node has the gateway of an owner: this one, where it is alone. */
  #ownerNode(ownerId: string, isOfNode: boolean): OwnerHome | Promise<OwnerHome> {
    return this.#parts.homes === undefined ? 'own' : this.#parts.homes.of(ownerId, isOfNode);
  }

  /** Passes the rest to the node that answers tunnels of the owner, unread. */
  async #connectAtHome(asked: AskedTunnel, node: string, wasMoved: boolean): Promise<void> {
    const { req, socket, head, credential } = asked;
    const onMoved = (): void => this.#parts.homes?.forget(credential.caller.ownerId, node);
    const found = await this.#parts.upstreams.connectToNode?.(node);
    if (!(found instanceof Socket)) {
      onMoved();
      if (!wasMoved) return this.#openTunnel(asked, true);
      return writeRaw(socket, 'home', found?.reason ?? NO_HOME);
    }
    this.#connections.use(socket);
    this.atOthers.add(node, socket, () => socket.destroy());
    splice(socket, Buffer.concat([connectHead(req), head]), found, false);
    return void found.once('data', (first: Buffer) => REFUSED.test(first.toString('latin1')) && onMoved());
  }

  /** Reads tunnels to attached hosts: the mock answers for it. */
  #isPassedOn({ attachOf, tunnels }: ExchangePolicy, { hostname, port }: TunnelTo): boolean {
    return (
      (this.#parts.tunnelled.has(hostname, port) || tunnels(hostname, port)) && attachOf(hostname, port) === undefined
    );
  }

  /** Rules do not see what is within. */
  async #passOn(socket: Socket, head: Buffer, of: ExchangeCaller, to: TunnelTo, policy: ExchangePolicy): Promise<void> {
    const begun = performance.now();
    const { host, port } = to;
    const { ownerId } = of.caller;
    if (!this.#begin(ownerId)) {
      this.#note(to, of, policy, { kind: 'busy', reason: TOO_MANY });
      return writeRaw(socket, 'busy', TOO_MANY, host);
    }
    this.#connections.use(socket);
    socket.once('close', () => this.#over(ownerId));
    const found = policy.others === 'refuse' ? notAttached(host) : await this.#parts.upstreams.connect(host, port);
    this.#note(to, of, policy, found instanceof Socket ? undefined : found, begun);
    if (found instanceof Socket) return splice(socket, head, found);
    return writeRaw(socket, found.kind, found.reason, host);
  }

  /** Keeps what became of a tunnel that is not read. */
  #note(
    { host, port }: TunnelTo,
    { caller, session, missing }: ExchangeCaller,
    policy: ExchangePolicy | undefined,
    problem: { readonly kind: GatewayFailure; readonly reason: string } | undefined,
    begun = performance.now(),
  ): void {
    const ms = performance.now() - begun;
    const exchange = {
      ...NOTHING_SEEN,
      version: policy?.version ?? 0,
      time: Math.round(Date.now() - ms),
      user: caller.userId,
      session: session?.id ?? missingSession(missing),
      sessionMadeAt: session?.createdAt,
      url: `https://${host.includes(':') ? `[${host}]` : host}${port === 443 ? '' : `:${port}`}/`,
      status: problem === undefined ? 200 : failureReply(problem.kind, '').status,
      outcome: problem === undefined ? ('tunnelled' as const) : ('failed' as const),
      problem: problem?.kind,
      reason: problem?.reason,
      ms,
    };
    this.#parts.log.add(caller.ownerId, exchange, policy?.redact);
    session?.note(exchange);
  }

  #sessionOf({ caller }: Credential, named: string | undefined): ReturnType<ListenerParts['sessions']['find']> {
    return named === undefined ? undefined : this.#parts.sessions.find(caller.ownerId, named);
  }

  #credentialOf({ socket, headers }: IncomingMessage): ReturnType<Credentials['check']> {
    return this.#parts.credentials.check(socket, headers['proxy-authorization']);
  }

  get inFlight(): number {
    return this.#underWay.bytes;
  }

  /** @returns false where too many exchanges are under way. */
  #begin(ownerId: string): boolean {
    return this.#underWay.take(ownerId, 1);
  }

  #over(ownerId: string): void {
    this.#underWay.release(ownerId, 1);
  }
}

/** Record of a tunnel that is passed on. */
const NOTHING_SEEN = {
  method: 'CONNECT',
  ruleIds: [],
  requestHeaders: [],
  statusText: '',
  responseHeaders: [],
  location: null,
  delayMs: 0,
  steps: [],
  skipped: [],
};

const ignore = (): void => undefined;

/** A fault of this program ends one exchange and no more. */
function orEnd(answered: ServerResponse | Socket, act: () => Later<void>): void {
  try {
    const acting = act();
    if (acting instanceof Promise) acting.catch(() => answered.destroy());
  } catch {
    answered.destroy();
  }
}

const TOO_MANY = 'too many exchanges are in flight';
/** The answer to a tunnel from a node that is not its home. */
const REFUSED = /^HTTP\/1\.1 503 /;
const NO_HOME = 'the node is currently unknown: try again';
const CREDENTIALS_HINT = 'set the proxy credentials of the client: user name "key", and an API key as the password';

/** The client connects again: to where the gateway of the owner is then. */
function refuseAndClose(res: ServerResponse): void {
  res.shouldKeepAlive = false;
  refuse(res, 'home', NO_HOME);
}

/** To a client that is not answered by a response of node:http. */
function writeRaw(socket: Socket, kind: GatewayFailure, said: string, upstream?: string): void {
  const { status, headers, body } = failureReply(kind, said, upstream);
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []));
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}connection: close\r\n\r\n${body.toString()}`);
  // What follows is read, so that the answer arrives and the client's end is seen; a client that does not end is not waited for.
  socket.resume();
  setTimeout(() => socket.destroy(), REFUSED_MS).unref();
}
