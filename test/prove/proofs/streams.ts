/**
 * Thousands of open streams with an event each second, some of whose clients vanish, beside readers that do not read. Every stream gets its
 * events, who has left is noticed, who does not read is cut, others are served, and memory is what it was when all are gone.
 *
 * Printed and not judged, since they are the machine's: how late events are beside bare timers of the same run, what a stream takes of
 * memory, and what an event takes of the processor.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createClient, type Client } from 'switchyard-server';
import { WebSocket } from 'ws';
import { createKey } from '../../../src/cli/keys.ts';
import { collecting } from '../../support/collecting.ts';
import { eventually, serve } from '../../support/process.ts';
import { ask, rawRequest } from '../../support/raw-http.ts';
import { newPlace } from '../../support/server.ts';
import { cpuSeconds, dataPlanePid, descriptorCount } from '../../support/vital-signs.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const STREAMS: Record<Effort, number> = { full: 10_000, short: 5_000 };
/** Beside the streams, so that what they leave counts in the same memory. */
const SOCKETS: Record<Effort, number> = { full: 1_000, short: 200 };
const WATCHED_MS: Record<Effort, number> = { full: 20_000, short: 2_000 };
/** One stream in so many loses its client. */
const VANISHING = 20;
const READERS = 8;
/** An owner has half of a thread's connections, and the client as many of its own. */
const OWNERS = 4;
const RESERVED = 1_000;
const OPENED_AT_ONCE = 200;
const EVENT_MS = 1_000;
/** Up to 11 have been seen, with what is recorded of them. Streams that stay take 25 in short, and 90. */
const GROWTH_MB_MAX = 16;
const COLLECT_MS: Record<Effort, number> = { full: 2_500, short: 500 };
/** What does not read is cut by uWebSockets.js within some 12 s, or before by what waits for it. */
const CUT_MS_MAX = 20_000;

export const proof: Proof = {
  name: 'streams',
  promise: 'Thousands of open streams get their events, and leave nothing behind when their clients are gone.',
  unavailable: () => (process.platform === 'linux' ? undefined : 'it reads /proc'),
  async run(tally: Tally, effort: Effort) {
    const data = await newPlace();
    const keys = await Promise.all(
      Array.from({ length: OWNERS }, (_, index) =>
        createKey(data, { ownerId: `owner${index}`, userId: 'ann', role: 'editor' }),
      ),
    );
    const { env, collected } = collecting(['--max-semi-space-size=1']);
    const server = serve(data, ['--workers', '1', '--log-level', 'warn'], { env });
    const port = (await server.ready()) as number;
    const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
    const plane = dataPlanePid(server.child.pid as number);
    const clients = keys.map((key) => createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key }));
    const mocks = await Promise.all(
      clients.map((client) => client.mocks.create({ name: 'm', start: true, routes: ROUTES })),
    );
    const openCount = async (): Promise<number> => {
      const totals = await Promise.all(
        mocks.map(async ({ id }, index) => {
          const answer = await fetch(`http://127.0.0.1:${port}/v1/mocks/${id}/streams`, {
            headers: { 'x-api-key': keys[index] as string },
          });
          return ((await answer.json()) as { total: number }).total;
        }),
      );
      return totals.reduce((sum, total) => sum + total, 0);
    };
    const count = Math.min(STREAMS[effort], Math.floor((openFiles() - RESERVED) / 1.2));
    const openMany = (many: number): Promise<Ticks[]> =>
      openAll(many, (index) => ticksOf(mockPort, mocks[index % OWNERS]?.id as string));
    const held = async (): Promise<number> => (await collected({ plane }, COLLECT_MS[effort])).plane;
    const allGone = async (): Promise<boolean> => eventually(async () => (await openCount()) === 0, CUT_MS_MAX);

    // What a first round needs stays.
    await closeAll(await openMany(Math.ceil(count / 10)));
    await sockets(tally, mockPort, SOCKETS[effort] / 4, clients[0] as Client);
    await allGone();
    const idle = descriptorCount(plane);
    const before = await held();
    const quiet = await answerMs(mockPort, mocks[0]?.id as string, effort === 'full' ? 2_000 : 500);

    const streams = await openMany(count);
    const open = await openCount();
    tally.check('streams are open', open === count, () => `${open} of ${count}`);
    const full = await held();
    const seen = streams.map(({ behind }) => behind.length);
    const timers = bareTimers(count, WATCHED_MS[effort]);
    const cpu = cpuSeconds(plane);
    const begun = performance.now();
    const busy = await answerMs(mockPort, mocks[0]?.id as string, WATCHED_MS[effort]);
    const took = (cpuSeconds(plane) - cpu) / ((performance.now() - begun) / EVENT_MS);
    const bare = await timers;
    const watched = streams.map(({ behind }, index) => behind.slice(seen[index]));
    const least = WATCHED_MS[effort] / EVENT_MS - 1;
    const lacking = watched.filter(({ length }, index) => streams[index]?.closed === true || length < least);
    tally.tried('every stream gets its events', count);
    if (lacking.length > 0) tally.failed('every stream gets its events', `${lacking.length} of ${count} did not`);
    tally.check('others are served', busy.failed === 0, () => `${busy.failed} requests were not`);
    process.stdout.write(
      `  ${count} streams, an event each second: ${shown(watched.flatMap(lateness))} late; bare timers ${shown(bare)}\n` +
        `  ${(((full - before) * 1_048_576) / count / 1_000).toFixed(1)} kB a stream, ` +
        `${((took * 1e6) / count).toFixed(0)} \u00b5s of the processor an event; ` +
        `a body beside them ${shown(busy.took)}, before ${shown(quiet.took)} (load ${(loadavg()[0] as number).toFixed(1)})\n`,
    );

    await vanish(tally, streams, openCount);
    await sockets(tally, mockPort, SOCKETS[effort], clients[0] as Client);
    const [first] = clients;
    await notReading(tally, mockPort, mocks[0]?.id as string, async () => {
      const cut = await first?.mocks.requests(mocks[0]?.id as string, { ended: 'slowReader' });
      return cut?.records.length ?? 0;
    });

    await closeAll(streams);
    tally.check('streams end with their clients', await allGone(), () => 'some stayed open');
    const isIdle = await eventually(() => descriptorCount(plane) <= idle + 4, CUT_MS_MAX);
    tally.check('connections are given back', isIdle, () => `${idle} before, ${descriptorCount(plane)} after`);
    await closeAll(await openMany(effort === 'full' ? count : count / 10));
    await allGone();
    // A machine that is busy collects late.
    let after = await held();
    for (let again = 0; again < 10 && after - before > GROWTH_MB_MAX; again++) after = await held();
    const told = `${before.toFixed(1)} MB before, ${full.toFixed(1)} with open streams, ${after.toFixed(1)} after them`;
    tally.check('memory is given back', after - before <= GROWTH_MB_MAX, () => told);
    process.stdout.write(`  the process: ${told}\n`);
    server.child.kill('SIGTERM');
    const { status } = await server.ended;
    tally.check('it ends as it should', status === 0, () => `it ended with ${status}`);
  },
};

const ROUTES = [
  {
    method: 'GET',
    path: '/ticks',
    responses: [{ stream: { repeat: 'forever' as const, events: [{ delay: EVENT_MS, data: 'tick' }] } }],
  },
  {
    method: 'GET',
    path: '/flood',
    responses: [{ stream: { repeat: 'forever' as const, events: [{ delay: 10, data: 'x'.repeat(100_000) }] } }],
  },
  { method: 'GET', path: '/body', responses: [{ body: 'body' }] },
];

const SOCKET_ROUTES = [
  {
    kind: 'ws' as const,
    method: 'GET',
    path: '/ws',
    tickMs: 500,
    tickTo: 'all' as const,
    responses: [
      { when: 'tick' as const, body: 'tick' },
      { templated: true, body: '{{body}}' },
    ],
  },
  {
    kind: 'ws' as const,
    method: 'GET',
    path: '/ws-flood',
    responses: [
      {
        when: 'open' as const,
        stream: { repeat: 'forever' as const, events: [{ delay: 10, data: 'x'.repeat(100_000) }] },
      },
    ],
  },
];

/** One open stream: for each event its time of arrival, less that of its place in the script. */
interface Ticks {
  readonly socket: Socket;
  readonly behind: number[];
  closed: boolean;
}

async function openAll(count: number, open: (index: number) => Promise<Ticks>): Promise<Ticks[]> {
  const opened: Ticks[] = [];
  let next = 0;
  const openNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      opened[index] = await open(index);
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openNext));
  return opened;
}

/** Resolves with the head of the answer. */
function ticksOf(port: number, mockId: string): Promise<Ticks> {
  return new Promise((opened, failed) => {
    const socket = connect(port, '127.0.0.1');
    const ticks: Ticks = { socket, behind: [], closed: false };
    socket.on('error', failed);
    socket.on('close', () => (ticks.closed = true));
    socket.on('data', (chunk: Buffer) => {
      const now = performance.now();
      opened(ticks);
      for (let at = chunk.indexOf('data: tick'); at >= 0; at = chunk.indexOf('data: tick', at + 1))
        ticks.behind.push(now - ticks.behind.length * EVENT_MS);
    });
    socket.write(rawRequest(`GET /__mock/${mockId}/ticks HTTP/1.1`, ['Host: localhost']));
  });
}

async function closeAll(streams: readonly Ticks[]): Promise<void> {
  for (const { socket } of streams) socket.destroy();
  await sleep(0);
}

/** Events of one stream against its earliest one: when the head left is not known here. */
function lateness(behind: readonly number[]): number[] {
  const earliest = Math.min(...behind);
  return behind.map((each) => each - earliest);
}

/** As many timers as there are streams, each of which is due every second, in a thread of their own: how late each was. */
async function bareTimers(count: number, ms: number): Promise<number[]> {
  const worker = new Worker(
    `const { parentPort, workerData: { count, ms, every } } = require('node:worker_threads');
     const late = [];
     const begun = performance.now();
     for (let index = 0; index < count; index++) {
       let due = begun + Math.random() * every;
       const behind = [];
       const next = () => setTimeout(() => { behind.push(performance.now() - due); due += every; if (due < begun + ms) next(); }, due - performance.now());
       late.push(behind);
       next();
     }
     setTimeout(() => parentPort.postMessage(late), ms + every / 2);`,
    { eval: true, workerData: { count, ms, every: EVENT_MS } },
  );
  const late = await new Promise<number[][]>((told, failed) => worker.once('message', told).once('error', failed));
  await worker.terminate();
  return late.flatMap(lateness);
}

/** Asks for a body over fresh connections for a while. */
async function answerMs(port: number, mockId: string, ms: number): Promise<{ took: number[]; failed: number }> {
  const took: number[] = [];
  let failed = 0;
  for (const until = performance.now() + ms; performance.now() < until; await sleep(10)) {
    const begun = performance.now();
    const { status } = await ask(port, rawRequest(`GET /__mock/${mockId}/body HTTP/1.1`, ['Host: localhost'])).catch(
      () => ({ status: 0 }),
    );
    if (status !== 200) failed++;
    took.push(performance.now() - begun);
  }
  return { took, failed };
}

/** "p50 0.4, p99 12.1 ms" */
function shown(ms: readonly number[]): string {
  const sorted = ms.toSorted((one, other) => one - other);
  const at = (part: number): string => (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)} ms`;
}

/** Some clients are gone from one moment to the next. */
async function vanish(tally: Tally, streams: readonly Ticks[], openCount: () => Promise<number>): Promise<void> {
  const before = await openCount();
  const gone = streams.filter((_, index) => index % VANISHING === 0);
  for (const { socket } of gone) socket.resetAndDestroy();
  let left = before;
  const isNoticed = await eventually(async () => (left = await openCount()) === before - gone.length, CUT_MS_MAX);
  tally.tried('clients that vanish are noticed', gone.length - 1);
  tally.check('clients that vanish are noticed', isNoticed, () => `${left} of ${before - gone.length} are open`);
}

/** Readers that take nothing of streams that send much. */
async function notReading(
  tally: Tally,
  mockPort: number,
  mockId: string,
  cutCount: () => Promise<number>,
): Promise<void> {
  const readers = Array.from({ length: READERS }, () => {
    const socket = connect(mockPort, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(rawRequest(`GET /__mock/${mockId}/flood HTTP/1.1`, ['Host: localhost']));
    return socket;
  });
  let cut = 0;
  const areCut = await eventually(async () => (cut = await cutCount()) === READERS, CUT_MS_MAX);
  tally.tried('readers that do not read are cut', READERS - 1);
  tally.check('readers that do not read are cut', areCut, () => `${cut} of ${READERS}`);
  for (const socket of readers) socket.destroy();
}

/** WebSockets that echo and tick: some clients vanish, some do not read. All are closed at the end. */
async function sockets(tally: Tally, port: number, count: number, { mocks }: Client): Promise<void> {
  const { id: mockId } = await mocks.create({ name: 'sockets', start: true, routes: SOCKET_ROUTES });
  const open = async (path: string): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/__mock/${mockId}${path}`);
    socket.on('error', () => undefined);
    await once(socket, 'open');
    return socket;
  };
  const all: WebSocket[] = [];
  while (all.length < count) all.push(...(await Promise.all(Array.from({ length: 50 }, () => open('/ws')))));
  const got = all.map((socket) => {
    const seen = { echoes: 0, ticks: 0 };
    socket.on('message', (data: Buffer) => (data.toString() === 'tick' ? seen.ticks++ : seen.echoes++));
    return seen;
  });
  for (const socket of all) for (const text of ['a', 'b', 'c']) socket.send(text);
  const areAnswered = await eventually(() => got.every(({ echoes, ticks }) => echoes === 3 && ticks > 1), CUT_MS_MAX);
  tally.tried('WebSockets are answered, and get ticks', count - 1);
  tally.check('WebSockets are answered, and get ticks', areAnswered, () => JSON.stringify(got.slice(0, 3)));
  const slow = await Promise.all(Array.from({ length: READERS }, () => open('/ws-flood')));
  for (const socket of slow) socket.pause();
  for (const [index, socket] of all.entries()) if (index % VANISHING === 0) socket.terminate();
  const closed = async (ended: 'slowReader' | 'client'): Promise<number> =>
    (await mocks.requests(mockId, { ended, path: ended === 'client' ? '/ws' : '/ws-flood', limit: 1_000 })).records
      .length;
  const gone = Math.ceil(all.length / VANISHING);
  let counted: readonly number[] = [];
  const areCounted = await eventually(async () => {
    counted = [await closed('slowReader'), await closed('client')];
    return counted[0] === READERS && counted[1] === gone;
  }, CUT_MS_MAX);
  tally.tried('closed WebSockets are counted', READERS + gone - 1);
  tally.check(
    'closed WebSockets are counted',
    areCounted,
    () => `${counted.join(' and ')} of ${READERS} slow and ${gone} vanished ones`,
  );
  for (const socket of [...all, ...slow]) socket.terminate();
  const areGone = await eventually(async () => (await mocks.sockets(mockId).list()).length === 0, CUT_MS_MAX);
  tally.check('WebSockets end with their clients', areGone, () => 'some stayed open');
  // With what was recorded of it.
  await mocks.delete(mockId);
}

/** Files that this process may have open, and so may the server. */
function openFiles(): number {
  const [, limit = '1024'] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(limit);
}
