/**
 * `serve --wiremock`: one base URL for WireMock's clients. Paths below `/__admin` go to the admin interface of one mock, all others to the
 * mock itself. A reverse proxy in front of the two ports, which both apply their own checks: what it costs, no other request pays.
 */
import { readFileSync } from 'node:fs';
import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  Agent as SecureAgent,
  createServer as createSecureServer,
  request as requestSecurely,
  type Server as SecureServer,
} from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { OperatorError } from '../base/operator-error.ts';
import { PortError } from '../base/port-error.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import { createMock } from '../model/mocks/decide/decide-mock.ts';
import { mockParser } from '../model/mocks/definition/mock-payload.ts';
import type { Mock } from '../model/mocks/mock.ts';
import { mockIdOfHost } from '../model/mocks/sessions/address.ts';
import { sessionOfBaggage, sessionOfCookies } from '../model/mocks/sessions/named-session.ts';
import { readMock } from '../model/mocks/show/query-mock.ts';
import type { Principal } from '../model/principal.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { addressOf, type Config } from './config.ts';

/** Connections to each of the two ports: more requests wait. */
const SOCKETS_MAX = 1_000;

export class WireMockPort {
  readonly #config: Config;
  readonly #mockId: string;
  readonly #apiPort: number;
  readonly #server: Server | SecureServer;
  readonly #agent: Agent;
  readonly #host: string;
  /** Undefined until mocks are served. */
  #mockPort: number | undefined;

  private constructor(config: Config, mockId: string, apiPort: number) {
    const { host } = config;
    const files = filesOf(config);
    this.#config = config;
    this.#mockId = mockId;
    this.#apiPort = apiPort;
    this.#host = addressOf(host).replaceAll(/^\[|\]$/g, '');
    const shared = { keepAlive: true, maxSockets: SOCKETS_MAX };
    // It is this server's own certificate, at its own address.
    this.#agent = files ? new SecureAgent({ ...shared, rejectUnauthorized: false }) : new Agent(shared);
    // How long a request may take is for the two ports to say.
    // Longer than the two ports say in their answers.
    const options = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 60_000 };
    this.#server = files === undefined ? createServer(options) : createSecureServer({ ...options, ...files });
    this.#server.on('request', (asked: IncomingMessage, reply: ServerResponse) => this.#pass(asked, reply));
    this.#server.on('upgrade', (asked: IncomingMessage, socket: Duplex, first: Buffer) =>
      this.#upgrade(asked, socket, first),
    );
  }

  /** @throws PortError when the port cannot be listened on. */
  static listen(
    config: Config,
    { port, mockId }: NonNullable<Config['wiremock']>,
    apiPort: number,
  ): Promise<WireMockPort> {
    const opened = new WireMockPort(config, mockId, apiPort);
    const { host } = config;
    return new Promise((resolve, reject) => {
      opened.#server.once('error', () => reject(new PortError(host, port, '--wiremock')));
      opened.#server.listen({ host, port, exclusive: true }, () => resolve(opened));
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Makes the mock, unless it is there. @throws OperatorError when another owner has one of its id. */
  async ensureMock(owners: OwnerDirectory): Promise<void> {
    const { mockOwner: ownerId, limits } = this.#config;
    const id = this.#mockId;
    const caller: Principal = { keyId: 'wiremock', ownerId, userId: 'wiremock', role: 'editor' };
    const found = await new Promise<Mock | Refusal>((resolve) => {
      owners.query(readMock, { mockId: id }, caller, resolve);
    });
    if (!isRefusal(found)) return;
    const settings = { precedence: 'listed', cors: false, sessions: 'auto' };
    const draft = mockParser(limits).mock({ id, name: id, start: true, settings, routes: [] });
    const made = await new Promise<Mock | Refusal>((resolve) => {
      owners.command(createMock, { draft }, caller, resolve);
    });
    if (isRefusal(made))
      throw new OperatorError(`--wiremock cannot make the mock "${id}" of ${ownerId}: ${made.message}`);
  }

  serve(mockPort: number): void {
    this.#mockPort = mockPort;
  }

  /** New connections get the certificate that the files have now. */
  renewCertificate(): void {
    const files = filesOf(this.#config);
    if (files !== undefined && 'setSecureContext' in this.#server) this.#server.setSecureContext(files);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  #pass(asked: IncomingMessage, reply: ServerResponse): void {
    const breakOff = (error: BrokenOff): void => endAs(error, asked.socket);
    const sent = this.#send(asked, this.#agent);
    if (sent === undefined) return void reply.writeHead(503, { 'retry-after': '1' }).end();
    sent.on('response', (answer) => {
      reply.sendDate = false;
      reply.writeHead(answer.statusCode as number, answer.statusMessage ?? '', answer.rawHeaders);
      reply.flushHeaders();
      answer.on('error', breakOff);
      answer.pipe(reply);
    });
    sent.on('error', breakOff);
    reply.on('close', () => sent.destroy());
    asked.pipe(sent);
    return undefined;
  }

  #upgrade(asked: IncomingMessage, socket: Duplex, first: Buffer): void {
    if (asked.headers.upgrade?.toLowerCase() === 'websocket') return this.#passSocket(asked, socket, first);
    // Java's client would like HTTP/2: its connection begins anew, without that.
    socket.unshift(Buffer.concat([Buffer.from(headWithoutUpgrade(asked), 'latin1'), first]));
    this.#server.emit('setSecureContext' in this.#server ? 'secureConnection' : 'connection', socket);
    return undefined;
  }

  #passSocket(asked: IncomingMessage, socket: Duplex, first: Buffer): void {
    const sent = this.#send(asked, undefined);
    const end = (): void => {
      socket.destroy();
      sent?.destroy();
    };
    socket.on('error', end);
    if (sent === undefined) return end();
    sent.on('error', end);
    sent.on('upgrade', (answer, other, rest) => {
      other.on('error', end);
      socket.write(Buffer.concat([Buffer.from(headOf(answer)), rest]));
      other.write(first);
      other.pipe(socket).pipe(other);
    });
    // The handshake is refused.
    sent.on('response', (answer) => {
      socket.write(headOf(answer));
      answer.pipe(socket);
    });
    sent.end();
    return undefined;
  }

  /** @param agent Undefined for a connection of its own. @returns undefined while mocks are not served yet. */
  #send(asked: IncomingMessage, agent: Agent | undefined) {
    const { url = '/', method = 'GET', rawHeaders } = asked;
    const admin = this.#adminPath(url, asked.headers);
    const port = admin === undefined ? this.#mockPort : this.#apiPort;
    if (port === undefined) return undefined;
    const options = {
      host: this.#host,
      port,
      method,
      path: admin ?? this.#mockPath(url, asked.headers.host ?? ''),
      // As they were sent, in their order.
      headers: rawHeaders,
      setHost: false,
      agent: agent ?? false,
    };
    return this.#config.tlsCert === undefined
      ? request(options)
      : requestSecurely({ ...options, rejectUnauthorized: false });
  }

  /** @returns undefined for a request to the mock. */
  #adminPath(url: string, headers: IncomingMessage['headers']): string | undefined {
    const [, named, rest = ''] = /^(?:\/__session\/([^/?]+))?(\/__admin(?:[/?].*)?)$/s.exec(url) ?? [];
    if (rest === '') return undefined;
    const session = named ?? sessionIn(headers);
    return `/compat/wiremock/${this.#mockId}${session === undefined ? '' : `/${session}`}${rest}`;
  }

  /** A host that names a mock goes before a path. */
  #mockPath(url: string, host: string): string {
    const isNamed = mockIdOfHost(host, `.${this.#config.mockDomain}`) !== undefined;
    return isNamed ? url : `/__mock/${this.#mockId}${url}`;
  }
}

/** @returns undefined without TLS. */
function filesOf({ tlsCert, tlsKey }: Config): { readonly cert: Buffer; readonly key: Buffer } | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
}

/** The first of them counts, as at the mock. */
function sessionIn({ 'x-mock-session': header, baggage, cookie }: IncomingMessage['headers']): string | undefined {
  const found =
    [header].flat()[0] ??
    (typeof baggage === 'string' ? sessionOfBaggage(baggage) : undefined) ??
    (cookie === undefined ? undefined : sessionOfCookies(cookie));
  return found === undefined ? undefined : encodeURIComponent(found);
}

/** What Node.js reports of a connection that broke off. `rawPacket` is what was received in place of HTTP. */
type BrokenOff = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** What the mock port cannot help writing before bytes that are not HTTP. */
const FIRST = 'HTTP/1.1 ';

/** The client sees what faults do: bytes that are not HTTP, a connection that is closed, or one that is reset. */
function endAs({ rawPacket, syscall }: BrokenOff, socket: Socket): void {
  if (socket.destroyed) return;
  if (rawPacket !== undefined) socket.end(rawPacket.subarray(rawPacket.indexOf(FIRST) === 0 ? FIRST.length : 0));
  else if (syscall === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

const OF_UPGRADES: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings']);

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!OF_UPGRADES.has((rawHeaders[at] as string).toLowerCase()))
      head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  return `${head}\r\n`;
}

function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  let head = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  return `${head}\r\n`;
}
