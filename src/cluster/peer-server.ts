/**
 * The internal port: what other nodes ask of this one, and the requests that they have received for its mocks.
 *
 * A request for a mock, or of the API about one, is handed to this node's own ports, with a token by which they know it.
 * Whatever a client has sent under the names of such headers is removed.
 */
import { Agent, request, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, createServer, request as tlsRequest, type Server } from 'node:https';
import { PortError } from '../base/port-error.ts';
import { DRAIN_MS, PEER_HEAD_BYTES_MAX } from '../limits.ts';
import { isPeerHeader, PEER_HEADERS } from '../wire/peer-headers.ts';
import { peerAddress, peerServerOptions } from '../wire/peer-tls.ts';
import type { PeerAnswers } from './peer-client.ts';

export interface PeerServerOptions {
  /** `host:port` to listen on. */
  readonly listen: string;
  readonly key: Buffer;
  readonly token: string;
  /** Of this node's own ports. */
  readonly host: string;
  readonly isTls: boolean;
  readonly ports: () => { readonly api: number; readonly mock: number };
  readonly answers: { [Question in keyof PeerAnswers]: (mockIds: string[]) => Promise<PeerAnswers[Question]> };
  readonly log: { warn(fields: object, message: string): void };
}

const QUESTION_BYTES_MAX = 10_000_000;
/** Of the connection to this node's port, rather than of the request. */
const HOP_HEADERS: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

export class PeerServer {
  readonly #options: PeerServerOptions;
  readonly #server: Server;
  readonly #agent: Agent;
  #refusedAt = -Infinity;

  private constructor(options: PeerServerOptions) {
    this.#options = options;
    this.#agent = options.isTls
      ? // Of this machine itself.
        new TlsAgent({ keepAlive: true, rejectUnauthorized: false })
      : new Agent({ keepAlive: true });
    this.#server = createServer(peerServerOptions(options.key), (asked, reply) => this.#answer(asked, reply));
    this.#server.on('tlsClientError', (error) => this.#refused(error));
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  /** @throws PortError */
  static async listen(options: PeerServerOptions): Promise<PeerServer> {
    const peers = new PeerServer(options);
    const { host, port } = peerAddress(options.listen);
    await new Promise<void>((resolve, reject) => {
      peers.#server.once('error', () => reject(new PortError(host, port, '--internal-listen')));
      peers.#server.listen(port, host, resolve);
    });
    return peers;
  }

  /** Answers what it has, and takes nothing more: others then look for the homes of their requests again. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#server.closeAllConnections(), DRAIN_MS);
    await new Promise((resolve) => this.#server.close(resolve));
    clearTimeout(timer);
    this.#agent.destroy();
  }

  /** Told once in a while: a node with another secret tries again and again. */
  #refused(error: Error): void {
    if (performance.now() - this.#refusedAt < REFUSAL_TOLD_MS) return;
    this.#refusedAt = performance.now();
    this.#options.log.warn(
      { err: error },
      'a connection to the internal port was refused: every node needs the same SWITCHYARD_CLUSTER_SECRET',
    );
  }

  #answer(asked: IncomingMessage, reply: ServerResponse): void {
    const [, target = '', path = ''] = /^\/(rpc|api|mock)(\/.*)$/.exec(asked.url ?? '') ?? [];
    if (target === 'rpc') return void this.#answerQuestion(asked, reply, path.slice(1));
    if (target === '') return void reply.writeHead(404).end();
    const { api, mock } = this.#options.ports();
    return this.#handOn(asked, reply, target === 'api' ? api : mock, path);
  }

  async #answerQuestion(asked: IncomingMessage, reply: ServerResponse, question: string): Promise<void> {
    try {
      const answer = this.#options.answers[question as keyof PeerAnswers];
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of asked as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes <= QUESTION_BYTES_MAX) chunks.push(chunk);
      }
      const mockIds = JSON.parse(Buffer.concat(chunks).toString()) as string[];
      const text = JSON.stringify(await answer(mockIds));
      reply.writeHead(200, { 'content-type': 'application/json' }).end(text);
    } catch {
      // The store is away, or the other node is of another version.
      reply.writeHead(503).end();
    }
  }

  #handOn(asked: IncomingMessage, reply: ServerResponse, port: number, path: string): void {
    const { host, isTls, token } = this.#options;
    const client = asked.headers[PEER_HEADERS.client];
    const headers = [PEER_HEADERS.forwarded, `${token}${typeof client === 'string' ? client : ''}`];
    forEachHeader(asked.rawHeaders, (name, value) => {
      const lower = name.toLowerCase();
      if (!HOP_HEADERS.has(lower) && !isPeerHeader(lower)) headers.push(name, value);
    });
    const options: RequestOptions = {
      host: ownAddress(host),
      port,
      path,
      method: asked.method,
      headers,
      setHost: false,
      agent: this.#agent,
      maxHeaderSize: PEER_HEAD_BYTES_MAX,
    };
    reply.sendDate = false;
    const own = (isTls ? tlsRequest : request)(options, (answer) => {
      const lines: string[] = [];
      forEachHeader(answer.rawHeaders, (name, value) => {
        const lower = name.toLowerCase();
        if (lower === 'keep-alive' || !HOP_HEADERS.has(lower)) lines.push(name, value);
      });
      reply.writeHead(answer.statusCode ?? 500, answer.statusMessage, lines);
      // A stream begins with nothing.
      reply.flushHeaders();
      answer.on('error', () => asked.socket.destroy());
      answer.on('aborted', () => asked.socket.destroy());
      answer.pipe(reply);
    });
    own.on('error', () => {
      if (reply.headersSent) return void asked.socket.destroy();
      return void reply.writeHead(502, [PEER_HEADERS.broken, '1']).end();
    });
    reply.on('close', () => {
      if (!reply.writableFinished) own.destroy();
    });
    asked.pipe(own);
  }
}

const REFUSAL_TOLD_MS = 60_000;

function forEachHeader(raw: readonly string[], use: (name: string, value: string) => void): void {
  for (let index = 0; index < raw.length; index += 2) use(raw[index] as string, raw[index + 1] as string);
}

/** Where a port that is bound to all addresses is reached from here. */
function ownAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
