/** Load by autocannon, in a process of its own. */
import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import type { Load, Sent } from './load.ts';
import { serveJobs } from './serve-jobs.ts';

/** How often autocannon checks whether it is time to stop. */
const CHECK_EVERY_MS = 50;

async function generate(load: Load): Promise<Sent> {
  if (load.reconnect === true) return sendReconnecting(load);
  const { statusCodeStats = {}, errors, duration, latency } = await autocannon(optionsOf(load));
  const counts = Object.entries(statusCodeStats).map(([code, { count = 0 }]) => [Number(code), count] as const);
  return { ...sentOf(load, new Map(counts), errors, duration), latency: { p50Ms: latency.p50, p99Ms: latency.p99 } };
}

/** autocannon does not count an answer after which it reconnects, which is every one here: its events are counted. */
async function sendReconnecting(load: Load): Promise<Sent> {
  const statusCounts = new Map<number, number>();
  const setupClient = (client: autocannon.Client) => {
    // Its type declarations mistake what the event brings.
    const events = client as unknown as EventEmitter<{ headers: [{ statusCode: number }] }>;
    events.on('headers', ({ statusCode }) => statusCounts.set(statusCode, (statusCounts.get(statusCode) ?? 0) + 1));
  };
  const { errors, duration } = await autocannon({ ...optionsOf(load), reconnectRate: 1, setupClient });
  return sentOf(load, statusCounts, errors, duration);
}

function sentOf(
  { status = 200 }: Load,
  statusCounts: ReadonlyMap<number, number>,
  errorCount: number,
  seconds: number,
): Sent {
  const requestCount = statusCounts.get(status) ?? 0;
  const otherCount = [...statusCounts.values()].reduce((sum, count) => sum + count, -requestCount);
  return { requestCount, otherCount, errorCount, seconds };
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
