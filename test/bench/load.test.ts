/** The generators of load: what they send arrives as it is meant, and what they measure is what a client would have seen. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { FixedRateLoad, FixedRateResult } from '../../bench/load/fixed-rate.ts';
import type { Load } from '../../bench/load/load.ts';
import { findWrk, runWrk } from '../../bench/load/wrk.ts';
import { endAll, startJobs } from '../../bench/processes.ts';
import { temporaryDirectory } from '../support/server.ts';

const servers: Server[] = [];
afterEach(async () => {
  await endAll();
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function serve(seen: (request: IncomingMessage) => void): Promise<number> {
  const server = createServer((request, response) => {
    seen(request);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const STALL_MS = 400;

test('at a fixed rate, every request that waits for a stall counts', async () => {
  let isStalled = false;
  const port = await serve(() => {
    if (isStalled) return;
    isStalled = true;
    setTimeout(() => {
      const until = performance.now() + STALL_MS;
      while (performance.now() < until);
    }, 300);
  });
  const { run } = await startJobs<FixedRateLoad, FixedRateResult>('load/fixed-rate.ts');
  const request = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
  const { p50, p99 } = await run({ port, request, requestsPerSecond: 200, seconds: 1.5, connections: 2 });
  // A quarter of the requests was due in the stall; of two connections, a closed loop would have seen two of them.
  expect(p99).toBeGreaterThan(STALL_MS * 1e3 * 0.8);
  expect(p50).toBeLessThan(p99);
});

describe.runIf(findWrk() !== undefined)('wrk', () => {
  const common: Omit<Load, 'port'> = { method: 'GET', path: '/a?b=c', headers: {}, connections: 2, seconds: 1 };
  const run = (port: number, load: Partial<Load>) =>
    runWrk(findWrk() as string, join(temporaryDirectory(), 'load.lua'), { ...common, port, ...load });

  test('sends method, path, headers and body as they are, and one Host', async () => {
    const seen = new Set<string>();
    const port = await serve(({ method, url, rawHeaders, headers }) => {
      const hosts = rawHeaders.filter((name) => name.toLowerCase() === 'host').length;
      seen.add([method, url, hosts, headers.host, headers['x-plan'], headers['content-length']].join(' '));
    });
    const { requestCount } = await run(port, {
      method: 'POST',
      headers: { host: 'm.localhost', 'x-plan': 'gold' },
      body: '{"a":"é"}',
    });
    expect(requestCount).toBeGreaterThan(0);
    expect([...seen]).toEqual(['POST /a?b=c 1 m.localhost gold 10']);
  });

  test('sends different requests in turn', async () => {
    const counts = new Map<string, number>();
    const port = await serve(({ headers: { host = '' } }) => counts.set(host, (counts.get(host) ?? 0) + 1));
    await run(port, { requests: ['a', 'b', 'c'].map((host) => ({ path: '/', headers: { host } })) });
    const [a = 0, b = 0, c = 0] = ['a', 'b', 'c'].map((host) => counts.get(host));
    expect(a).toBeGreaterThan(0);
    expect(Math.max(a, b, c) - Math.min(a, b, c)).toBeLessThanOrEqual(2);
  });

  test('counts each of the requests that it sends at a time', async () => {
    let received = 0;
    const port = await serve(() => received++);
    const { requestCount } = await run(port, { pipelining: 16 });
    expect(requestCount).toBeGreaterThan(received * 0.5);
    expect(requestCount).toBeLessThanOrEqual(received);
  });

  test('takes a connection per request when asked to', async () => {
    const ports = new Set<number | undefined>();
    let received = 0;
    const port = await serve(({ socket }) => {
      received++;
      ports.add(socket.remotePort);
    });
    await run(port, { reconnect: true });
    expect(ports.size).toBeGreaterThan(received * 0.9);
  });
});
