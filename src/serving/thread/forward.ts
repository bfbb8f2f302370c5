/**
 * Sends a request on to the node that serves its mock, and the reply back as it comes.
 *
 * Only where a balancer did not know better: it costs a second request. What a proxy may change is changed: `connection`
 * is not sent on, a chunked body gets a length, and a reply that is no HTTP closes the connection.
 */
import type { IncomingMessage } from 'node:http';
import { request, type Agent } from 'node:https';
import { FORWARDS_GIVEN_UP_MS, PEER_HEAD_BYTES_MAX } from '../../limits.ts';
import { isPeerHeader, PEER_HEADERS } from '../../wire/peer-headers.ts';
import { peerAddress, peerAgent } from '../../wire/peer-tls.ts';
import { addressText } from './address-text.ts';
import type { Exchange } from './exchange.ts';
import type { CollectedBody } from './request-bodies.ts';

/** What the connection is about, rather than the request. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'expect',
]);

/** Why nothing was answered: nothing was done either, except when it was lost. */
export type NotForwarded = 'moved' | 'unreachable' | 'lost';

export class Forwarder {
  readonly #agent: Agent;
  /** By the address of their node. */
  readonly #running = new Map<string, Set<() => void>>();

  /** @param key From `peerKey`. */
  constructor(key: Uint8Array) {
    this.#agent = peerAgent(Buffer.from(key));
  }

  /** @param onFailed Called when there is no reply. */
  forward(exchange: Exchange, address: string, body: CollectedBody, onFailed: (why: NotForwarded) => void): void {
    exchange.wait();
    const { head, res } = exchange;
    const headers = [PEER_HEADERS.client, addressText(res.getRemoteAddress())];
    for (let index = 0; index < head.headers.length; index += 2) {
      const name = head.headers[index] as string;
      if (!HOP_HEADERS.has(name) && !isPeerHeader(name)) headers.push(name, octets(head.headers[index + 1] as string));
    }
    const bytes = body.bytes === undefined ? undefined : Buffer.from(body.bytes);
    if (head.hasBody) headers.push('content-length', String(bytes?.length ?? 0));
    const path = octets(`/mock${head.path}${head.query === '' ? '' : `?${head.query}`}`);
    const running = this.#running.get(address) ?? new Set<() => void>();
    this.#running.set(address, running);
    let isSettled = false;
    const settle = (): boolean => {
      if (isSettled) return false;
      isSettled = true;
      running.delete(lose);
      return true;
    };
    const fail = (why: NotForwarded): void => {
      if (settle() && exchange.open) onFailed(why);
    };
    const asked = request(
      {
        ...peerAddress(address),
        method: head.method,
        path,
        headers,
        setHost: false,
        agent: this.#agent,
        maxHeaderSize: PEER_HEAD_BYTES_MAX,
      },
      (reply) => {
        if (reply.headers[PEER_HEADERS.moved] !== undefined) {
          reply.resume();
          return fail('moved');
        }
        if (!settle()) return undefined;
        if (reply.headers[PEER_HEADERS.broken] !== undefined) {
          reply.resume();
          return exchange.breakOff();
        }
        return sendReply(exchange, reply);
      },
    );
    const lose = (): void => {
      fail('lost');
      asked.destroy();
    };
    running.add(lose);
    let isSent = false;
    asked.on('socket', (socket) => {
      const sent = (): void => {
        isSent = true;
      };
      if (socket.connecting) socket.once('secureConnect', sent);
      else isSent = true;
    });
    // A connection that was kept may have been closed in the meantime, before anything of this request was read.
    asked.on('error', () => fail(isSent && !asked.reusedSocket ? 'lost' : 'unreachable'));
    exchange.onAborted = () => {
      settle();
      asked.destroy();
    };
    asked.end(bytes);
  }

  /** Gives up what waits for nodes that are not alive any more, soon: one that stops still answers what it has. */
  keep(addresses: readonly string[]): void {
    for (const [address, running] of this.#running) {
      if (addresses.includes(address) || running.size === 0) continue;
      this.#running.delete(address);
      setTimeout(() => {
        for (const lose of running) lose();
      }, FORWARDS_GIVEN_UP_MS).unref();
    }
  }
}

/** A text of UTF-8 as `node:http` writes it: a character for each byte. */
function octets(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function sendReply(exchange: Exchange, reply: IncomingMessage): void {
  const { statusCode = 500, statusMessage = '', rawHeaders } = reply;
  let head = `${statusCode} ${statusMessage}`;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    const isKept = name.toLowerCase() === 'keep-alive' || !HOP_HEADERS.has(name.toLowerCase());
    if (isKept) head += `\r\n${name}: ${Buffer.from(rawHeaders[index + 1] as string, 'latin1').toString()}`;
  }
  const length = Number(reply.headers['content-length'] ?? 0);
  const isBodyless = statusCode === 204 || statusCode === 304;
  if (length === 0 || exchange.head.isHead || isBodyless) {
    reply.resume();
    // Of a HEAD, only its length counts.
    return exchange.send(head, exchange.head.isHead ? new ArrayBuffer(length) : '', isBodyless);
  }
  if (!exchange.takeOver()) return void reply.destroy();
  return pipeBody(exchange, reply, head, length);
}

function pipeBody(exchange: Exchange, reply: IncomingMessage, head: string, length: number): void {
  const { res } = exchange;
  /** What of the last part is not written yet, and its place in the body. */
  let rest: Buffer | undefined;
  let restAt = 0;
  let received = 0;
  let start = 0;
  exchange.onAborted = () => reply.destroy();
  const write = (part: Buffer, at: number): void => {
    if (exchange.closes && at + part.length === length) res.pause();
    const [isWritten, hasEnded] = res.tryEnd(part, length);
    if (hasEnded) return exchange.finish();
    if (isWritten) return void reply.resume();
    rest = part;
    restAt = at;
    return void reply.pause();
  };
  exchange.cork(() => {
    res.writeStatus(head);
    if (exchange.closes) res.writeHeader('connection', 'close');
    start = res.getWriteOffset();
    res.onWritable(() => {
      if (rest === undefined || exchange.isAborted) return true;
      const part = rest.subarray(res.getWriteOffset() - start - restAt);
      const at = restAt + rest.length - part.length;
      rest = undefined;
      write(part, at);
      return rest === undefined;
    });
  });
  reply.on('data', (chunk: Buffer) => {
    const at = received;
    received += chunk.length;
    if (!exchange.isAborted) exchange.cork(() => write(chunk, at));
  });
  // It was cut, or its node has ended.
  reply.on('close', () => {
    if (received < length && !exchange.isAborted) setImmediate(() => exchange.breakOff());
  });
  reply.on('error', () => undefined);
}
