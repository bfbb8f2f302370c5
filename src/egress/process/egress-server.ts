/** Takes the calls of serving threads from a Unix socket, in envelopes (forward/envelope.ts), and answers each in one. */
import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { pack, unpack } from '../../forward/envelope.ts';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import type { UpstreamCall } from '../../forward/upstream-call.ts';
import { PEER_IDLE_MS } from '../../limits.ts';
import type { Upstreams } from '../forward/upstreams.ts';

export class EgressServer {
  readonly #upstreams: Upstreams;
  readonly #token: string;
  readonly #server: Server;

  constructor(upstreams: Upstreams, token: string) {
    this.#upstreams = upstreams;
    this.#token = token;
    this.#server = createServer({ keepAliveTimeout: 2 * PEER_IDLE_MS, requestTimeout: 0 }, (asked, reply) => {
      void this.#answer(asked, reply).catch(() => reply.destroy());
    });
  }

  /** @throws The error of the file system, or of the socket. */
  async listen(socketPath: string): Promise<void> {
    const folder = dirname(socketPath);
    // What a process before this one has left.
    rmSync(socketPath, { force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(socketPath, resolve);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    if (asked.headers[FORWARDED_HEADER] !== this.#token) return void reply.writeHead(403).end();
    const chunks: Buffer[] = [];
    // The thread has collected the body within its bounds.
    for await (const chunk of asked as AsyncIterable<Buffer>) chunks.push(chunk);
    const sent = unpack(Buffer.concat(chunks));
    if (sent === undefined) return void reply.writeHead(400).end();
    if (reply.destroyed) return undefined;
    const flow = this.#upstreams.forward(sent.head as UpstreamCall, sent.body, {
      onHead: (head) => void reply.write(pack(head)),
      onData(chunk) {
        if (!reply.write(chunk)) flow.pause();
      },
      onEnd: () => void reply.end(),
      onCut: () => void reply.destroy(),
      onFailure: (unanswered, reason) => void reply.end(pack({ unanswered, reason })),
    });
    reply.on('drain', () => flow.resume());
    reply.on('close', () => {
      if (!reply.writableFinished) flow.cancel();
    });
    return undefined;
  }
}
