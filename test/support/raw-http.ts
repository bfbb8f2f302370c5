/**
 * A raw HTTP/1.1 client over one connection, with TLS or without: what goes out is exactly what a test wrote, what comes back is read strictly.
 *
 * For requests that no proper client would send. Requests of the usual form go through TestServer.request.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect } from 'vitest';
import type { Role } from '../../src/model/principal.ts';
import type { TestServer } from './server.ts';

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case; of a repeated header the last one. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** The body as JSON, or its text when it is none. */
  readonly json: unknown;
}

/** A port of this machine, on 127.0.0.1 unless `host` is another of its addresses; with TLS, where `ca` is trusted. */
export type RawAddress = number | { readonly port: number; readonly host?: string; readonly ca?: Buffer };

/** The connection ended, or stayed silent, before what was waited for had come. */
export class RawError extends Error {}

const PATIENCE_MS = 20_000;

export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#received.push(chunk);
      this.#wake?.();
    });
    // A reset is one of the ways in which a server may close; 'close' follows it.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
      this.#wake?.();
    });
  }

  static open(address: RawAddress): Promise<RawConnection> {
    return new Promise((opened, failed) => {
      const { ca, ...rest } = typeof address === 'number' ? { port: address } : address;
      const target = { host: '127.0.0.1', ...rest };
      const socket = ca === undefined ? connect(target) : connectSecurely({ ...target, ca });
      socket.once('error', failed);
      socket.once(ca === undefined ? 'connect' : 'secureConnect', () => {
        socket.off('error', failed);
        opened(new RawConnection(socket));
      });
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Everything that came and was not taken as an answer. */
  get rest(): Buffer {
    this.#received = [Buffer.concat(this.#received)];
    return this.#received[0] as Buffer;
  }

  /** Resolves when the bytes were handed to the kernel, or the connection closed. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((done) => {
      this.#socket.write(bytes, () => done());
    });
  }

  /** Says that nothing more will come; what was written before reaches the server. */
  finish(): void {
    this.#socket.end();
  }

  /** Stops taking bytes from the kernel, as a slow reader does. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Takes the next answer. `toHead` when it answers a HEAD request, whose answer has no body. */
  async answer(toHead = false): Promise<RawAnswer> {
    await this.#until(() => this.rest.includes('\r\n\r\n'), 'an answer');
    const received = this.rest;
    const headEnd = received.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    this.#received = [received.subarray(headEnd + 4)];
    const body = toHead ? Buffer.alloc(0) : await this.#body(headers);
    return { status, headers, body, json: readJson(body) };
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<Buffer> {
    if (headers.get('transfer-encoding') === 'chunked') return this.#chunks();
    const length = headers.get('content-length');
    if (length !== undefined) return this.#take(Number(length));
    // Without a length the body lasts until the connection closes.
    await this.end();
    return this.#take(this.#receivedBytes);
  }

  async #chunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      await this.#until(() => this.rest.includes('\r\n'), 'the size of a chunk');
      const line = await this.#take(this.rest.indexOf('\r\n') + 2);
      const bytes = Number.parseInt(line.toString('latin1'), 16);
      chunks.push((await this.#take(bytes + 2)).subarray(0, bytes));
      if (bytes === 0) return Buffer.concat(chunks);
    }
  }

  async #take(bytes: number): Promise<Buffer> {
    await this.#until(() => this.#receivedBytes >= bytes, 'a whole body');
    const all = this.rest;
    this.#received = [all.subarray(bytes)];
    return all.subarray(0, bytes);
  }

  get #receivedBytes(): number {
    return this.#received.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  /** Resolves when the server has closed the connection. */
  end(): Promise<void> {
    return this.#until(() => this.#closed, 'the end of the connection');
  }

  /** Resolves when something holds of what came, or when the server has closed the connection. */
  until(holds: () => boolean): Promise<void> {
    return this.#until(() => this.#closed || holds(), 'the end of the connection');
  }

  /** Goes away at once, in the middle of whatever is under way. */
  drop(): void {
    this.#socket.resetAndDestroy();
  }

  /** Closes the connection in the usual way. */
  close(): Promise<void> {
    this.#socket.destroy();
    return this.end();
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    while (!holds()) {
      const leftMs = deadline - performance.now();
      if (this.#closed && what !== 'the end of the connection')
        throw new RawError(
          `the connection closed before ${what} had come; received: ${this.rest.toString('latin1', 0, 300)}`,
        );
      if (leftMs <= 0) throw new RawError(`no ${what} within ${PATIENCE_MS} ms`);
      await new Promise<void>((woken) => {
        const timer = setTimeout(woken, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          woken();
        };
      });
    }
  }
}

/** A request's text: the lines as given with CRLF between, nothing added. */
export function rawRequest(requestLine: string, headers: readonly string[], body = ''): string {
  return `${[requestLine, ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** A body's text as one chunk for each of its pieces, with the last chunk. */
export function chunked(...pieces: readonly string[]): string {
  const chunks = pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`);
  return `${chunks.join('')}0\r\n\r\n`;
}

/** Sends bytes on a connection of their own and takes one answer. */
export async function ask(address: RawAddress, bytes: string | Uint8Array, toHead = false): Promise<RawAnswer> {
  const connection = await RawConnection.open(address);
  void connection.write(bytes);
  try {
    return await connection.answer(toHead);
  } finally {
    await connection.close();
  }
}

/** Sends bytes on a connection of their own, waits until the server closes it, and gives all that came. */
export async function untilClosed(address: RawAddress, bytes: string | Uint8Array): Promise<string> {
  const connection = await RawConnection.open(address);
  void connection.write(bytes);
  await connection.end();
  return connection.rest.toString('latin1');
}

/** What every refusal of the service has in common. */
export function expectRefusal({ status, headers, json }: RawAnswer, expectedStatus: number, message: string): void {
  expect({ status, json }).toMatchObject({ status: expectedStatus, json: { success: false, message } });
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-request-id')).toMatch(/^\S+$/);
}

function readJson(body: Buffer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * A new key that the server knows.
 *
 * Made beside the running server, which honours it within a second: mostly at once, but not always on the next request.
 */
export async function knownKey(server: TestServer, ownerId: string, role?: Role): Promise<string> {
  const key = await server.key(ownerId, ownerId, role);
  const deadline = performance.now() + 2_000;
  while ((await server.request('GET', '/v1/rules', { key })).status === 401) {
    if (performance.now() > deadline) throw new Error('the server does not honour a new key');
  }
  return key;
}
