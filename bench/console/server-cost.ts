/** What the console costs a server: processor time of the data plane while its stream is read, and time until it is ready. */
import { runCommand, startService, temporaryDirectory } from '../processes.ts';
import { startFresh } from '../contenders/switchyard.ts';
import { findWrk } from '../load/wrk.ts';
import { startLoad } from '../load/start-load.ts';
import { mockHost } from '../processes.ts';
import { inTurn, median, medianOf, ratioOf, runRounds, type RunningContender } from '../rounds.ts';
import type { ConsoleOptions, Figure } from './figure.ts';

const CONNECTIONS = 64;
const WATCHING_MAX = 1.1;
const START_MAX_SECONDS = 1;

/** A mock whose stream one plain reader reads, and one that nobody watches, in turn. */
export async function measureWatching({ tiny }: ConsoleOptions): Promise<readonly Figure[]> {
  const reading = new AbortController();
  const start = async (name: string): Promise<RunningContender> => {
    const { service, client, store } = await startFresh();
    const mock = await client.mocks.create({
      name,
      start: true,
      routes: [{ method: 'GET', path: '/', responses: [{}] }],
    });
    if (name === 'watched') {
      const url = `http://127.0.0.1:${service.port}/v1/mocks/${mock.id}/requests/stream`;
      const { body } = await fetch(url, { headers: { 'x-api-key': store.key }, signal: reading.signal });
      body?.pipeTo(new WritableStream()).catch(() => undefined);
    }
    const load = { port: service.mocks.port, method: 'GET', path: '/', connections: CONNECTIONS } as const;
    const headers = { host: mockHost(mock.id, service) };
    return { name, pid: service.mocks.pid, load: () => ({ ...load, headers }) };
  };
  const contenders = [await start('alone'), await start('watched')];
  const plan = tiny
    ? { rounds: 1, roundSeconds: 0.3, warmUpSeconds: 0 }
    : { rounds: 7, roundSeconds: 4, warmUpSeconds: 3 };
  const generate = await startLoad(findWrk() === undefined || tiny ? 'autocannon' : 'wrk');
  const rounds = await runRounds(contenders, plan, generate);
  reading.abort();
  const ratio = ratioOf(rounds, 'watched', 'alone', ({ cpuMicroseconds }) => cpuMicroseconds);
  const rateOf = (name: string) => Math.round(medianOf(rounds, name, (round) => round.requestsPerSecond));
  return [
    {
      what: 'CPU of the data plane per request, one plain reader of the stream over none',
      unit: '',
      value: ratio?.median ?? NaN,
      budget: WATCHING_MAX,
      remark: `${ratio?.low.toFixed(2)}-${ratio?.high.toFixed(2)}; ${rateOf('watched')}/s, alone ${rateOf('alone')}/s`,
    },
  ];
}

/** What `npm start` takes longer: the build of the console, and the start with it. */
export async function measureStart({ tiny }: ConsoleOptions): Promise<readonly Figure[]> {
  const ready: Record<'with' | 'without', number[]> = { with: [], without: [] };
  const builds: number[] = [];
  for (let round = 1; round <= (tiny ? 1 : 7); round++) {
    for (const way of inTurn(round, ['with', 'without'] as const)) {
      const data = temporaryDirectory();
      ready[way].push(await secondsOf(() => startService(data, way === 'without' ? ['--no-console'] : [])));
    }
    builds.push(await secondsOf(() => runCommand('npm', ['run', '--silent', 'build:console'])));
  }
  const later = median(ready.with) - median(ready.without);
  const remark = `build ${median(builds).toFixed(2)} s, ready ${median(ready.with).toFixed(2)} s, ${median(ready.without).toFixed(2)} s without`;
  return [{ what: 'npm start, longer', unit: 's', value: median(builds) + later, budget: START_MAX_SECONDS, remark }];
}

async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (performance.now() - startedAt) / 1e3;
}
