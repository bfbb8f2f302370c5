/**
 * A proxy in front of a server, for how a page behaves when requests fail: it answers some of them with a refusal, late, by half or never,
 * and can be away, as a server that restarts is. It serves axe beside what the server does.
 */
import { createServer, request as send, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { AXE, AXE_HEADERS, AXE_PATH, axeOrigins } from './axe-file.ts';

/** A status, answered as the API refuses; or what happens to the request instead. */
export type Fault =
  | 401
  | 412
  | 500
  | 503
  /** Nothing is answered, and the connection stays. */
  | 'never'
  /** The connection ends in the middle of the answer's first bytes. */
  | 'cut'
  /** The request is passed on after that time. */
  | { readonly delayMs: number };

const MESSAGES = {
  401: 'Unauthorized action',
  412: 'Precondition failed',
  500: 'server error',
  503: 'Service draining',
};

interface Rule {
  readonly pattern: RegExp;
  readonly fault: Fault;
  timesLeft: number;
}

export class FaultProxy {
  /** What was asked for, in order: "GET /v1/mocks?limit=10". */
  readonly requests: string[] = [];
  port = 0;
  readonly #target: () => number;
  readonly #server: Server;
  #rules: Rule[] = [];

  /** @param target The port of the server behind it, asked for at each request. */
  constructor(target: () => number) {
    this.#target = target;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Listens: at first on a free port, then on the same. */
  async up(): Promise<void> {
    await new Promise<void>((listening) => this.#server.listen(this.port, '127.0.0.1', listening));
    this.port = (this.#server.address() as AddressInfo).port;
    axeOrigins.add(`http://127.0.0.1:${this.port}`);
  }

  /** Cuts every connection, and refuses new ones. */
  async down(): Promise<void> {
    const closed = new Promise((resolved) => this.#server.close(resolved));
    this.#server.closeAllConnections();
    await closed;
  }

  /**
   * @param pattern Of the method and the address, as in `requests`.
   * @param times How many requests it happens to; all when absent.
   */
  fail(pattern: RegExp, fault: Fault, times = Infinity): void {
    this.#rules.push({ pattern, fault, timesLeft: times });
  }

  /** Ends all faults. What has got no answer gets none. */
  heal(): void {
    this.#rules = [];
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === AXE_PATH) return void response.writeHead(200, AXE_HEADERS).end(AXE);
    const line = `${request.method} ${request.url}`;
    this.requests.push(line);
    const rule = this.#rules.find(({ pattern, timesLeft }) => timesLeft > 0 && pattern.test(line));
    if (rule === undefined) return this.#pass(request, response);
    rule.timesLeft--;
    const { fault } = rule;
    if (fault === 'never') return;
    if (typeof fault === 'number') return refuse(request, response, fault);
    if (fault !== 'cut') await wait(fault.delayMs);
    return this.#pass(request, response, fault === 'cut');
  }

  #pass(request: IncomingMessage, response: ServerResponse, isCut = false): void {
    const { method, url, headers } = request;
    const upstream = send({ host: '127.0.0.1', port: this.#target(), method, path: url, headers, agent: false });
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode as number, answer.rawHeaders);
      response.flushHeaders();
      if (!isCut) answer.pipe(response);
      else {
        answer.once('data', (chunk: Buffer) =>
          response.write(chunk.subarray(0, chunk.length >> 1), () => response.destroy()),
        );
      }
    });
    // The server behind is away, or has cut the connection.
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, status: keyof typeof MESSAGES): void {
  // Read to its end, so that the connection can be used again.
  request.resume();
  const waiting = status === 503 ? { 'retry-after': '1' } : {};
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `fault-${status}`, ...waiting });
  response.end(JSON.stringify({ success: false, message: MESSAGES[status] }));
}
