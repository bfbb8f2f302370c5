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
  /** As received, begins with "/", without a query. */
  getUrl(): string;
  /** As received, without "?". */
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
  onWritable(handler: (offset: number) => boolean): HttpResponse;
  /** Required for replies that are not sent inside the handler. */
  onAborted(handler: () => void): HttpResponse;
  /** The bytes of a chunk are only valid while the handler runs. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse;
  /** Sends everything written inside the callback at once. */
  cork(write: () => void): HttpResponse;
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
  /** Calls back before it returns. `options` 1: the port is not shared. */
  listen(host: string, port: number, done: Listened): TemplatedApp;
  listen(host: string, port: number, options: number, done: Listened): TemplatedApp;
  /** Called for each connection: with 1 when it opens, with -1 when it has closed. */
  filter(each: (res: HttpResponse, change: number) => void): TemplatedApp;
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

interface Binary {
  App(): TemplatedApp;
  SSLApp(options: { key_file_name?: string; cert_file_name?: string; ssl_ciphers?: string }): TemplatedApp;
  us_listen_socket_close(socket: us_listen_socket): void;
  us_socket_local_port(socket: us_listen_socket): number;
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
