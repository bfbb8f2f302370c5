/**
 * Load at a rate that does not depend on how fast the answers come, in a process of its own.
 *
 * Requests are due by a schedule, and a latency counts from the moment a request was due, not from when it could be sent: a
 * server that stalls is charged for every request that had to wait, which a closed loop leaves out (coordinated omission).
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { serveJobs } from './serve-jobs.ts';

export interface FixedRateLoad {
  readonly port: number;
  /** Head and body, as they go out. */
  readonly request: string;
  readonly requestsPerSecond: number;
  readonly seconds: number;
  readonly connections: number;
}

export interface FixedRateResult {
  /** In microseconds, from when a request was due. */
  readonly p50: number;
  readonly p99: number;
}

/** After the last request is sent, for what is on its way. */
const LAST_ANSWERS_MS_MAX = 10_000;
/** A receive buffer of each connection. */
const BUFFER_BYTES = 65_536;

interface Connection {
  readonly socket: Socket;
  dueAt: number;
  /** Of an answer whose head was received. */
  missingBytes: number;
}

async function run(load: FixedRateLoad): Promise<FixedRateResult> {
  const total = Math.max(1, Math.floor(load.requestsPerSecond * load.seconds));
  const everyMs = 1_000 / load.requestsPerSecond;
  /** Milliseconds of each request. */
  const latencies: number[] = [];
  const idle: Connection[] = [];
  const failures: Error[] = [];
  let started = Infinity;
  let sent = 0;
  const sendDue = () => {
    while (sent < total && idle.length > 0 && started + sent * everyMs <= performance.now()) {
      // The one that has rested longest: servers close what is idle.
      const connection = idle.shift() as Connection;
      connection.dueAt = started + sent++ * everyMs;
      connection.socket.write(load.request, 'latin1');
    }
  };
  const answered = (connection: Connection) => {
    latencies.push(performance.now() - connection.dueAt);
    idle.push(connection);
    sendDue();
  };
  while (idle.length < load.connections) idle.push(await open(load.port, answered, (error) => failures.push(error)));
  const all = [...idle];

  started = performance.now();
  const endsAt = started + load.seconds * 1e3 + LAST_ANSWERS_MS_MAX;
  while (failures.length === 0 && latencies.length < total && performance.now() < endsAt) {
    sendDue();
    await sleepMs(started + sent * everyMs - performance.now());
  }
  for (const { socket } of all) socket.destroy();
  if (failures.length > 0) throw failures[0];
  if (latencies.length < total) throw new Error(`${total - latencies.length} of ${total} requests were not answered`);
  latencies.sort((a, b) => a - b);
  return { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

/** @param milliseconds Ascending. @returns The least number of microseconds that this share of all did not exceed. */
function quantile(milliseconds: readonly number[], share: number): number {
  return Math.round((milliseconds[Math.max(1, Math.ceil(milliseconds.length * share)) - 1] as number) * 1e3);
}

/**
 * Sleeps between requests, instead of taking a core that what is measured needs. Timers of Node.js resolve milliseconds only; a thread
 * that waits resolves some ten microseconds.
 */
const sleeper = new Worker(
  `const { parentPort } = require('node:worker_threads');
  const never = new Int32Array(new SharedArrayBuffer(4));
  parentPort.on('message', (ms) => {
    Atomics.wait(never, 0, 0, ms);
    parentPort.postMessage('due');
  });`,
  { eval: true, execArgv: [] },
);
const SLEEP_MS_MIN = 0.1;

async function sleepMs(milliseconds: number): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- windows have origins, threads have none
  sleeper.postMessage(Math.max(SLEEP_MS_MIN, milliseconds));
  await once(sleeper, 'message');
}

async function open(
  port: number,
  answered: (connection: Connection) => void,
  failed: (error: Error) => void,
): Promise<Connection> {
  const buffer = Buffer.alloc(BUFFER_BYTES);
  const callback = (bytes: number) => {
    connection.missingBytes -= bytes;
    if (connection.missingBytes < 0) connection.missingBytes = answerBytes(buffer.toString('latin1', 0, bytes)) - bytes;
    if (connection.missingBytes === 0) answered(connection);
    else if (!(connection.missingBytes > 0)) failed(new Error('an answer is not a success, or not one answer'));
    return true;
  };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
  const connection: Connection = { socket, dueAt: 0, missingBytes: 0 };
  socket.on('error', failed);
  socket.on('end', () => failed(new Error('a connection was closed')));
  await once(socket, 'connect');
  return connection;
}

/** @returns How long it is, by its head, which comes in one piece. NaN unless it is a success. */
function answerBytes(received: string): number {
  const length = /^HTTP\/1\.1 2[^]*?\r\ncontent-length: *(\d+)\r\n/i.exec(received)?.[1];
  return received.indexOf('\r\n\r\n') + 4 + Number(length ?? NaN);
}

serveJobs(run);
