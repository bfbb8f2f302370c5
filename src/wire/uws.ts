/**
 * uWebSockets.js: the only file that knows which build runs, and which parts of its interface are used.
 *
 * There is one package for each system and major version of Node.js, and npm installs the one that fits: 20.51.4 for
 * Node.js 20 and 22, which is the last for Node.js 20 and one that old systems can load; 20.69.0 for 24 and 26. Both
 * read requests alike. They differ in how they end replies: `CLOSES_WITHOUT_BODY`.
 *
 * The types are declared here because the package's own declarations are not installed with a binary, and lack some
 * parts.
 */
import { createRequire } from 'node:module';
import { OperatorError } from '../base/operator-error.ts';
import { noBinary } from './no-binary.ts';

type Text = string | ArrayBuffer | Uint8Array;

/** Valid while its handler runs. */
export interface HttpRequest {
  /** URL as received, begins with "/", without a query. */
  getUrl(): string;
  /** Query as received, without "?". */
  getQuery(): string;
  getCaseSensitiveMethod(): string;
  /** Names in lower case. */
  forEach(each: (name: string, value: string) => void): void;
}

/** Must not be used after it has ended or was aborted. */
export interface HttpResponse {
  writeStatus(status: Text): HttpResponse;
  writeHeader(name: Text, value: Text): HttpResponse;
  /** Writes a chunk. @returns false when the client reads too slowly. */
  write(chunk: Text): boolean;
  end(body?: Text, closes?: boolean): HttpResponse;
  endWithoutBody(length?: number, closes?: boolean): HttpResponse;
  /** @returns Whether all was written, and whether that ended the response. */
  tryEnd(part: Text, totalBytes: number): [isWritten: boolean, hasEnded: boolean];
  close(): HttpResponse;
  pause(): void;
  getWriteOffset(): number;
  /** The client's address, 4 or 16 bytes: takes 1.4 µs. Valid while its caller runs. */
  getRemoteAddress(): ArrayBuffer;
  /** The client's certificate, as PEM; empty without one, or without TLS. Valid while its caller runs. */
  getX509Certificate(): ArrayBuffer;
  onWritable(handler: (offset: number) => boolean): HttpResponse;
  /** Required for replies that are not sent inside the handler. */
  onAborted(handler: () => void): HttpResponse;
  /** The bytes of a chunk are only valid while the handler runs. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse;
  /** Sends everything written inside the callback at once. */
  cork(write: () => void): HttpResponse;
}

/** The response to a request that may become a WebSocket. */
export interface UpgradeResponse extends HttpResponse {
  /**
   * Accepts a WebSocket handshake: call it corked, once. A status line of 101 and headers may be written before.
   *
   * @param key And the next two: of the request; "" for no protocol, or for no compression.
   * @param context Of the handler of the upgrade.
   */
  upgrade(
    data: { readonly of: WebSocketData },
    key: string,
    protocol: string,
    extensions: string,
    context: UpgradeContext,
  ): void;
}

declare const upgrading: unique symbol;
export interface UpgradeContext {
  readonly [upgrading]: never;
}

/** Belongs to one WebSocket. */
export interface WebSocketData {
  readonly opened: (socket: WebSocket) => void;
  /** The bytes are only valid while it runs. */
  readonly received: (message: ArrayBuffer, isBinary: boolean) => void;
  /** A ping, which has been answered, or a pong. */
  readonly pinged: () => void;
  readonly drained: () => void;
  readonly closed: (code: number, reason: ArrayBuffer) => void;
}

/** Outcome of a message that is sent. */
type SendResult = 0 | 1 | 2;

/** It waits for its reader, whole or in part; it was too much for what may wait, and the connection is closed. */
export const SENT_LATER = 0;
export const SENT_TOO_MUCH = 2;

/** Must not be used after it has closed. */
export interface WebSocket {
  /** Has the members of the object that it was accepted with, but is another. */
  getUserData(): { readonly of: WebSocketData };
  send(message: Text, isBinary: boolean, compress: boolean): SendResult;
  sendFirstFragment(message: Text, isBinary: boolean, compress: boolean): SendResult;
  /** Sends a close frame. `closed` is called before it returns. */
  end(code: number, reason: Text): void;
  /** Closes the connection. */
  close(): void;
  getBufferedAmount(): number;
}

interface WebSocketBehavior {
  readonly compression: number;
  readonly maxPayloadLength: number;
  /** In seconds. */
  readonly idleTimeout: number;
  readonly maxBackpressure: number;
  readonly closeOnBackpressureLimit: boolean;
  readonly sendPingsAutomatically: boolean;
  /** May answer as an ordinary handler does. */
  readonly upgrade: (res: UpgradeResponse, req: HttpRequest, context: UpgradeContext) => void;
  readonly open: (socket: WebSocket) => void;
  readonly message: (socket: WebSocket, message: ArrayBuffer, isBinary: boolean) => void;
  readonly ping: (socket: WebSocket) => void;
  readonly pong: (socket: WebSocket) => void;
  readonly drain: (socket: WebSocket) => void;
  readonly close: (socket: WebSocket, code: number, reason: ArrayBuffer) => void;
}

type Handler = (res: HttpResponse, req: HttpRequest) => void;
type Listened = (socket: us_listen_socket | false) => void;

export interface TemplatedApp {
  get(pattern: string, handler: Handler): TemplatedApp;
  post(pattern: string, handler: Handler): TemplatedApp;
  put(pattern: string, handler: Handler): TemplatedApp;
  patch(pattern: string, handler: Handler): TemplatedApp;
  del(pattern: string, handler: Handler): TemplatedApp;
  any(pattern: string, handler: Handler): TemplatedApp;
  /** A GET whose key for WebSockets has 24 characters goes to it. Other requests go to the other handlers. */
  ws(pattern: string, behavior: WebSocketBehavior): TemplatedApp;
  /** Calls back before it returns. `options` 1: the port is not shared. */
  listen(host: string, port: number, done: Listened): TemplatedApp;
  listen(host: string, port: number, options: number, done: Listened): TemplatedApp;
  /** Called for each connection: with 1 when it opens, with -1 when it has closed. */
  filter(each: (res: HttpResponse, change: number) => void): TemplatedApp;
  /** A host name gets a certificate of its own, and is routed on its own: `domain`. Errors are silent. "*." stands for one label. */
  addServerName(name: string, options: SslOptions): TemplatedApp;
  /** The handlers that follow are those of this name. */
  domain(name: string): TemplatedApp;
  /** Called within a handshake, for a name that has not been added: it may be added then. As sent, also in upper case. */
  missingServerName(handler: (name: string) => void): TemplatedApp;
  /** Identifies the app in all threads of the process. */
  getDescriptor(): unknown;
  /** Distributes connections to the app with this descriptor, in turn with others. */
  addChildAppDescriptor(descriptor: unknown): void;
  removeChildAppDescriptor(descriptor: unknown): void;
  /** Closes its connections too. */
  close(): TemplatedApp;
}

declare const listening: unique symbol;
export interface us_listen_socket {
  readonly [listening]: never;
}

interface SslOptions {
  readonly key_file_name?: string;
  readonly cert_file_name?: string;
  readonly ssl_ciphers?: string;
  /** Clients are asked for a certificate, and one that none of these has issued is refused. A client without one passes. */
  readonly ca_file_name?: string;
}

interface Binary {
  App(): TemplatedApp;
  SSLApp(options: SslOptions): TemplatedApp;
  us_listen_socket_close(socket: us_listen_socket): void;
  us_socket_local_port(socket: us_listen_socket): number;
  readonly SHARED_COMPRESSOR: number;
}

const MAJOR = Number.parseInt(process.versions.node, 10);

/** The package of the running binary. */
export const UWS_PACKAGE = `@uwsjs/${process.platform}-${process.arch}-${MAJOR}`;

/**
 * Whether `endWithoutBody` with a length and a close does both: 20.69 does. In 20.69 a `tryEnd` of an empty part ends
 * the response, and any later use of it throws; in 20.51 the response stays open and must be closed.
 */
export const CLOSES_WITHOUT_BODY = MAJOR >= 24;

/** @throws OperatorError when this module is loaded */
export const uWS = load();

function load(): Binary {
  try {
    return createRequire(import.meta.url)(UWS_PACKAGE) as Binary;
  } catch (error) {
    throw new OperatorError(noBinary(error as NodeJS.ErrnoException));
  }
}
