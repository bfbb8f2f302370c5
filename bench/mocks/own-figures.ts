/** Figures of Switchyard alone, for which there is no other server: mocks that are loaded when first requested, and saves. */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFresh, startOn } from '../contenders/switchyard.ts';
import { residentBytes } from '../load/cpu-time.ts';
import { endAll, mockHost, type Service } from '../processes.ts';
import type { Table } from '../report.ts';
import { median } from '../rounds.ts';
import { sampleReply } from '../sample-reply.ts';
import { itemBody, JSON_HEADERS, numberedPath, numberedRoutes } from './scenarios.ts';

export interface OwnFigure {
  readonly name: string;
  readonly unit: 'ms' | 'B';
  readonly values: readonly number[];
  /** What to compare it with, in the same unit. */
  readonly against?: { readonly what: string; readonly value: number };
}

/** By their names for `--only`. */
export const OWN_FIGURES: Readonly<Record<string, (isTiny: boolean) => Promise<OwnFigure[]>>> = {
  'loaded-mocks': loadedMocks,
  saving,
};

const ROUTES_PER_MOCK = 20;
/** Memory comes in pages: too few routes to fill one count as one. */
const PAGE_BYTES = 4_096;
/** After a start, until what it left to do is done. */
const SETTLE_MS = 500;

/** What mocks take that were stored before the start, and how long the request takes that has one loaded. */
async function loadedMocks(isTiny: boolean): Promise<OwnFigure[]> {
  const mockCount = isTiny ? 5 : 1_000;
  const routes = numberedRoutes(ROUTES_PER_MOCK);
  const { client, store } = await startFresh();
  // The first mock warms up: compiled code and open connections are not what a mock takes.
  const [warmUpId = '', ...mockIds] = await inTurn(mockCount + 1, async (index) => {
    return (await client.mocks.create({ name: `mock ${index}`, routes, start: true })).id;
  });
  await endAll();

  const { service } = await startOn(store);
  await inTurn(ROUTES_PER_MOCK, (index) => get(service, warmUpId, numberedPath(index)));
  await sleep(SETTLE_MS);
  const before = residentBytes(service.mocks.pid);
  const ask = (index: number) => milliseconds(() => get(service, mockIds[index] as string, numberedPath(0)));
  const firstMs = await inTurn(mockCount, ask);
  const grown = Math.max(PAGE_BYTES, residentBytes(service.mocks.pid) - before);
  const nextMs = await inTurn(mockCount, ask);
  const jsonBytes = JSON.stringify(routes).length / ROUTES_PER_MOCK;
  const perRoute = grown / mockCount / ROUTES_PER_MOCK;
  return [
    {
      name: 'memory of a loaded route',
      unit: 'B',
      values: [perRoute],
      against: { what: 'its JSON', value: jsonBytes },
    },
    {
      name: 'first request to a mock',
      unit: 'ms',
      values: firstMs,
      against: { what: 'the next', value: median(nextMs) },
    },
  ];
}

/** From a save to its reply, and to an answer of the new version. */
async function saving(isTiny: boolean): Promise<OwnFigure[]> {
  const routeCount = isTiny ? 20 : 1_000;
  const { service, client } = await startFresh();
  const { id } = await client.mocks.create({ name: 'saved', routes: numberedRoutes(routeCount), start: true });
  const route = (await client.mocks.staged.get(id)).routes.at(-1);
  const response = route?.responses[0];
  if (route === undefined || response === undefined) throw new Error('the mock has routes with responses');
  const repliedMs: number[] = [];
  const servedMs = await inTurn(isTiny ? 2 : 10, async (index) => {
    const body = itemBody(routeCount + index);
    await client.mocks.staged.putResponse(id, route.id, response.id, { body, headers: JSON_HEADERS });
    return milliseconds(async () => {
      repliedMs.push(await milliseconds(() => client.mocks.save(id)));
      deepEqual(await get(service, id, numberedPath(routeCount - 1)), body);
    });
  });
  const name = `save of ${routeCount.toLocaleString('en')} routes`;
  return [
    { name: `${name}, replied`, unit: 'ms', values: repliedMs },
    { name: `${name}, served`, unit: 'ms', values: servedMs },
  ];
}

/** @returns The body of a mock's answer. */
async function get(service: Service, mockId: string, path: string): Promise<string> {
  const headers = { host: mockHost(mockId, service) };
  return (await sampleReply(service.mocks.port, { method: 'GET', path, headers })).body;
}

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

export function ownFiguresTable(figures: readonly OwnFigure[]): Table {
  const p99 = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] as number;
  return {
    title: 'Switchyard alone',
    head: ['', 'median', 'p99', 'against', ''],
    rows: figures.map(({ name, unit, values, against }) => {
      const amount = (value: number) =>
        `${value.toLocaleString('en', { maximumFractionDigits: unit === 'ms' ? 1 : 0 })} ${unit}`;
      const other = against === undefined ? ['', ''] : [amount(against.value), against.what];
      return [name, amount(median(values)), values.length < 100 ? '' : amount(p99(values)), ...other];
    }),
  };
}
