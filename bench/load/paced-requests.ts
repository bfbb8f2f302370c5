/**
 * Requests at a fixed rate while others work, in a process of its own: one job per message, latencies or a failure back.
 *
 * The latency of a request counts from the moment that it was meant to be sent: a server that stops for a second is charged with
 * every request of that second, also with those that found no free connection (no coordinated omission). Between requests it
 * sleeps (pacer.mjs), since it shares the cores with what is measured; answers may be of any length. Sockets and a minimal
 * reading of answers, since a client library takes longer than the servers that are measured.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Load } from '../load-generator.ts';

export interface PacedLoad extends Pick<
  Load,
  'port' | 'method' | 'path' | 'headers' | 'body' | 'status' | 'connections' | 'seconds'
> {
  readonly requestsPerSecond: number;
}

/** Microseconds from the moment that a request was meant to be sent until its answer was there. */
export interface PacedResult {
  readonly requestCount: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export type PacedAnswer = { readonly result: PacedResult } | { readonly failure: string };

/** Until the first request, so that the pacer is not late for it. */
const LEAD_MICROSECONDS = 20_000;
/** Answers that come later than this after the last request was due do not come. */
const PATIENCE_MS = 30_000;

const pacer = new Worker(new URL('./pacer.mjs', import.meta.url));

/** `performance.now()` counts from another moment in each thread. */
function nowMicroseconds(): number {
  return Number(process.hrtime.bigint()) / 1e3;
}

async function run(load: PacedLoad): Promise<PacedResult> {
  const { requestsPerSecond, seconds } = load;
  const count = Math.max(1, Math.round(requestsPerSecond * seconds));
  const intervalMicroseconds = 1e6 / requestsPerSecond;
  const latencies = new Float64Array(count);
  const bytes = requestBytes(load);
  const free: Connection[] = [];
  let start = 0;
  let dueCount = 0;
  let sentCount = 0;
  let answeredCount = 0;

  const connections: Connection[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const patience = setTimeout(
        () => reject(new Error(`${count - answeredCount} of ${count} requests were not answered`)),
        seconds * 1e3 + PATIENCE_MS,
      );
      const sendDue = (): void => {
        while (sentCount < dueCount && free.length > 0) {
          // The one that has rested longest: servers close what is idle.
          (free.shift() as Connection).send(bytes, start + sentCount++ * intervalMicroseconds);
        }
      };
      const answered = (connection: Connection, latency: number): void => {
        latencies[answeredCount++] = latency;
        free.push(connection);
        if (answeredCount < count) return sendDue();
        clearTimeout(patience);
        return resolve();
      };
      const begin = async (): Promise<void> => {
        for (let index = 0; index < load.connections; index++) {
          connections.push(await Connection.open(load, answered, reject));
        }
        free.push(...connections);
        start = nowMicroseconds() + LEAD_MICROSECONDS;
        pacer.removeAllListeners('message');
        pacer.on('message', () => {
          dueCount = Math.min(count, 1 + Math.floor((nowMicroseconds() - start) / intervalMicroseconds));
          sendDue();
        });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- windows have origins, threads have none
        pacer.postMessage({ start, intervalMicroseconds, count });
      };
      begin().catch(reject);
    });
  } finally {
    for (const connection of connections) connection.close();
  }
  latencies.sort();
  const quantile = (fraction: number): number => latencies[Math.ceil(fraction * count) - 1] as number;
  return { requestCount: count, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) };
}

function requestBytes({ port, method, path, headers, body }: PacedLoad): Buffer {
  const all: Record<string, string> = { host: `127.0.0.1:${port}`, ...headers };
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

/** One request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #status: number;
  readonly #answered: (connection: Connection, latency: number) => void;
  readonly #failed: (error: Error) => void;
  #intended = 0;
  #received: Buffer = Buffer.alloc(0);

  static async open(
    { port, status = 200 }: PacedLoad,
    answered: (connection: Connection, latency: number) => void,
    failed: (error: Error) => void,
  ): Promise<Connection> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket, status, answered, failed);
  }

  private constructor(
    socket: Socket,
    status: number,
    answered: (connection: Connection, latency: number) => void,
    failed: (error: Error) => void,
  ) {
    this.#socket = socket;
    this.#status = status;
    this.#answered = answered;
    this.#failed = failed;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', failed);
    socket.on('close', () => failed(new Error('a connection was closed')));
  }

  send(bytes: Buffer, intended: number): void {
    this.#intended = intended;
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const bodyAt = this.#received.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const head = this.#received.toString('latin1', 0, bodyAt);
    const [, length = '0'] = /^content-length: *(\d+)/im.exec(head) ?? [];
    if (this.#received.length < bodyAt + Number(length)) return;
    const latency = nowMicroseconds() - this.#intended;
    this.#received = Buffer.alloc(0);
    if (Number(head.slice('HTTP/1.1 '.length, 12)) !== this.#status)
      return this.#failed(new Error(`answered with ${head.slice(0, head.indexOf('\r'))}`));
    return this.#answered(this, latency);
  }
}

process.on('message', (load: PacedLoad) => {
  run(load).then(
    (result) => process.send?.({ result } satisfies PacedAnswer),
    (error: unknown) => process.send?.({ failure: String(error) } satisfies PacedAnswer),
  );
});
process.on('disconnect', () => process.exit());
pacer.on('online', () => process.send?.('ready'));
