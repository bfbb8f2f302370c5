/**
 * Load by autocannon, in a process of its own.
 *
 * A reply with another status than the load expects fails the job: how fast a server refuses is not what is measured.
 */
import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import type { Load, LoadResult } from './load.ts';
import { serveJobs } from './serve-jobs.ts';

/** How often autocannon checks whether it is time to stop. */
const CHECK_EVERY_MS = 50;
/** A disk may stall for longer than a short round: a round without a single answer goes on, up to this often. */
const ROUNDS_WITHOUT_ANSWER_MAX = 20;

interface Run extends Required<Pick<LoadResult, 'seconds' | 'latency'>> {
  readonly statusCounts: ReadonlyMap<number, number>;
  readonly errorCount: number;
}

async function generate(load: Load): Promise<LoadResult> {
  let seconds = 0;
  for (let rounds = 0; rounds < ROUNDS_WITHOUT_ANSWER_MAX; rounds++) {
    const { statusCounts, errorCount, latency, ...run } = await (load.reconnect === true
      ? sendReconnecting(load)
      : send(load));
    seconds += run.seconds;
    const requestCount = statusCounts.get(load.status ?? 200) ?? 0;
    const otherCount = [...statusCounts.values()].reduce((sum, count) => sum + count, -requestCount);
    if (errorCount > 0 || otherCount > 0) {
      throw new Error(`${load.method} ${load.path}: ${otherCount} answers of another status, ${errorCount} errors`);
    }
    if (requestCount > 0) return { requestCount, seconds, latency };
  }
  throw new Error(`${load.method} ${load.path}: no answer in ${seconds} s`);
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

/** autocannon does not count an answer after which it reconnects, which is every one here: its events are counted. */
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
  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return {
    statusCounts,
    errorCount: errors,
    seconds: duration,
    latency: { p50Ms: quantile(0.5), p99Ms: quantile(0.99) },
  };
}

function optionsOf(load: Load): autocannon.Options {
  const { port, method, path, headers, body, connections, seconds, pipelining = 1, requests } = load;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body }),
    connections,
    pipelining,
    duration: seconds,
    sampleInt: CHECK_EVERY_MS,
    ...(requests === undefined ? {} : { setupClient: distribute(requests, connections) }),
  };
}

/** With autocannon's option `requests`, every connection sends all of them, in the same order at the same time as all others. */
function distribute(requests: Required<Load>['requests'], connections: number): (client: autocannon.Client) => void {
  const shares: autocannon.Request[][] = Array.from({ length: connections }, () => []);
  for (let index = 0; index < Math.max(requests.length, connections); index++) {
    const { headers, ...rest } = requests[index % requests.length] as (typeof requests)[number];
    shares[index % connections]?.push({ ...rest, headers: { ...headers } });
  }
  return (client) => client.setRequests(shares.pop() ?? []);
}

serveJobs(generate);
