/**
 * One owner is as busy as its limits allow, beside another one: at the API, at its mocks, and at the gateway (../fairness/). Here is the API's part.
 *
 * One owner floods the API from a process of its own: reads, large pages, filtered lists, small and large writes and saves, over many
 * connections, and the largest pages over a few. Full effort asks that another owner's requests take at most twice as long as on a machine that is as busy with something else.
 *
 * The quiet figure is taken beside a process that burns as much CPU as a flood does: with two cores the load itself takes one.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { serve } from '../../support/process.ts';
import { RawConnection, rawRequest } from '../../support/raw-http.ts';
import { newPlace } from '../../support/server.ts';
import type { FloodOrder, FloodReport } from '../flood.ts';
import { replayAttacker, runAttackers } from '../fairness/run-attackers.ts';
import { forkFlood } from '../fork-flood.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

/** The short form only finds an owner that starves: it runs beside other tests, and has too few samples for more. */
const RATIO_MAX = { short: 10, full: 2 };
/** What cannot be told apart from the scheduling of a busy machine, in milliseconds. */
const GRAIN_MS = { short: 2_000, full: 10 };
/**
 * The same beside floods whose single requests take some ten milliseconds of the event loop, or of the disk: pages of 4 MB, bodies of
 * 900 KB, saves. What has begun is not interrupted, and commits of all owners share one sync.
 */
const HEAVY_GRAIN_MS = { short: 2_000, full: 100 };
const HEAVY = new Set(['pages', 'largest pages', 'large writes', 'saves']);
/** A read waits for no commit: for the page that has begun alone. */
const READ_GRAIN_MS = { short: 2_000, full: 20 };
const MEASURED_MS: Record<Effort, number> = { short: 400, full: 5_000 };
/** Of the flood of more than may wait: when nothing is refused within it, the next look takes longer. */
const BEYOND_MS: Record<Effort, number> = { short: 1_500, full: 5_000 };
/** As many as filled the memory, when a page had no bound. */
const PAGE_READERS = 8;

export const proof: Proof = {
  name: 'fairness',
  onEveryStore: true,
  promise: 'A flood of one owner waits for its turns and is refused beyond them; the requests of another owner go on.',
  unavailable: () => (process.platform === 'linux' ? undefined : 'it reads /proc'),
  async run(tally: Tally, effort: Effort) {
    // Mocks and the gateway know no store.
    if (process.env.TEST_POSTGRES === undefined) await runAttackers(tally, effort);
    await floodApi(tally, effort);
  },
  replay: replayAttacker,
};

async function floodApi(tally: Tally, effort: Effort): Promise<void> {
  const data = await newPlace();
  const flooder = await createKey(data, { ownerId: 'flooder', userId: 'f', role: 'editor' });
  const other = await createKey(data, { ownerId: 'other', userId: 'o', role: 'editor' });
  const server = serve(data, ['--log-level', 'warn', '--text-max', '100000']);
  const port = (await server.ready()) as number;
  const ms = MEASURED_MS[effort];
  const connections = effort === 'full' ? 200 : 60;
  const order = { port, key: flooder, connections };

  let quiet = await measureQuiet(order, other, ms);
  const kinds = ['reads', 'pages', 'filtered lists', 'writes', 'large writes', 'saves', 'largest pages'] as const;
  for (const kind of kinds) {
    const fault = `a flood of ${kind}`;
    for (let look = 1; ; look++) {
      const flood = await startFlood({
        ...order,
        kind,
        connections: kind === 'largest pages' ? PAGE_READERS : connections,
      });
      await sleep(ms / 10);
      const beside = await measure(port, other, ms);
      const { statuses, withoutRetry } = await flood.stop();
      const told = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
      const figures = [quiet, beside].map(
        ({ reads, writes }) => `read ${p99(reads).toFixed(1)} ms, write ${p99(writes).toFixed(1)} ms`,
      );
      process.stdout.write(`  ${fault} (${told.join(', ')}): p99 ${figures.join('; beside it ')}\n`);
      tally.tried(fault, beside.reads.length + beside.writes.length - 1);
      if (beside.refused > 0) tally.failed(fault, `${beside.refused} requests of the other owner were refused`);
      const odd = Object.keys(statuses).filter((status) => !['200', '429', '503', '0'].includes(status));
      tally.check('what is refused is 429 or 503', odd.length === 0, () => `${kind}: ${odd.join()}`);
      tally.check('a refusal says when to retry', withoutRetry === 0, () => `${withoutRetry} did not`);
      const slow = (['reads', 'writes'] as const).filter(
        (what) => p99(beside[what]) > p99(quiet[what]) * RATIO_MAX[effort] + grainOf(kind, what)[effort],
      );
      if (slow.length === 0) break;
      // Others may use the machine too: what was slow is looked at again, and so is what it is held against.
      if (look < LOOKS) quiet = await measureQuiet(order, other, ms);
      else {
        tally.failed(fault, `${slow.join(' and ')} took too long, ${LOOKS} times: ${figures.join('; beside it ')}`);
        break;
      }
    }
  }

  // More at once than may wait for one owner.
  let refused = 0;
  let statuses: FloodReport['statuses'] = {};
  let withoutRetry = 0;
  // The flood is a process too: on a busy machine it may be slower than the server.
  for (let look = 1; refused === 0 && look <= LOOKS; look++) {
    const flood = await startFlood({ ...order, kind: look === 1 ? 'writes' : 'large writes', connections: 2_500 });
    await sleep(BEYOND_MS[effort] * look);
    ({ statuses, withoutRetry } = await flood.stop());
    refused = (statuses['503'] ?? 0) + (statuses['429'] ?? 0);
  }
  tally.check('a flood beyond what may wait is refused', refused > 0, () => JSON.stringify(statuses));
  tally.check('a refusal says when to retry', withoutRetry === 0, () => `${withoutRetry} did not`);
  server.child.kill('SIGTERM');
  const { status } = await server.ended;
  tally.check('it ends as it should', status === 0, () => `it ended with ${status}`);
}

function grainOf(kind: string, what: 'reads' | 'writes'): typeof GRAIN_MS {
  if (kind === 'largest pages' && what === 'reads') return READ_GRAIN_MS;
  return HEAVY.has(kind) ? HEAVY_GRAIN_MS : GRAIN_MS;
}

/** How often what is slow is looked at before it is called so. */
const LOOKS = 3;

/** Beside a process that burns as much CPU as a flood does. */
async function measureQuiet(order: Omit<FloodOrder, 'kind'>, key: string, ms: number): Promise<Measured> {
  const burner = await startFlood({ ...order, kind: 'burn' });
  await measure(order.port, key, ms / 4);
  const quiet = await measure(order.port, key, ms);
  await burner.stop();
  return quiet;
}

interface Measured {
  readonly reads: number[];
  readonly writes: number[];
  refused: number;
}

/** The other owner, on one connection at a time: a read and a durable write, one after the other. Times in milliseconds. */
async function measure(port: number, key: string, ms: number): Promise<Measured> {
  const measured: Measured = { reads: [], writes: [], refused: 0 };
  const keyed = ['Host: 127.0.0.1', `x-api-key: ${key}`];
  const body = JSON.stringify({ name: 'g' });
  const read = rawRequest('GET /v1/groups?pageSize=1 HTTP/1.1', keyed);
  const write = rawRequest('POST /v1/groups HTTP/1.1', [...keyed, `Content-Length: ${body.length}`], body);
  let connection = await RawConnection.open(port);
  for (const until = performance.now() + ms; performance.now() < until; await sleep(5)) {
    for (const [request, took] of [
      [read, measured.reads],
      [write, measured.writes],
    ] as const) {
      if (connection.closed) connection = await RawConnection.open(port);
      const started = performance.now();
      void connection.write(request);
      const { status } = await connection.answer();
      took.push(performance.now() - started);
      if (status !== 200) measured.refused++;
    }
  }
  await connection.close();
  return measured;
}

function p99(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] as number;
}

interface Flood {
  stop(): Promise<FloodReport>;
}

/** Resolves when the flood is under way. */
async function startFlood(order: FloodOrder): Promise<Flood> {
  const child = forkFlood();
  const running = once(child, 'message');
  child.send(order);
  await running;
  return {
    async stop() {
      const reported = once(child, 'message');
      child.send('stop');
      const [report] = (await reported) as [FloodReport];
      child.kill('SIGKILL');
      await once(child, 'exit');
      return report;
    },
  };
}
