/**
 * Load at a rate that does not depend on how fast the answers come, in a process of its own: one job per message.
 *
 * Requests are due by a schedule, and a latency counts from the moment a request was due, not from when it could be sent: a
 * server that stalls is charged for every request that had to wait, which a closed loop leaves out (coordinated omission). A
 * timer resolves milliseconds, so that the loop turns without a pause and takes one core while a job runs.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LatencyRecorder } from './latency-recorder.ts';

export interface FixedRateLoad {
  readonly port: number;
  /** Head and body, as they go out. */
  readonly request: string;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

export interface FixedRateResult {
  readonly requestsPerSecond: number;
  /** In microseconds, from when a request was due. */
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** 99th percentile of how late requests were sent, in microseconds: what this process and busy connections are part of. */
  readonly sentLateP99: number;
}

export type FixedRateAnswer = { readonly result: FixedRateResult } | { readonly failure: string };

/** After the last request is sent, for what is on its way. */
const LAST_ANSWERS_MS_MAX = 5_000;
/** A receive buffer of each connection. */
const BUFFER_BYTES = 65_536;

interface Connection {
  readonly socket: Socket;
  dueAt: number;
  missingBytes: number;
}

async function run(load: FixedRateLoad): Promise<FixedRateResult> {
  const { requestsPerSecond, seconds } = load;
  const answerBytes = await lengthOfAnswer(load);
  const [latencies, lateness] = [new LatencyRecorder(), new LatencyRecorder()];
  const idle: Connection[] = [];
  const all: Connection[] = [];
  let failure: Error | undefined;
  for (let count = 0; count < load.connections; count++) {
    const connection = await open(
      load.port,
      answerBytes,
      (error) => (failure ??= error),
      (answered) => {
        latencies.record(performance.now() - answered.dueAt);
        idle.push(answered);
      },
    );
    all.push(connection);
    idle.push(connection);
  }

  const total = Math.floor(requestsPerSecond * seconds);
  const started = performance.now();
  const everyMs = 1_000 / requestsPerSecond;
  let sent = 0;
  await new Promise<void>((resolve) => {
    const turn = () => {
      const now = performance.now();
      for (let connection; sent < total && started + sent * everyMs <= now; sent++) {
        connection = idle.shift();
        if (connection === undefined) break;
        connection.dueAt = started + sent * everyMs;
        connection.missingBytes = answerBytes;
        connection.socket.write(load.request, 'latin1');
        lateness.record(performance.now() - connection.dueAt);
      }
      const isOver = latencies.count === total || now > started + seconds * 1e3 + LAST_ANSWERS_MS_MAX;
      if (isOver || failure !== undefined) resolve();
      else setImmediate(turn);
    };
    turn();
  });
  const tookMs = performance.now() - started;
  for (const { socket } of all) socket.destroy();
  if (failure !== undefined) throw failure;
  if (latencies.count < total) throw new Error(`${total - latencies.count} of ${total} requests were not answered`);
  return {
    requestsPerSecond: (total / tookMs) * 1e3,
    p50: latencies.quantile(0.5),
    p99: latencies.quantile(0.99),
    p999: latencies.quantile(0.999),
    sentLateP99: lateness.quantile(0.99),
  };
}

async function open(
  port: number,
  answerBytes: number,
  failed: (error: Error) => void,
  answered: (connection: Connection) => void,
): Promise<Connection> {
  const buffer = Buffer.alloc(BUFFER_BYTES);
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer,
      callback: (bytes) => {
        // An answer begins with its status, behind "HTTP/1.1 ".
        if (connection.missingBytes === answerBytes && buffer[9] !== 0x32)
          failed(new Error('an answer is not a success'));
        connection.missingBytes -= bytes;
        if (connection.missingBytes === 0) answered(connection);
        else if (connection.missingBytes < 0) failed(new Error('an answer is longer than the first'));
        return true;
      },
    },
  });
  const connection: Connection = { socket, dueAt: 0, missingBytes: 0 };
  socket.on('error', failed);
  await once(socket, 'connect');
  return connection;
}

/** All answers have one length: the body is the same, and a Date always takes as much. */
async function lengthOfAnswer({ port, request }: FixedRateLoad): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
  });
  socket.write(request, 'latin1');
  for (let waitedMs = 0; waitedMs < LAST_ANSWERS_MS_MAX; waitedMs++) {
    const headEnd = received.indexOf('\r\n\r\n') + 4;
    const bodyBytes = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1]);
    if (headEnd > 4 && received.length === headEnd + bodyBytes) {
      socket.destroy();
      return received.length;
    }
    await sleep(1);
  }
  throw new Error(`no whole answer: ${received}`);
}

process.on('message', (load: FixedRateLoad) => {
  run(load).then(
    (result) => process.send?.({ result } satisfies FixedRateAnswer),
    (error: unknown) => process.send?.({ failure: String(error) } satisfies FixedRateAnswer),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
