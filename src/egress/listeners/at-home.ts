/**
 * Requests to the gateway of an owner that another node has: sent on to it as they came, and its answers back. What belongs to the
 * connection of the client, and who that is, goes in a line of its own.
 */
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { PASSED_ON_HOP_HEADERS } from '../../base/hop-headers.ts';
import { headerValue } from '../forward/lines.ts';
import type { UpstreamRequest, Upstreams } from '../forward/upstreams.ts';
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import { RECEIVED_HEADER } from '../../forward/peer-headers.ts';
import { FORWARDED_CALL_MS, FORWARDS_GIVEN_UP_MS } from '../../limits.ts';
import { hasBody } from '../live-rules/ruled-messages.ts';
import type { GatewayTarget } from './gateway-head.ts';
import { refuse } from './gateway-replies.ts';
import type { Handshake } from './handshakes.ts';

/** Longer than that node takes until it gives up itself. */
const ANSWER_MS = 600_000 + FORWARDED_CALL_MS;

const FRAMING = 'transfer-encoding';
const OF_MESSAGE: ReadonlySet<string> = new Set([FRAMING, 'content-length']);

/** They say how this connection is used, and the client of that node writes its own. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...PASSED_ON_HOP_HEADERS.filter((name) => !OF_MESSAGE.has(name)),
  'proxy-connection',
]);

/** The node that answers has written them for its own connection. */
const OF_ANSWER: ReadonlySet<string> = new Set(['connection', 'keep-alive', FRAMING]);

interface ReceivedHead {
  /** The address of the client. */
  readonly client: string;
  /** The lines that could not be sent as they are: names and values, alternating. */
  readonly lines: readonly string[];
}

/** @param raw Names and values, alternating. */
function split(raw: readonly string[], isKept: (name: string) => boolean): [kept: string[], others: string[]] {
  const both: [string[], string[]] = [[], []];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    both[isKept(name.toLowerCase()) ? 0 : 1].push(name, raw[index + 1] as string);
  }
  return both;
}

/** The lines of a request as the other node gets them. */
function linesToHome({ rawHeaders, socket }: IncomingMessage): string[] {
  const own = (name: string): boolean => OF_CONNECTION.has(name) || name === RECEIVED_HEADER;
  const [lines, others] = split(rawHeaders, (name) => !own(name) && name !== FRAMING);
  const [said] = split(others, (name) => OF_CONNECTION.has(name));
  const received: ReceivedHead = { client: socket.remoteAddress ?? '', lines: said };
  return [...lines, RECEIVED_HEADER, Buffer.from(JSON.stringify(received)).toString('base64')];
}

/** At the other node: makes the request look as its client has sent it. @returns The address of the client. */
export function restoreClient(req: IncomingMessage): string {
  const [lines, others] = split(req.rawHeaders, (name) => name !== RECEIVED_HEADER);
  const { client, lines: said } = JSON.parse(Buffer.from(others[1] ?? '', 'base64').toString()) as ReceivedHead;
  req.rawHeaders = [...lines, ...said];
  return client;
}

/** Requests that other nodes have not answered yet, and tunnels that lead there: given up when they are not alive any more. */
export class AtOthers {
  /** By their internal addresses. */
  readonly #giveUp = new Map<string, Set<() => void>>();

  /** @param answer Is closed when it is over. */
  add(node: string, answer: EventEmitter, giveUp: () => void): void {
    const those = this.#giveUp.get(node) ?? new Set();
    this.#giveUp.set(node, those.add(giveUp));
    answer.once('close', () => {
      those.delete(giveUp);
      if (those.size === 0 && this.#giveUp.get(node) === those) this.#giveUp.delete(node);
    });
  }

  /** One that stops still answers what it has. */
  keep(addresses: readonly string[]): void {
    for (const [node, those] of this.#giveUp) {
      if (addresses.includes(node)) continue;
      this.#giveUp.delete(node);
      setTimeout(() => those.forEach((giveUp) => giveUp()), FORWARDS_GIVEN_UP_MS).unref();
    }
  }
}

interface HomeElsewhere {
  /** Its internal address. */
  readonly node: string;
  readonly ownerId: string;
  readonly upstreams: Pick<Upstreams, 'send'>;
  readonly atOthers: AtOthers;
  /** Called when it is not the home any more, or cannot be reached. @returns Whether the request is sent where the home is now. */
  readonly onMoved: (isUnsent: boolean) => boolean;
}

export function forwardToOwner(
  req: IncomingMessage,
  res: ServerResponse,
  { url }: GatewayTarget,
  { node, ownerId, upstreams, atOthers, onMoved }: HomeElsewhere,
  handshake?: Handshake,
): void {
  let isOver = false;
  const isSized = req.headers[FRAMING] === undefined;
  const body = hasBody(req) ? bodyOf(req, isSized) : null;
  const flow = upstreams.send(
    { ...requestToHome(req, url, node), ownerId, body, upgrade: handshake && 'websocket' },
    {
      onHead(head) {
        if (isOver) return;
        // It has not done anything. Lines of this name are of no one else.
        const isMoved = head.status === 503 && headerValue(head.headers, 'x-switchyard-error') === 'home';
        if (isMoved && onMoved(body === null)) {
          isOver = true;
          return flow.cancel();
        }
        writeHead(req, res, head);
        // A head goes out with what follows at once, and does not wait for what comes later.
        setImmediate(() => isOver || res.writableLength > 0 || res.flushHeaders());
      },
      onUpgrade({ status, reason, headers }, socket) {
        socket.once('error', () => undefined);
        if (isOver) return void socket.destroy();
        res.sendDate = false;
        res.writeHead(status, reason, [...headers]);
        return handshake?.join(socket);
      },
      onData(chunk) {
        if (isOver || res.write(chunk)) return;
        flow.pause();
        res.once('drain', () => flow.resume());
      },
      onEnd: () => void res.end(),
      onCut: () => void res.destroy(),
      onFailure(kind, reason) {
        if (isOver) return;
        if (kind === 'unreachable' && onMoved(isSized)) isOver = true;
        // What was sent may have been answered there.
        else if (kind === 'lost' || kind === 'timeout') refuse(res, kind, reason);
        else refuse(res, 'home', reason);
      },
    },
  );
  atOthers.add(node, res, () => {
    if (isOver || res.writableEnded) return;
    if (res.headersSent) return void req.socket.destroy();
    isOver = true;
    flow.cancel();
    refuse(res, 'lost', `${node}: the node has ended`);
  });
  res.once('close', () => {
    isOver = true;
    if (!res.writableFinished) flow.cancel();
  });
}

function requestToHome(req: IncomingMessage, url: string, node: string): Omit<UpstreamRequest, 'ownerId' | 'body'> {
  return {
    kind: 'gateway',
    method: req.method ?? 'GET',
    target: new URL(`http://${node}`),
    path: url,
    headers: linesToHome(req),
    timeoutMs: ANSWER_MS,
    passes: 0,
    node,
    answerLines: (lines) => lines,
  };
}

/** Writes the head of that node's answer. The connection of the client ends where its request is not read to its end. */
function writeHead(req: IncomingMessage, res: ServerResponse, { status, reason, headers }: ReplyHeadSent): void {
  res.sendDate = false;
  if (!req.complete || /\bclose\b/i.test(headerValue(headers, 'connection') ?? '')) res.shouldKeepAlive = false;
  res.writeHead(status, reason, split(headers, (name) => !OF_ANSWER.has(name))[0]);
}

/** Its end, when that node is lost, must not be that of the client's connection. @param isLate Whether it is not read before a connection takes it. */
function bodyOf(req: IncomingMessage, isLate: boolean): PassThrough {
  const body = new PassThrough();
  return isLate ? body.once('resume', () => req.pipe(body)) : req.pipe(body);
}

/** The request for a tunnel, as the other node gets it. */
export function connectHead(req: IncomingMessage): Buffer {
  const lines = linesToHome(req);
  const written = lines.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${lines[index + 1]}\r\n`] : []));
  return Buffer.from(`CONNECT ${req.url} HTTP/1.1\r\n${written.join('')}\r\n`, 'latin1');
}
