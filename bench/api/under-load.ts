/**
 * The API while mocks are under full load: its latencies, against those while a raw app in a process of its own is under that load.
 *
 * One service for both, whose mocks are idle while the raw app is loaded: with few cores a loaded process takes its share of
 * them whatever it is, and only what the service's own mocks take from its API beyond that counts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startRawApp } from '../contenders/raw.ts';
import { clientOf } from '../contenders/switchyard.ts';
import type { FixedRateLoad, FixedRateResult } from '../load/fixed-rate.ts';
import { requestText } from '../load/load.ts';
import { startLoad } from '../load/start-load.ts';
import { mockHost, startJobs, startService, temporaryDirectory } from '../processes.ts';
import { inTurn, type Paired } from '../rounds.ts';
import { rulePayload, seedOwners, type SeededOwner } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';
import { rowOf, type Row } from './comparison.ts';
import type { Plan } from './plan.ts';

export const TITLE = 'under-load';

const P99 = { ratioAtMost: 1.3 };
/** More than the loaded process can answer. */
const LOAD = { connections: 64, pipelining: 8 };
const API_CONNECTIONS = 16;
const BODY = JSON.stringify({ id: '000000', name: 'Wool jumper', price: 49.9, tags: ['new', 'warm', 'blue'] });
/** Of the load before the first request to the API, and behind the last. */
const MARGIN_SECONDS = 0.2;

interface ApiRound extends Paired, Pick<FixedRateResult, 'p50' | 'p99'> {
  /** What the loaded process answered. */
  readonly loadPerSecond: number;
}

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const [owner] = (await seedOwners(data, [100])) as [SeededOwner];
  const service = await startService(data, ['--workers', '1', '--rules-max', '1000000']);
  const route = { method: 'GET', path: '/offers', responses: [{ body: BODY }] } as const;
  const { id } = await clientOf(service, owner.key).mocks.create({ name: 'loaded', routes: [route], start: true });
  const mocked = { method: 'GET', path: '/offers', headers: { host: mockHost(id, service) } } as const;
  const raw = await startRawApp({ reply: await sampleReply(service.mocks.port, mocked) });
  const loaded = { measured: service.mocks, against: raw };
  const generate = await startLoad();
  const recorder = await startJobs<FixedRateLoad, FixedRateResult>('load/fixed-rate.ts');

  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json' };
  const contest = async (method: 'GET' | 'POST', path: string, requestsPerSecond: number, body?: string) => {
    const request = { port: service.port, method, path, headers, ...(body === undefined ? {} : { body }) };
    const api: FixedRateLoad = {
      port: service.port,
      request: requestText(request),
      requestsPerSecond,
      seconds: plan.roundSeconds,
      connections: API_CONNECTIONS,
    };
    const rounds: ApiRound[] = [];
    for (let round = 0; round <= plan.rounds; round++) {
      for (const contender of inTurn(round + 1, ['measured', 'against'] as const)) {
        const seconds = plan.roundSeconds + 2 * MARGIN_SECONDS;
        const load = generate({ ...mocked, port: loaded[contender].port, ...LOAD, seconds });
        await sleep(MARGIN_SECONDS * 1_000);
        const [{ p50, p99 }, sent] = await Promise.all([recorder.run(api), load]);
        // Round 0 warms up.
        if (round > 0) rounds.push({ contender, round, p50, p99, loadPerSecond: sent.requestCount / sent.seconds });
      }
    }
    const rate = `${method} a rule, ${requestsPerSecond.toLocaleString('en')}/s`;
    const name = `${rate}, while mocks are under full load, against a raw app under it`;
    return [
      rowOf(`${name}: p50`, 'µs', rounds, (round) => round.p50),
      { ...rowOf(`${name}: p99`, 'µs', rounds, (round) => round.p99), target: P99 },
      rowOf(`${name}: that load`, '/s', rounds, (round) => round.loadPerSecond),
    ];
  };
  return [
    ...(await contest('GET', `/v1/rules/${owner.ruleIds[0]}`, plan.readsPerSecond)),
    ...(await contest('POST', '/v1/rules', plan.writesPerSecond, JSON.stringify(rulePayload(0)))),
  ];
}
