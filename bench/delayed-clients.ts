/**
 * Many connections of one client process: when told, it opens them; when told, it sends one request on each and waits for all
 * answers.
 *
 * Raw sockets: an HTTP client would spend more on ten thousand requests than the server does. Times are of the system's monotonic
 * clock, which all processes share.
 */
import { connect, type Socket } from 'node:net';

export interface DelayedOptions {
  readonly port: number;
  /** Host header of the mock. */
  readonly host: string;
  readonly connections: number;
}

export type DelayedQuestion = 'open' | 'send';

/** Milliseconds of the monotonic clock. */
export type DelayedAnswer = { readonly firstSent: number; readonly lastReceived: number };

/** Connections that are opened at once: a full backlog makes the system try again a second later. */
const OPENING_MAX = 100;

const { port, host, connections } = JSON.parse(process.argv[2] as string) as DelayedOptions;
const REQUEST = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
/** The end of every answer. */
const END = '\r\n\r\n{}';

const sockets: Socket[] = [];
process.on('message', (question: DelayedQuestion) => {
  void (question === 'open' ? openAll() : sendAll()).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function openAll(): Promise<'open'> {
  while (sockets.length < connections) {
    const count = Math.min(OPENING_MAX, connections - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: count }, open))));
  }
  return 'open';
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket));
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => fail('a connection was closed'));
  });
}

function sendAll(): Promise<DelayedAnswer> {
  return new Promise((resolve) => {
    const firstSent = now();
    let left = sockets.length;
    for (const socket of sockets) {
      let received = '';
      const hear = (chunk: string): void => {
        received += chunk;
        if (!received.endsWith(END)) return;
        if (!received.startsWith('HTTP/1.1 200 ')) return fail(`a request was answered with ${received}`);
        socket.off('data', hear);
        if (--left === 0) resolve({ firstSent, lastReceived: now() });
      };
      socket.on('data', hear);
      socket.write(REQUEST);
    }
  });
}

function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function fail(why: string): void {
  process.stderr.write(`delayed clients: ${why}\n`);
  process.exit(1);
}
