/**
 * The internal port: answers what other nodes ask of this one, and passes the requests that they have received on to this
 * node's own ports, with a token by which those know it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect } from 'node:net';
import { PassThrough, type Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import { HOP_HEADERS } from '../base/hop-headers.ts';
import { ownPorts } from '../base/own-ports.ts';
import { PortError } from '../base/port-error.ts';
import { pack, type NoAnswerReason } from '../forward/envelope.ts';
import { FORWARDED_HEADER, GATEWAY_PATH, GATEWAY_PROTOCOL, MOVED_HEADER, RAW_HEADER } from '../forward/peer-headers.ts';
import { peerAddress, peerServerOptions } from '../forward/peer-tls.ts';
import type { PeerAnswers, PeerTarget } from '../forward/peers.ts';
import { makePool } from '../forward/pool.ts';
import { send, type Flow } from '../forward/send.ts';
import { DRAIN_MS, OWN_PORT_IDLE_MS, PEER_LINGER_MS } from '../limits.ts';

/** The head of a reply from the own ports: none is as large. */
const OWN_REPLY_HEAD_BYTES_MAX = 1_073_741_824;

interface PeerServerOptions {
  /** `host:port` to listen on, and where other nodes reach it. */
  readonly listen: string;
  readonly address: string;
  readonly key: Buffer;
  readonly token: string;
  /** The ports of this node. */
  readonly host: string;
  readonly isTls: boolean;
  readonly ports: () => Readonly<Record<PeerTarget, number>>;
  readonly answers: { [Question in keyof PeerAnswers]: (mockIds: string[]) => Promise<PeerAnswers[Question]> };
  /** A Unix socket of the gateway, which takes what other nodes have received; undefined without one. */
  readonly gatewayPath: string | undefined;
  readonly log: { warn(fields: object, message: string): void };
}

const QUESTION_BYTES_MAX = 10_000_000;
const REFUSALS_LOGGED_MS = 60_000;

export class PeerServer {
  readonly #options: PeerServerOptions;
  readonly #server: Server;
  readonly #ownPorts: Partial<Record<PeerTarget, Pool>> = {};
  /** Connections that were passed on to the gateway. */
  readonly #passedOn = new Set<Duplex>();
  #refusedAt = -Infinity;
  /** Since when nothing more is taken. */
  #stoppedAt: number | undefined;

  private constructor(options: PeerServerOptions) {
    this.#options = options;
    this.#server = createServer(peerServerOptions(options.key), (req, reply) => this.#answer(req, reply));
    this.#server.on('upgrade', (req: IncomingMessage, socket: Duplex) => this.#toGateway(req, socket));
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
    ownPorts.add(port);
    return peers;
  }

  /**
   * Answers what it has, and takes nothing more: others then look for the homes of their requests again. Connections end with
   * such an answer, since a request that meets the end of its connection is lost.
   */
  stopTaking(): void {
    this.#stoppedAt ??= performance.now();
  }

  async close(): Promise<void> {
    this.stopTaking();
    const inUseMs = (this.#stoppedAt as number) + PEER_LINGER_MS - performance.now();
    if (inUseMs > 0) await sleep(inUseMs);
    for (const socket of this.#passedOn) socket.destroy();
    const timer = setTimeout(() => this.#server.closeAllConnections(), DRAIN_MS);
    await new Promise((resolve) => this.#server.close(resolve));
    clearTimeout(timer);
    await Promise.all(Object.values(this.#ownPorts).map((pool) => pool.destroy()));
  }

  /** Logged once in a while: a node with another secret tries again and again. */
  #refused(error: Error): void {
    if (performance.now() - this.#refusedAt < REFUSALS_LOGGED_MS) return;
    this.#refusedAt = performance.now();
    this.#options.log.warn(
      { err: error },
      'refused a connection to the internal port: every node needs the same SWITCHYARD_CLUSTER_SECRET',
    );
  }

  #answer(req: IncomingMessage, reply: ServerResponse): void {
    const [, target = '', rest = ''] = /^\/(rpc|api|mock)\/(\w+)$/.exec(req.url ?? '') ?? [];
    if (target === 'rpc') return void this.#answerQuestion(req, reply, rest);
    if (target === '') return void reply.writeHead(404).end();
    if (this.#stoppedAt !== undefined) {
      req.resume();
      return void reply.writeHead(200, { connection: 'close' }).end(pack({ unanswered: 'moved' }));
    }
    return this.#passOn(req, reply, target as PeerTarget, rest === 'head' ? 'HEAD' : 'POST');
  }

  /** A connection whose requests are for the gateway: each byte is passed on, both ways. */
  #toGateway(req: IncomingMessage, socket: Duplex): void {
    const { gatewayPath } = this.#options;
    socket.on('error', () => undefined);
    if (req.url !== GATEWAY_PATH || gatewayPath === undefined || this.#stoppedAt !== undefined) {
      return void socket.end('HTTP/1.1 503 Not taken\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    }
    const own = connect(gatewayPath);
    own.on('error', () => undefined).once('close', () => socket.destroy());
    this.#passedOn.add(socket);
    socket.once('close', () => {
      this.#passedOn.delete(socket);
      own.destroy();
    });
    own.once('connect', () => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${GATEWAY_PROTOCOL}\r\n\r\n`);
      socket.pipe(own).pipe(socket);
    });
    return undefined;
  }

  async #answerQuestion(req: IncomingMessage, reply: ServerResponse, question: string): Promise<void> {
    try {
      const answer = this.#options.answers[question as keyof PeerAnswers];
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of req as AsyncIterable<Buffer>) {
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

  /** @param method The answer to HEAD ends at its head, whatever length that says. */
  #passOn(req: IncomingMessage, reply: ServerResponse, target: PeerTarget, method: 'HEAD' | 'POST'): void {
    const { token } = this.#options;
    const refuse = (why: NoAnswerReason): void => void reply.end(pack({ unanswered: why }));
    let isMoved = false;
    let flow: Flow | undefined;
    reply.on('drain', () => flow?.resume());
    reply.on('close', () => {
      if (!reply.writableFinished) flow?.cancel();
      // Answered before its body was read: the next request of this connection comes behind that.
      req.unpipe().resume();
    });
    const outgoing = {
      method,
      path: '/',
      headers: [
        FORWARDED_HEADER,
        token,
        'content-length',
        req.headers['content-length'] ?? '0',
        ...(target === 'mock' ? ['host', this.#mockAddress] : []),
      ],
      // A client that fails destroys the body that it was given, and with `req` the reply.
      body: req.pipe(new PassThrough()),
      headMs: 0,
      silenceMs: 0,
    } as const;
    flow = send(this.#ownPort(target), outgoing, {
      onHead(status, reason, headers) {
        const said = headers[headers.indexOf(token) - 1];
        isMoved = said === MOVED_HEADER;
        if (isMoved) return refuse('moved');
        const length = headers.findIndex((name) => name.toLowerCase() === 'content-length');
        const bodyBytes = length === -1 ? undefined : Number(headers[length + 1]);
        const isRaw = said === RAW_HEADER;
        return void reply.write(pack({ status, reason, headers: linesToPassOn(headers), bodyBytes, isRaw }));
      },
      onData(chunk) {
        if (!isMoved && !reply.write(chunk)) flow?.pause();
      },
      onEnd() {
        if (!isMoved) reply.end();
      },
      onLost(wasSent) {
        if (isMoved) return;
        // The answer is cut where this node's own was.
        if (reply.headersSent) reply.destroy();
        else if (!wasSent) refuse('unreachable');
        else refuse(target === 'mock' ? 'broken' : 'lost');
      },
    });
  }

  /** Where other machines reach the mocks of this node, as far as it knows. */
  get #mockAddress(): string {
    const { address, ports } = this.#options;
    return `${ownAddress(peerAddress(address).host)}:${ports().mock}`;
  }

  #ownPort(target: PeerTarget): Pool {
    const { host, isTls, ports } = this.#options;
    return (this.#ownPorts[target] ??= makePool(
      `${isTls ? 'https' : 'http'}://${ownAddress(host)}:${ports()[target]}`,
      {
        // As many as other nodes send: those hold a connection to this server each.
        connections: null,
        keepAliveTimeout: OWN_PORT_IDLE_MS,
        keepAliveMaxTimeout: OWN_PORT_IDLE_MS,
        maxHeaderSize: OWN_REPLY_HEAD_BYTES_MAX,
        // It is this machine itself.
        connect: { rejectUnauthorized: false },
      },
    ));
  }
}

/** uWebSockets.js adds the last two to every reply, also where it is passed on to. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([...HOP_HEADERS, 'date', 'uwebsockets']);

/** @param lines Names and values, alternating. */
function linesToPassOn(lines: readonly string[]): string[] {
  return lines.filter((_, index) => !NOT_PASSED_ON.has((lines[index - (index % 2)] as string).toLowerCase()));
}

/** Where a port that is bound to all addresses is reached from here. */
function ownAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
