/**
 * The port of the gateway: a forward proxy for HTTP. Each request carries an API key, and the rules of its owner act on it
 * (live-rules/live-exchange.ts).
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LiveExchange, type ExchangeParts } from '../live-rules/live-exchange.ts';
import type { Credential, Credentials } from './credentials.ts';
import { readTarget } from './gateway-head.ts';
import { failureReply, refuse, type GatewayFailure } from './gateway-replies.ts';

const CONNECTIONS_MAX = 10_000;
const HEAD_BYTES_MAX = 32_768;
/** How long a head may take, and a connection without a request is kept. */
const IDLE_MS = 60_000;
/** Exchanges under way: of one owner, and of all. */
const OWNER_EXCHANGES_MAX = 1_024;
const EXCHANGES_MAX = 8_192;

/** User names that stand for no session. */
const NO_SESSION: ReadonlySet<string> = new Set(['', 'key']);

interface ListenerParts extends ExchangeParts {
  readonly credentials: Credentials;
}

export class GatewayListener {
  readonly #parts: ListenerParts;
  readonly #server: Server;
  /** By owner. */
  readonly #underWay = new Map<string, number>();
  inFlight = 0;

  constructor(parts: ListenerParts) {
    this.#parts = parts;
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
      (req, res) => void this.#take(req, res).catch(() => res.destroy()),
    );
    this.#server.maxConnections = CONNECTIONS_MAX;
    // Lines beyond it would be left out silently: gateway-head.ts refuses them.
    this.#server.maxHeadersCount = 0;
    this.#server.on('connect', (req: IncomingMessage, socket: Socket) => void this.#connect(req, socket));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
      const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
      return writeRaw(socket, 'malformed', isLarge ? `a head of more than ${HEAD_BYTES_MAX} bytes` : 'not HTTP/1.1');
    });
  }

  /** @returns The port. @throws The error of the socket. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  get connections(): Promise<number> {
    return new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count)));
  }

  close(): void {
    this.#parts.credentials.stop();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    res.on('error', () => undefined);
    const credential = await this.#credentialOf(req);
    if (res.destroyed) return undefined;
    if (credential === undefined) return refuse(res, 'credentials', CREDENTIALS_HINT);
    const target = readTarget(req);
    if (typeof target === 'string') return refuse(res, 'malformed', target);
    if (!NO_SESSION.has(credential.user)) return refuse(res, 'session', sessionHint(credential));
    const { ownerId } = credential.caller;
    const own = this.#underWay.get(ownerId) ?? 0;
    if (own >= OWNER_EXCHANGES_MAX || this.inFlight >= EXCHANGES_MAX) {
      return refuse(res, 'busy', 'too many exchanges are under way');
    }
    this.#underWay.set(ownerId, own + 1);
    this.inFlight++;
    const exchange = new LiveExchange(this.#parts, req, res, target, credential.caller);
    await exchange.run(() => this.#over(ownerId));
    return undefined;
  }

  async #connect(req: IncomingMessage, socket: Socket): Promise<void> {
    socket.on('error', () => undefined);
    const credential = await this.#credentialOf(req);
    if (credential === undefined) return writeRaw(socket, 'credentials', CREDENTIALS_HINT);
    return writeRaw(socket, 'notSupported', 'CONNECT is not supported: rules act on plain HTTP');
  }

  #credentialOf({ socket, headers }: IncomingMessage): ReturnType<Credentials['check']> {
    return this.#parts.credentials.check(socket, headers['proxy-authorization']);
  }

  #over(ownerId: string): void {
    this.inFlight--;
    const left = (this.#underWay.get(ownerId) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(ownerId);
    else this.#underWay.set(ownerId, left);
  }
}

const CREDENTIALS_HINT = 'set the proxy credentials of the client: user name "key", password an API key';

function sessionHint({ user }: Credential): string {
  return `${JSON.stringify(user)} names no session: without one the user name is "key"`;
}

/** To a client that is not answered by a response of node:http. */
function writeRaw(socket: Socket, kind: GatewayFailure, said: string): void {
  const { status, headers, body } = failureReply(kind, said);
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []));
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}connection: close\r\n\r\n${body.toString()}`);
}
