/**
 * Handshakes of WebSockets. node:http leaves the connection of one to its receiver: the answer is written by a response that is made here,
 * and behind a 101 bytes pass both ways.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from './tunnels.ts';

/** How much a client may send before it is answered. */
const EARLY_BYTES_MAX = 65_536;
/** How long a client that was refused keeps its connection. */
const REFUSED_MS = 1_000;
/** Behind the end of one side there is nothing to wait for in this protocol, but what is on its way. */
const ENDED_MS = 10_000;

/** A request asks for another protocol. Others than this are not spoken here. */
export function isHandshake({ method, headers, httpVersion }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.trim().toLowerCase() === 'websocket';
}

export class Handshake {
  readonly res: ServerResponse;
  readonly #socket: Socket;
  #early: Buffer[];
  #earlyBytes = 0;
  readonly #onData = (chunk: Buffer): void => {
    this.#early.push(chunk);
    this.#earlyBytes += chunk.length;
    if (this.#earlyBytes > EARLY_BYTES_MAX) this.#socket.pause();
  };
  /** Nobody waits for the answer. */
  readonly #onEnd = (): void => void this.#socket.destroy();

  /** @param head What has come behind the request. */
  constructor(req: IncomingMessage, socket: Socket, head: Buffer) {
    this.#socket = socket;
    this.#early = [head];
    const res = new ServerResponse(req);
    this.res = res;
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    // It is read while the upstream is asked, since the end of a client is seen by reading alone.
    socket.on('data', this.#onData);
    socket.once('end', this.#onEnd);
    res.once('finish', () => {
      res.detachSocket(socket);
      res.emit('close');
      this.#early = [];
      socket.end();
      setTimeout(() => socket.destroy(), REFUSED_MS).unref();
    });
  }

  /** Behind the head of a 101. */
  join(upstream: Socket): void {
    const socket = this.#socket;
    this.res.flushHeaders();
    this.res.detachSocket(socket);
    socket.off('data', this.#onData).off('end', this.#onEnd).pause();
    socket.unshift(Buffer.concat(this.#early));
    join(socket, upstream, ENDED_MS);
  }
}

/** The head of a request as it came, but that it does not ask for another protocol. */
export function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.toLowerCase() !== 'upgrade') head += `${name}: ${rawHeaders[index + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
