/**
 * Calls about what only a mock's home knows: its traffic, sessions and scenarios. Any node takes them; one that is not the home sends them
 * on, and the home's answer back.
 */
import type { IncomingMessage } from 'node:http';
import { request, type Agent } from 'node:https';
import { isRefusal } from '../errors.ts';
import { FORWARDED_CALL_MS } from '../limits.ts';
import { PEER_HEADERS } from '../wire/peer-headers.ts';
import { peerAddress } from '../wire/peer-tls.ts';
import { receiveBody, refuseByHead } from './body.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { EVENT_STREAM } from './event-stream.ts';

/** Where the mocks are, of one of several nodes. */
export interface MockHomes {
  /** Known without asking. */
  readonly isOwn: (mockId: string) => boolean;
  /** The internal address of another node; undefined when this one answers. @throws StoreUnavailableError */
  readonly elsewhere: (mockId: string) => Promise<string | undefined>;
  readonly agent: Agent;
  /** Whether another node has sent it: then it is not sent on. */
  readonly isForwarded: (call: Call) => boolean;
}

/** Headers of an answer that every answer has of its own. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-request-id',
]);

/**
 * Answers a call here, or at the home of its mock.
 *
 * @param run Answers it here. `received` is the body, where it had to be received before that was known.
 */
export function answerAtHome(call: Call, { body }: Endpoint, homes: MockHomes, run: (received?: Buffer) => void): void {
  const [mockId = ''] = call.params;
  if (homes.isOwn(mockId)) return run();
  const proceed = (received?: Buffer): void =>
    void call.later(homes.elsewhere(mockId), (address) => {
      if (address === undefined) return run(received);
      if (homes.isForwarded(call)) return call.refuse('overloaded');
      return forward(call, address, homes.agent, received);
    });
  const isTaken = body !== undefined && call.head.hasBody && refuseByHead(call, body) === undefined;
  if (!isTaken) return proceed();
  return receiveBody(call, body.bytesMax, (received) =>
    isRefusal(received) ? call.refuse(received) : proceed(Buffer.from(received)),
  );
}

function forward(call: Call, address: string, agent: Agent, body: Buffer | undefined): void {
  const { head } = call;
  const headers: Record<string, string> = { [PEER_HEADERS.client]: '', 'x-request-id': call.requestId };
  const sent = {
    host: head.host,
    'x-api-key': head.apiKey,
    accept: head.acceptsHtml ? 'text/html' : undefined,
    'accept-encoding': head.acceptEncoding,
    'content-type': head.contentType,
    'content-length': body && String(body.length),
    'idempotency-key': head.idempotencyKey,
    'if-match': head.ifMatch,
    'if-none-match': head.ifNoneMatch,
    'last-event-id': head.lastEventId,
  };
  for (const [name, value] of Object.entries(sent)) {
    if (value !== undefined) headers[name] = Buffer.from(value).toString('latin1');
  }
  const path = Buffer.from(`/api${head.path}${head.query === '' ? '' : `?${head.query}`}`).toString('latin1');
  const asked = request(
    { ...peerAddress(address), method: head.method, path, headers, agent, setHost: false },
    (answer) => {
      clearTimeout(timer);
      if (answer.headers['content-type'] === EVENT_STREAM) return sendStream(call, answer);
      return sendWhole(call, answer);
    },
  );
  const timer = setTimeout(() => asked.destroy(new Error('it does not answer')), FORWARDED_CALL_MS);
  asked.on('error', () => {
    clearTimeout(timer);
    call.refuse('overloaded');
  });
  call.onFinished = () => asked.destroy();
  asked.end(body);
}

function sendWhole(call: Call, answer: IncomingMessage): void {
  const chunks: Buffer[] = [];
  answer.on('data', (chunk: Buffer) => chunks.push(chunk));
  answer.on('error', () => call.refuse('overloaded'));
  answer.on('end', () => {
    let lines = '';
    for (const [name, value] of Object.entries(answer.headers)) {
      if (!OWN_HEADERS.has(name) && !name.startsWith('access-control-') && typeof value === 'string')
        lines += `\r\n${name}: ${value}`;
    }
    // Of a HEAD, only its length counts.
    const isHead = call.head.method === 'HEAD';
    const body = isHead ? Buffer.alloc(Number(answer.headers['content-length'] ?? 0)) : Buffer.concat(chunks);
    call.send(answer.statusCode ?? 500, answer.headers['content-type'], body, lines);
  });
}

function sendStream(call: Call, answer: IncomingMessage): void {
  call.startStream(EVENT_STREAM);
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => {
    if (call.writeStream(text) || call.aborted) return;
    answer.pause();
    call.onceWritable(() => answer.resume());
  });
  answer.on('error', () => call.endStream());
  answer.on('end', () => call.endStream());
}
