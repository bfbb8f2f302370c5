/**
 * The API while mocks are under full load: its latencies, against those while a raw app in a process of its own is under that load.
 *
 * One service for both, whose mocks are idle while the raw app is loaded: with few cores a loaded process takes its share of
 * them whatever it is, and only what the service's own mocks take from its API beyond that counts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../compare.ts';
import type { PacedLoad } from '../load/paced-requests.ts';
import { startPacedRequests } from '../load/start-paced-requests.ts';
import { mockHost, MocksClient } from '../mocks-client.ts';
import {
  endAll,
  startLoadGenerator,
  startRawServer,
  startService,
  temporaryDirectory,
  type Server,
} from '../processes.ts';
import { rulePayload, seedOwners } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';
import type { Row } from '../table.ts';
import type { Plan, PlanesPlan } from './plan.ts';

export const TITLE = 'planes';

export function plannedSeconds({ planes: { rounds, roundSeconds } }: Plan): number {
  return 2 * 2 * (rounds + 1) * (roundSeconds + 2 * MARGIN_SECONDS);
}

const P99_RATIO_MAX = 1.3;
/** More than the loaded process can answer. */
const LOAD = { connections: 64, pipelining: 8 };
const API_CONNECTIONS = 16;
const MOCKED_PATH = '/catalogue/offers';
const MOCKED = {
  headers: [{ name: 'content-type', value: 'application/json' }],
  body: JSON.stringify({ id: '000000', name: 'Wool jumper', price: 49.9, tags: ['new', 'warm', 'blue'] }),
};
/** Of the load before the first request to the API, and behind the last. */
const MARGIN_SECONDS = 0.2;

export async function measure({ planes: plan }: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const [owner] = await seedOwners(data, [100]);
  if (owner === undefined) throw new Error('one owner is seeded');
  const service = await startService(data, ['--workers', '1', '--rules-max', '1000000']);
  const client = new MocksClient(service, owner.key);
  const mockId = await client.create('loaded', [{ method: 'GET', path: MOCKED_PATH, responses: [MOCKED] }]);
  client.close();
  const mocked = { method: 'GET', path: MOCKED_PATH, headers: { host: mockHost(mockId, service.mocks.port) } } as const;
  const raw = await startRawServer({ reply: await sampleReply(service.mocks.port, mocked) });

  const generate = await startLoadGenerator();
  const ask = await startPacedRequests();
  const round = async (loaded: Server, rate: PacedLoad): Promise<Round> => {
    const seconds = rate.seconds + 2 * MARGIN_SECONDS;
    const load = generate({ ...mocked, port: loaded.port, ...LOAD, seconds });
    await sleep(MARGIN_SECONDS * 1_000);
    const [{ p50, p99 }, { requestCount, seconds: loadedSeconds }] = await Promise.all([ask(rate), load]);
    return { p50, p99, loadPerSecond: requestCount / loadedSeconds };
  };

  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json' };
  const common = { port: service.port, headers, connections: API_CONNECTIONS, seconds: plan.roundSeconds };
  const read = { method: 'GET', path: `/v1/rules/${owner.ruleIds[0]}` } as const;
  const create = { method: 'POST', path: '/v1/rules', body: JSON.stringify(rulePayload(0)) } as const;
  const rows = [
    ...(await contest('GET a rule', { ...common, ...read, requestsPerSecond: plan.readsPerSecond }, plan)),
    ...(await contest('POST a rule', { ...common, ...create, requestsPerSecond: plan.writesPerSecond }, plan)),
  ];
  await endAll();
  return rows;

  async function contest(what: string, rate: PacedLoad, { rounds }: PlanesPlan): Promise<Row[]> {
    const pairs: Pair[] = [];
    for (let index = 0; index <= rounds; index++) {
      const pair: Pair = [await round(service.mocks, rate), await round(raw, rate)];
      // The first warms up.
      if (index > 0) pairs.push(pair);
    }
    const name = `${what}, ${rate.requestsPerSecond.toLocaleString('en')}/s, while mocks are under full load, against a raw app under it`;
    return [
      { name: `${name}: p50`, ...figure(pairs, 'p50'), unit: 'µs' },
      { name: `${name}: p99`, ...figure(pairs, 'p99'), unit: 'µs', ratioAtMost: P99_RATIO_MAX },
      { name: `${name}: that load`, ...figure(pairs, 'loadPerSecond'), unit: '/s' },
    ];
  }
}

interface Round {
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** What the loaded process answered. */
  readonly loadPerSecond: number;
}

type Pair = [measured: Round, against: Round];

function figure(pairs: readonly Pair[], name: keyof Round) {
  const ratios = pairs.map(([measured, against]) => measured[name] / against[name]);
  return {
    measured: median(pairs.map(([measured]) => measured[name])),
    against: median(pairs.map(([, against]) => against[name])),
    ratio: median(ratios),
    ratioRange: [Math.min(...ratios), Math.max(...ratios)] as const,
  };
}
