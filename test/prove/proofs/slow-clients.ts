/**
 * Clients that take their time, many of each kind at once and on both planes: heads that never end, bodies that drip, readers that do not
 * read. Others are served as if they were alone, memory stays, and every slow one is cut off within seconds.
 *
 * Full effort adds `slowhttptest`, where it is installed, to our own clients.
 */
import { execFile } from 'node:child_process';
import { accessSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createKey } from '../../../src/cli/keys.ts';
import { eventually, serve } from '../../support/process.ts';
import { ask, RawConnection, rawRequest } from '../../support/raw-http.ts';
import { newPlace } from '../../support/server.ts';
import { dataPlanePid, descriptorCount, residentMb } from '../../support/vital-signs.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

/** uWebSockets.js closes what has not come, or was not read, at some 16 KB a second within 8 to 12 of them. */
const CUT_MS_MAX = 16_000;
const DRIP_MS = 1_000;
const SLOWHTTPTEST = '/usr/bin/slowhttptest';

/** What a machine that is busy with other things adds, in milliseconds. */
const GRAIN_MS: Record<Effort, number> = { full: 100, short: 500 };

const PAGE_BYTES = 4_096;
/** Linux's own bound of what one connection holds to be sent, and to be read by one with a window as small as slowhttptest's. */
const SENDING_BYTES_MAX = 4_194_304;

export const proof: Proof = {
  name: 'slow-clients',
  onEveryStore: true,
  promise: 'Slow heads, slow bodies and slow readers are cut off, and hold up neither others nor memory.',
  unavailable: () => (process.platform === 'linux' ? undefined : 'it reads /proc'),
  async run(tally: Tally, effort: Effort) {
    const data = await newPlace();
    const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
    // Who is served meanwhile is another owner: one's own requests wait behind one's own pages.
    const other = await createKey(data, { ownerId: 'other', userId: 'bob', role: 'editor' });
    const options = ['--mock-body-max', '9000000', '--text-max', '1000000', '--log-level', 'warn'];
    const server = serve(data, options);
    const port = (await server.ready()) as number;
    const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
    const pids = [server.child.pid as number, dataPlanePid(server.child.pid as number)];
    const mockId = await makeLarge(port, key);
    const keyed = ['Host: 127.0.0.1', `x-api-key: ${key}`];
    const planes: Plane[] = [
      {
        port,
        quick: rawRequest('GET /v1/groups HTTP/1.1', ['Host: 127.0.0.1', `x-api-key: ${other}`]),
        large: rawRequest(`GET /v1/mocks/${mockId}/staged HTTP/1.1`, keyed),
        upload: rawRequest('POST /v1/rules HTTP/1.1', [...keyed, 'Content-Length: 500000']),
      },
      {
        port: mockPort,
        quick: rawRequest(`GET /__mock/${mockId}/quick HTTP/1.1`, ['Host: 127.0.0.1']),
        large: rawRequest(`GET /__mock/${mockId}/large HTTP/1.1`, ['Host: 127.0.0.1']),
        upload: rawRequest(`POST /__mock/${mockId}/quick HTTP/1.1`, ['Host: 127.0.0.1', 'Content-Length: 500000']),
      },
    ];
    let largeBytes = 0;
    for (const { port: at, large } of planes) {
      const { body } = await ask(at, large);
      tally.check('the large answers are large', body.length > 8_000_000, () => `${body.length} bytes`);
      largeBytes += body.length;
    }
    const readersMax = Math.floor(kernelBytes() / largeBytes);
    const quiet = await slowest(planes, effort === 'full' ? 2_000 : 1_000);
    const idle = pids.map(descriptorCount);
    const before = pids.map(residentMb);

    const each = effort === 'full' ? 300 : 40;
    const slow: RawConnection[] = [];
    let dripping = true;
    const drips: Promise<void>[] = [];
    for (const plane of planes) {
      for (let count = 0; count < each; count++) {
        const [head, body] = [await open(plane), await open(plane)];
        slow.push(head, body);
        void head.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nx-slow: ');
        void body.write(plane.upload);
        drips.push(drip([head, body], () => dripping));
        if (count >= readersMax) continue;
        const reader = await open(plane);
        slow.push(reader);
        void reader.write(plane.large);
        reader.pause();
      }
    }
    const busy = await slowest(planes, 5_000);
    const during = pids.map(residentMb);
    tally.check('others are served', busy.failed === 0, () => `${busy.failed} of ${busy.asked} were not`);
    tally.check(
      'others wait no longer',
      busy.p99Ms < 4 * quiet.p99Ms + GRAIN_MS[effort],
      () => `99 of 100 within ${quiet.p99Ms.toFixed(1)} ms before, ${busy.p99Ms.toFixed(1)} ms meanwhile`,
    );
    // A reader of the API has its answer in memory; a static answer of a mock is there once.
    const heldMb = [(each * 14) / 1.0 + 150, 150];
    for (const [index, held] of heldMb.entries()) {
      const more = (during[index] as number) - (before[index] as number);
      tally.check('memory is bounded', more < held, () => `process ${index} took ${more.toFixed(0)} MB more`);
    }
    let left: readonly number[] = [];
    const isCut = await eventually(() => {
      left = pids.map(descriptorCount);
      return left.every((count, index) => count <= (idle[index] as number) + 4);
    }, CUT_MS_MAX - 5_000);
    dripping = false;
    tally.tried('slow clients are cut off', slow.length - 1);
    tally.check('slow clients are cut off', isCut, () => `descriptors: ${idle.join()} before, ${left.join()} after`);
    await Promise.all(drips);
    for (const connection of slow) connection.drop();

    if (effort === 'full') await withSlowhttptest(tally, planes, pids, idle);
    server.child.kill('SIGTERM');
    const { status } = await server.ended;
    tally.check('it ends as it should', status === 0, () => `it ended with ${status}`);
  },
};

interface Plane {
  readonly port: number;
  /** Requests as text: one of little work, one of a large answer, and the head of one with a body. */
  readonly quick: string;
  readonly large: string;
  readonly upload: string;
}

/**
 * What answers that nobody reads may take of the system's memory for TCP: half of what it has before it slows down every connection
 * there is. Where its buffers grow to 32 MB, whole answers lie there.
 */
function kernelBytes(): number {
  const [low = ''] = readFileSync('/proc/sys/net/ipv4/tcp_mem', 'latin1').split(/\s/);
  return (Number(low) * PAGE_BYTES) / 2;
}

const open = ({ port }: Plane): Promise<RawConnection> => RawConnection.open(port);

/** A byte now and then to each that is still connected. */
async function drip(connections: readonly RawConnection[], goesOn: () => boolean): Promise<void> {
  while (goesOn()) {
    for (const connection of connections) if (!connection.closed) void connection.write('x');
    await sleep(DRIP_MS);
  }
}

/** Asks both planes over fresh connections for a while: how long the slowest but one of a hundred took. */
async function slowest(
  planes: readonly Plane[],
  ms: number,
): Promise<{ asked: number; failed: number; p99Ms: number }> {
  const took: number[] = [];
  let failed = 0;
  for (const until = performance.now() + ms; performance.now() < until; await sleep(10)) {
    for (const { port, quick } of planes) {
      const started = performance.now();
      const status = await ask(port, quick).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status !== 200) failed++;
      took.push(performance.now() - started);
    }
  }
  took.sort((one, other) => one - other);
  return { asked: took.length, failed, p99Ms: took[Math.floor(took.length * 0.99)] as number };
}

/** A definition and a response of a mock, which are read for long. @returns The mock's id. */
async function makeLarge(port: number, key: string): Promise<string> {
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data } = (await answer.json()) as { data: { id: string } };
    return data.id;
  };
  return post('/v1/mocks', {
    name: 'm',
    start: true,
    routes: [
      { method: 'ANY', path: '/quick', responses: [{ body: 'quick' }] },
      { method: 'GET', path: '/large', responses: [{ body: 'x'.repeat(8_900_000) }] },
    ],
  });
}

/** Slow heads, slow bodies and slow readers, as the tool makes them. It holds what it opens for at most 20 s. */
async function withSlowhttptest(
  tally: Tally,
  planes: readonly Plane[],
  pids: readonly number[],
  idle: readonly number[],
): Promise<void> {
  try {
    accessSync(SLOWHTTPTEST);
  } catch {
    process.stdout.write('  slowhttptest is not installed: its rows are left out\n');
    return;
  }
  const run = promisify(execFile);
  const address = (port: number, request: string): string => `http://127.0.0.1:${port}${request.split(' ')[1]}`;
  const attacks: Record<string, (plane: Plane) => string[]> = {
    'slow heads': ({ port, quick }) => ['-H', '-u', address(port, quick)],
    'slow bodies': ({ port, quick }) => ['-B', '-u', address(port, quick)],
    'slow readers': ({ port, large }) => [
      '-X',
      '-w',
      '512',
      '-y',
      '1024',
      '-n',
      '5',
      '-z',
      '32',
      '-u',
      address(port, large),
      // The last -c holds.
      '-c',
      String(Math.min(500, Math.floor(kernelBytes() / (planes.length * SENDING_BYTES_MAX)))),
    ],
  };
  for (const [what, argumentsFor] of Object.entries(attacks)) {
    // Against both ports at once.
    const running = planes.map((plane) =>
      run(SLOWHTTPTEST, ['-c', '500', '-r', '250', '-i', '5', '-l', '15', '-p', '3', ...argumentsFor(plane)], {
        timeout: 60_000,
      }).catch((error: unknown) => error),
    );
    await sleep(3_000);
    const { asked, failed, p99Ms } = await slowest(planes, 4_000);
    await Promise.all(running);
    const fault = `slowhttptest: others are served beside ${what}`;
    tally.tried(fault, asked);
    if (failed > 0) tally.failed(fault, `${failed} of ${asked} were not`);
    if (p99Ms > 250) tally.failed(fault, `99 of 100 within ${p99Ms.toFixed(1)} ms`);
  }
  await sleep(2_000);
  const left = pids.map(descriptorCount);
  const isCut = left.every((count, index) => count <= (idle[index] as number) + 8);
  tally.check('slowhttptest: its clients are cut off', isCut, () => `${idle.join()} before, ${left.join()} after`);
}
