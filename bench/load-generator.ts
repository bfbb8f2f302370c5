/**
 * The load, in a process of its own: one job per message, a result or a failure back.
 *
 * One process for all rounds, so that its own code is compiled before the rounds that count. A reply with another status than
 * the load expects fails the job: how fast a server refuses is not what is measured.
 */
import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import { dealRequests, type DealtRequest } from './load/deal-requests.ts';

export interface Load {
  readonly port: number;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Requests that differ in the rest, dealt to the connections. */
  readonly requests?: readonly DealtRequest[];
  /** Of every answer; 200 when absent. */
  readonly status?: number;
  /** Connections, kept alive, with one request at a time each unless told otherwise. */
  readonly connections: number;
  /** Requests on their way on one connection at a time; 1 when absent. */
  readonly pipelining?: number;
  /** Each request on a connection of its own. */
  readonly reconnect?: boolean;
  /** Host headers that the requests of a connection have in turn, instead of one of `headers`. */
  readonly hosts?: readonly string[];
  readonly seconds: number;
}

export interface LoadResult {
  /** Requests that were answered. */
  readonly requestCount: number;
  /** How long it really took. */
  readonly seconds: number;
  /** Not of requests that wrk pipelines. */
  readonly latency?: Latency;
}

/** Of single answers, from the moment that the generator sent the request: how long requests had to wait is not in it. */
export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export type LoadAnswer = { readonly result: LoadResult } | { readonly failure: string };

/** autocannon looks whether it is time to stop this often. */
const LOOK_EVERY_MS = 50;

/** A disk may stall for longer than a short round: a round without a single answer goes on, up to this often. */
const ROUNDS_WITHOUT_ANSWER_MAX = 20;

async function generate(load: Load): Promise<LoadAnswer> {
  let seconds = 0;
  for (let rounds = 0; rounds < ROUNDS_WITHOUT_ANSWER_MAX; rounds++) {
    const run = await (load.reconnect === true ? sendReconnecting(load) : send(load));
    seconds += run.seconds;
    const { requestCount, otherCount } = countAnswers(run.statusCounts, load.status ?? 200);
    if (run.errorCount > 0 || otherCount > 0) {
      return {
        failure: `${load.method} ${load.path}: ${otherCount} answers of another status, ${run.errorCount} errors`,
      };
    }
    if (requestCount > 0) return { result: { requestCount, seconds, latency: run.latency } };
  }
  return { failure: `${load.method} ${load.path}: no answer in ${seconds} s` };
}

interface Run {
  readonly statusCounts: ReadonlyMap<number, number>;
  readonly errorCount: number;
  readonly seconds: number;
  readonly latency: Latency;
}

function countAnswers(statusCounts: ReadonlyMap<number, number>, status: number) {
  let requestCount = 0;
  let otherCount = 0;
  for (const [code, count] of statusCounts) {
    if (code === status) requestCount += count;
    else otherCount += count;
  }
  return { requestCount, otherCount };
}

async function send(load: Load): Promise<Run> {
  const { statusCodeStats = {}, errors, duration, latency } = await autocannon(optionsOf(load));
  return {
    statusCounts: new Map(Object.entries(statusCodeStats).map(([code, { count = 0 }]) => [Number(code), count])),
    errorCount: errors,
    seconds: duration,
    latency: { p50Ms: latency.p50, p99Ms: latency.p99 },
  };
}

/** autocannon does not count an answer after which it reconnects, which is every one here: its events tell. */
async function sendReconnecting(load: Load): Promise<Run> {
  const statusCounts = new Map<number, number>();
  const times: number[] = [];
  const setupClient = (client: autocannon.Client) => {
    let sentAt = performance.now();
    // Its type declarations lack the one and mistake the other.
    const events = client as unknown as EventEmitter<{ request: []; headers: [{ statusCode: number }] }>;
    events.on('request', () => {
      sentAt = performance.now();
    });
    events.on('headers', ({ statusCode }) => {
      statusCounts.set(statusCode, (statusCounts.get(statusCode) ?? 0) + 1);
      times.push(performance.now() - sentAt);
    });
  };
  const { errors, duration } = await autocannon({ ...optionsOf(load), reconnectRate: 1, setupClient });
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return {
    statusCounts,
    errorCount: errors,
    seconds: duration,
    latency: { p50Ms: quantile(0.5), p99Ms: quantile(0.99) },
  };
}

function optionsOf(load: Load): autocannon.Options {
  const { port, method, path, headers, body, connections, seconds, pipelining = 1, hosts, requests } = load;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    ...(hosts === undefined ? {} : { requests: hosts.map((host) => ({ headers: { ...headers, host } })) }),
    connections,
    pipelining,
    duration: seconds,
    sampleInt: LOOK_EVERY_MS,
    ...(requests === undefined ? {} : { setupClient: dealRequests(requests, connections) }),
  };
}

process.on('message', (load: Load) => {
  generate(load).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ failure: String(error) } satisfies LoadAnswer),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
