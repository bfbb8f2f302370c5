/**
 * The benchmark of mock servers: `npm run bench:mocks`, or with `-- --tiny` for a run of seconds that only shows that all of it works.
 *
 * Owns what is compared and the aims beside it, as api.ts does for the API. One serving thread, traffic recorded, and of the
 * service only the child process that serves mocks counts. The limit that it is held against is raw-mock.ts.
 */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../src/keys.ts';
import { compare, median, type Comparison, type RoundPlan } from './compare.ts';
import type { Load } from './load-generator.ts';
import {
  delayedRoutes,
  mixedRoutes,
  numberedPath,
  numberedRoutes,
  ORDER_BODIES,
  ORDER_BODY,
  ORDER_PATH,
  STATIC_PATH,
  staticResponse,
} from './mock-definitions.ts';
import { mockHost, MocksClient, type StagedRoute } from './mocks-client.ts';
import {
  endAll,
  startDelayedClients,
  startRawMock,
  startService,
  temporaryDirectory,
  type Service,
} from './processes.ts';
import type { RawMockOptions } from './raw-mock.ts';
import { sampleReply } from './sample-reply.ts';
import { printTable, type Row } from './table.ts';

interface Plan extends RoundPlan {
  /** Routes of the mock whose first and last route are compared, and of the one that is saved. */
  readonly routeCount: number;
  readonly saves: number;
  /** Mocks of 20 routes that are loaded. */
  readonly mockCount: number;
  readonly delayedCount: number;
  readonly delayMs: number;
}

const FULL: Plan = {
  pairsOfRounds: 5,
  roundSeconds: 3,
  warmUpSeconds: 3,
  routeCount: 1_000,
  saves: 10,
  mockCount: 1_000,
  delayedCount: 10_000,
  delayMs: 1_000,
};
const TINY: Plan = {
  pairsOfRounds: 1,
  roundSeconds: 0.3,
  warmUpSeconds: 0.1,
  routeCount: 20,
  saves: 2,
  mockCount: 5,
  delayedCount: 40,
  delayMs: 100,
};

const CONNECTIONS = 64;
const ROUTES_PER_MOCK = 20;
const DELAYED_CLIENTS = 4;
const DELAYED_ROUNDS = 3;
/** How much later than it was meant the last of all delayed answers may arrive. */
const DELAYED_LATE_MS_MAX = 500;
const OWNER = 'bench';

const AIM_STATIC = 0.85;
const AIM_BODY_RULE = 0.8;
const AIM_TEMPLATE = 0.75;
const AIM_LAST_ROUTE = 0.95;

const NOTES = `measured  the process that serves mocks, with one thread (first request: of a mock that the thread had not loaded)
against   a raw uWebSockets.js app with the same replies (last route: the first; memory: JSON; first request: the next)
ratio     median over pairs of rounds; of requests/s measured to against, of CPU against to measured: more is better.
          Of memory and times, measured to against: less is better
rounds    lowest and highest ratio of any pair of rounds, or of what was measured
busy      CPU seconds per second of both servers; well below 100 %, the load generator was the limit, and CPU tells more`;

async function measure(plan: Plan): Promise<Row[]> {
  return [
    ...(await againstRaw(plan)),
    ...(await lastRoute(plan)),
    ...(await loadedMocks(plan)),
    ...(await delayedResponses(plan)),
    ...(await saving(plan)),
  ];
}

async function start(data: string, key: string): Promise<{ service: Service; client: MocksClient }> {
  const service = await startService(data, ['--workers', '1', '--no-bootstrap', '--mocks-max', '10000']);
  return { service, client: new MocksClient(service, key) };
}

async function startFresh(): Promise<{ service: Service; client: MocksClient }> {
  const data = temporaryDirectory();
  return start(data, await editorKey(data));
}

function editorKey(data: string): Promise<string> {
  return createKey(data, { ownerId: OWNER, userId: OWNER, role: 'editor' });
}

interface Contest {
  readonly name: string;
  readonly request: Pick<Load, 'method' | 'path' | 'body' | 'status'>;
  readonly raw: Omit<RawMockOptions, 'reply'>;
  readonly aim?: number;
}

const CONTESTS: readonly Contest[] = [
  { name: 'static', request: { method: 'GET', path: STATIC_PATH }, raw: { kind: 'fixed' }, aim: AIM_STATIC },
  { name: 'path parameter', request: { method: 'GET', path: '/users/42' }, raw: { kind: 'fixed' }, aim: AIM_STATIC },
  {
    name: 'JSON body rule',
    request: { method: 'POST', path: ORDER_PATH, body: ORDER_BODY },
    raw: { kind: 'choice', bodies: ORDER_BODIES },
    aim: AIM_BODY_RULE,
  },
  {
    name: 'template',
    request: { method: 'GET', path: '/greetings/42?page=7' },
    raw: { kind: 'greeting' },
    aim: AIM_TEMPLATE,
  },
  { name: 'miss', request: { method: 'GET', path: '/catalogue/nothing', status: 404 }, raw: { kind: 'fixed' } },
];

/** One mock with a route of each kind, against raw apps that answer with the same bytes, which is checked. */
async function againstRaw(plan: Plan): Promise<Row[]> {
  const { service, client } = await startFresh();
  const mockId = await client.create('mixed', mixedRoutes());
  client.close();
  const headers = { host: mockHost(mockId, service.mocks.port) };
  const rows: Row[] = [];
  for (const { name, request, raw, aim } of CONTESTS) {
    const sent = { ...request, headers };
    const reply = await sampleReply(service.mocks.port, sent);
    const server = await startRawMock({ ...raw, reply });
    deepEqual(await sampleReply(server.port, sent), reply);
    const load = () => ({ ...sent, connections: CONNECTIONS });
    rows.push(...rowsOf(name, await compare({ server: service.mocks, load }, { server, load }, plan), aim));
  }
  await endAll();
  return rows;
}

function rowsOf(name: string, { requestsPerSecond, cpuMicroseconds, busy }: Comparison, aim?: number): Row[] {
  const aimed = aim === undefined ? {} : { aim };
  return [
    { name: `${name}: requests/s`, ...requestsPerSecond, unit: '/s', ...aimed, busy },
    { name: `${name}: CPU per request`, ...cpuMicroseconds, unit: 'µs', ...aimed },
  ];
}

/** The last route of a long list against its first, on one server. */
async function lastRoute(plan: Plan): Promise<Row[]> {
  const { service, client } = await startFresh();
  const mockId = await client.create('long', numberedRoutes(plan.routeCount));
  client.close();
  const headers = { host: mockHost(mockId, service.mocks.port) };
  const route = (index: number) => ({
    server: service.mocks,
    load: () => ({ method: 'GET' as const, path: numberedPath(index), headers, connections: CONNECTIONS }),
  });
  const comparison = await compare(route(plan.routeCount - 1), route(0), plan);
  await endAll();
  return rowsOf(`last of ${plan.routeCount.toLocaleString('en')} routes`, comparison, AIM_LAST_ROUTE);
}

/** Memory comes in pages: too few routes to fill one count as one. */
const PAGE_BYTES = 4_096;
/** After a start, until what it left to do is done. */
const SETTLE_MS = 500;

/** What mocks take that were stored before the start, and how long the request takes that has one loaded. */
async function loadedMocks({ mockCount }: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const key = await editorKey(data);
  const routes = numberedRoutes(ROUTES_PER_MOCK);
  const { client: creator } = await start(data, key);
  // The first mock warms up: compiled code and open connections are not what a mock takes.
  const [warmUpId = '', ...mockIds] = await inTurn(mockCount + 1, (index) => creator.create(`mock ${index}`, routes));
  creator.close();
  await endAll();

  const { service, client } = await start(data, key);
  for (let index = 0; index < ROUTES_PER_MOCK; index++) await client.get(warmUpId, numberedPath(index));
  await sleep(SETTLE_MS);
  const before = residentBytes(service.mocks.pid);
  const path = numberedPath(0);
  const firstMs = await inTurn(mockCount, (index) => milliseconds(() => client.get(mockIds[index] as string, path)));
  const grown = Math.max(PAGE_BYTES, residentBytes(service.mocks.pid) - before);
  const nextMs = await inTurn(mockCount, (index) => milliseconds(() => client.get(mockIds[index] as string, path)));
  client.close();
  await endAll();

  const bytes = grown / mockCount / ROUTES_PER_MOCK;
  const jsonBytes = JSON.stringify(routes).length / ROUTES_PER_MOCK;
  const time = (name: string, of: (values: readonly number[]) => number): Row => {
    const [measured, against] = [of(firstMs), of(nextMs)];
    return { name: `first request: ${name}`, measured, against, ratio: measured / against, unit: 'ms' };
  };
  return [
    { name: 'RSS per loaded route', measured: bytes, against: jsonBytes, ratio: bytes / jsonBytes, unit: 'B' },
    time('median', median),
    time('99th percentile', (values) => quantile(values, 0.99)),
  ];
}

/** Requests on connections that were opened beforehand, all at once, and answered after a delay. */
async function delayedResponses({ delayedCount, delayMs }: Plan): Promise<Row[]> {
  const { service, client } = await startFresh();
  const mockId = await client.create('delayed', delayedRoutes(delayMs));
  client.close();
  const { port } = service.mocks;
  const options = { port, host: mockHost(mockId, port), connections: delayedCount / DELAYED_CLIENTS };
  const clients = await Promise.all(Array.from({ length: DELAYED_CLIENTS }, () => startDelayedClients(options)));
  await Promise.all(clients.map(({ open }) => open()));
  const times = await inTurn(DELAYED_ROUNDS, async () => {
    const answers = await Promise.all(clients.map(({ sendAll }) => sendAll()));
    const firstSent = Math.min(...answers.map((answer) => answer.firstSent));
    return Math.max(...answers.map((answer) => answer.lastReceived)) - firstSent;
  });
  await endAll();
  const name = `${delayedCount.toLocaleString('en')} responses delayed by ${delayMs} ms: first sent to last arrived`;
  return [{ ...timesRow(name, times, delayMs), atMost: delayMs + DELAYED_LATE_MS_MAX }];
}

/** From a save to its reply, and to an answer of the new version. */
async function saving({ routeCount, saves }: Plan): Promise<Row[]> {
  const { client } = await startFresh();
  const mockId = await client.create('saved', numberedRoutes(routeCount));
  const { routes } = await client.call<{ routes: StagedRoute[] }>('GET', `/${mockId}/staged`);
  const route = routes[routeCount - 1] as StagedRoute;
  const response = `/${mockId}/staged/routes/${route.id}/responses/${route.responses[0]?.id}`;
  const path = numberedPath(routeCount - 1);
  const repliedMs: number[] = [];
  const servedMs = await inTurn(saves, async (index) => {
    const changed = staticResponse(routeCount + index) as { body: string };
    await client.call('PUT', response, changed);
    return milliseconds(async () => {
      repliedMs.push(await milliseconds(() => client.call('POST', `/${mockId}/save`)));
      deepEqual(await client.get(mockId, path), changed.body);
    });
  });
  client.close();
  await endAll();
  const name = `save of ${routeCount.toLocaleString('en')} routes`;
  return [timesRow(`${name}: replied`, repliedMs), timesRow(`${name}: served`, servedMs)];
}

function timesRow(name: string, times: readonly number[], against?: number): Row {
  const measured = median(times);
  return {
    name,
    measured,
    unit: 'ms',
    ...(against === undefined
      ? {}
      : {
          against,
          ratio: measured / against,
          ratioRange: [Math.min(...times) / against, Math.max(...times) / against] as const,
        }),
  };
}

/** One after the other. */
async function inTurn<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < count; index++) results.push(await run(index));
  return results;
}

async function milliseconds(run: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

function quantile(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * fraction) - 1] as number;
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

printTable(await measure(process.argv.includes('--tiny') ? TINY : FULL), NOTES);
// Load generators and whatever else is left end with this process.
process.exit();
