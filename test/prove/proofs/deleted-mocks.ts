/**
 * Mocks that come and go, as those of test runs do: a thousand are made, asked on each of their routes and deleted, again and again, and
 * neither process holds more after that than after the time before.
 *
 * What is looked at is each process's own memory, with garbage collected and young generations of one size: as V8 sizes and collects by
 * itself, tens of megabytes more or less say nothing. Pages of the data file are not in it: history stays, and they are the system's.
 */
import { Agent } from 'node:http';
import { createClient, type RouteInput } from 'switchyard-server';
import { createKey } from '../../../src/cli/keys.ts';
import { askMock } from '../../support/ask-mock.ts';
import { collecting } from '../../support/collecting.ts';
import { serve } from '../../support/process.ts';
import { newPlace } from '../../support/server.ts';
import { dataPlanePid } from '../../support/vital-signs.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const MOCKS: Record<Effort, number> = { full: 1_000, short: 60 };
const ROUTES = 20;
/** During the first ones memory grows to what a round needs; of the last two, each alike, nothing may be left. */
const ROUNDS: Record<Effort, number> = { full: 4, short: 3 };
const AT_ONCE = 16;
/** Up to 1.5 have been seen come and go. A thousand mocks that stay compiled take 50, the record of their traffic 6. */
const GROWTH_MB_MAX = 4;
const COLLECT_MS: Record<Effort, number> = { full: 2_500, short: 1_500 };

export const proof: Proof = {
  name: 'deleted-mocks',
  onEveryStore: true,
  runsBeside: 'http-fuzz',
  promise: 'Mocks that were made, asked and deleted leave nothing behind in memory.',
  unavailable: () => (process.platform === 'linux' ? undefined : 'it reads /proc'),
  async run(tally: Tally, effort: Effort) {
    const data = await newPlace();
    const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
    const { env, collected } = collecting(['--max-semi-space-size=1']);
    const server = serve(data, ['--workers', '1', '--log-level', 'warn'], { env });
    const port = (await server.ready()) as number;
    const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
    const { mocks } = createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key });
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    const planes = { API: server.child.pid as number, mocks: dataPlanePid(server.child.pid as number) };

    const told: string[] = [];
    let before = { API: Number.POSITIVE_INFINITY, mocks: Number.POSITIVE_INFINITY };
    for (let round = 1; round <= ROUNDS[effort]; round++) {
      const made = await atOnce(MOCKS[effort], (index) =>
        mocks.create({ name: `mock ${index}`, start: true, routes: routesOf(round, index) }),
      );
      const statuses = await atOnce(made.length * ROUTES, async (index) => {
        const mock = made[index % made.length]?.id as string;
        return (await askMock(mockPort, pathOf(Math.floor(index / made.length)), { mock, agent })).status;
      });
      const others = statuses.filter((status) => status !== 200);
      tally.check('every route of every mock is served', others.length === 0, () => `statuses ${others.join()}`);
      await atOnce(made.length, (index) => mocks.delete(made[index]?.id as string));

      const held = await collected(planes, COLLECT_MS[effort]);
      told.push(`round ${round}: API ${held.API.toFixed(1)} MB, mocks ${held.mocks.toFixed(1)} MB`);
      for (const plane of round < ROUNDS[effort] ? [] : (['API', 'mocks'] as const)) {
        const isLevel = held[plane] - before[plane] <= GROWTH_MB_MAX;
        tally.check(`${plane}: memory levels off`, isLevel, () => told.join('; '));
      }
      before = held;
    }
    process.stdout.write(`  ${told.join('\n  ')}\n`);
    agent.destroy();
    server.child.kill('SIGTERM');
    await server.ended;
  },
};

function routesOf(round: number, mock: number): RouteInput[] {
  return Array.from({ length: ROUTES }, (_, route) => ({
    method: 'GET',
    path: pathOf(route),
    responses: [{ body: JSON.stringify({ round, mock, route, name: 'Wool jumper', price: 49.9 }) }],
  }));
}

function pathOf(route: number): string {
  return `/resources/${route}/details`;
}

/** Runs so many, some at once. */
async function atOnce<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      results[index] = await run(index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  return results;
}
