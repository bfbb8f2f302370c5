/**
 * What Node's own HTTP server, strict, makes of bytes on a connection: which requests it saw, and what it refused.
 *
 * The second opinion of `npm run prove -- http-fuzz`.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  /** As received, with its query. */
  readonly url: string;
  /** As UTF-8. */
  readonly body: string;
}

export interface Opinion {
  /** Requests whose heads came whole. */
  readonly begun: readonly SeenRequest[];
  /** Of these, those whose bodies did too. */
  readonly whole: readonly SeenRequest[];
  /** Undefined when nothing was refused. */
  readonly refusal: { readonly code: string; readonly at: number } | undefined;
}

/** Not refusals of anything that was sent: the connection ended early, or had been closed as was asked for. */
const ENDS = new Set(['HPE_INVALID_EOF_STATE', 'HPE_CLOSED_CONNECTION', 'ECONNRESET', 'EPIPE']);

interface Asked {
  readonly seen: { request: SeenRequest; isWhole: boolean }[];
  refusal: Opinion['refusal'];
}

export class HttpOracle {
  readonly #server: Server;
  /** By the port that is asked from. */
  readonly #asked = new Map<number, Asked>();

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
      this.#note(incoming);
      incoming.on('end', () => outgoing.end());
      incoming.on('error', () => undefined);
    });
    this.#server.on('clientError', (error: Error & { code?: string; bytesParsed?: number }, socket: Socket) => {
      const asked = this.#asked.get(socket.remotePort as number);
      const { code = '', bytesParsed = 0 } = error;
      if (asked !== undefined && !ENDS.has(code)) asked.refusal = { code, at: bytesParsed };
      socket.destroy();
    });
  }

  static async start(): Promise<HttpOracle> {
    const oracle = new HttpOracle();
    await new Promise<void>((listening) => oracle.#server.listen(0, '127.0.0.1', listening));
    return oracle;
  }

  /** Sends bytes on a connection of their own, in one packet. */
  async ask(bytes: Buffer): Promise<Opinion> {
    const socket = connect((this.#server.address() as AddressInfo).port, '127.0.0.1');
    await new Promise((connected, failed) => socket.once('connect', connected).once('error', failed));
    const port = socket.localPort as number;
    const asked: Asked = { seen: [], refusal: undefined };
    this.#asked.set(port, asked);
    socket.on('error', () => undefined);
    socket.resume();
    socket.end(bytes);
    await new Promise((closed) => socket.once('close', closed));
    this.#asked.delete(port);
    const begun = asked.seen.map(({ request }) => request);
    const whole = asked.seen.filter(({ isWhole }) => isWhole).map(({ request }) => request);
    return { begun, whole, refusal: asked.refusal };
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #note(incoming: IncomingMessage): void {
    const asked = this.#asked.get(incoming.socket.remotePort as number);
    if (asked === undefined) return;
    const { method = '', url = '' } = incoming;
    const entry = { request: { method, url, body: '' }, isWhole: false };
    asked.seen.push(entry);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      entry.request = { ...entry.request, body: Buffer.concat(chunks).toString() };
      entry.isWhole = incoming.complete;
    });
  }
}
