/**
 * The data plane's process may crash, hang or be killed: mocks are served again without intervention, and nothing is
 * left behind.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { CHILD_STOP_MS } from '../../src/limits.ts';
import type { DataPlaneOptions } from '../../src/serving/supervisor/data-plane-options.ts';
import { forkDataPlane } from '../../src/serving/supervisor/fork-data-plane.ts';
import { gone, keepAlive, mock, response, route, TestPlane } from '../support/data-plane.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';

const SUPERVISOR = pathToFileURL(resolve(import.meta.dirname, '../../src/serving/supervisor/data-plane.ts')).href;

/** The one of a test that runs alone; none is there when none of these was chosen. */
let data: TestPlane;
afterEach(() => (data as TestPlane | undefined)?.plane.close());
afterAll(() => endAll());

/** A tenth of a second on an idle machine; tests share theirs with others. */
const RECOVERY_MS_MAX = 5_000;

const page = (body: string, version: number) => mock('page', [route('/', [response({ body })])], { version });

/** How long until the mock answers again, in milliseconds. */
async function recovery(of = data): Promise<number> {
  const from = performance.now();
  while (performance.now() - from < 30_000) {
    const reply = await Promise.race([of.ask('/', { mock: 'page' }), sleep(500)]).catch(() => undefined);
    if (reply?.status === 200) return performance.now() - from;
    await sleep(10);
  }
  throw new Error(`no recovery: ${of.log.join('; ')}`);
}

/** One thread listens by itself; several get their connections from the main thread. */
const THREADS = [1, 2];

test.each(THREADS)(
  'a killed child of %i threads is replaced under load, on the same port, with what is committed',
  async (workers) => {
    data = await TestPlane.start({ workers }, [page('first', 1)]);
    await data.text('/', { mock: 'page' });
    const { port, epoch, childPid } = data.plane;
    const agent = keepAlive(16);
    const over = new AbortController();
    let refused = 0;
    const texts = new Set<string>();
    const clients = Array.from({ length: 16 }, async () => {
      while (!over.signal.aborted) {
        const reply = await data.ask('/', { mock: 'page', agent }).catch(() => undefined);
        if (reply === undefined) {
          refused++;
          await sleep(5);
        } else texts.add(`${reply.status} ${reply.text}`);
      }
    });
    await expect.poll(() => texts.has('200 first'), { timeout: 20_000 }).toBe(true);
    // Committed while no child process runs.
    data.committed.set('page', page('second', 2));
    process.kill(childPid as number, 'SIGKILL');
    const ms = await recovery();
    await expect.poll(() => texts.has('200 second'), { timeout: 20_000 }).toBe(true);
    over.abort();
    await Promise.all(clients);
    agent.destroy();
    expect(ms).toBeLessThan(RECOVERY_MS_MAX);
    expect(refused).toBeGreaterThan(0);
    expect([...texts].toSorted()).toEqual(['200 first', '200 second']);
    expect(await data.text('/', { mock: 'page' })).toBe('second');
    expect(data.plane.port).toBe(port);
    expect(data.plane.epoch).not.toBe(epoch);
    expect(data.plane.restarts).toBe(1);
    expect(await gone(childPid as number)).toBe(true);
  },
);

test('a publish during the crash is confirmed once a new child serves', async () => {
  data = await TestPlane.start({}, [page('first', 1)]);
  await data.text('/', { mock: 'page' });
  process.kill(data.plane.childPid as number, 'SIGKILL');
  expect(await data.publish(page('second', 2))).toBe(true);
  expect(await data.text('/', { mock: 'page' })).toBe('second');
  expect(await data.plane.requests('page', { limit: 10 })).toMatchObject({ count: 1 });
});

test('a deletion during the crash holds after it', async () => {
  data = await TestPlane.start({}, [page('first', 1)]);
  process.kill(data.plane.childPid as number, 'SIGKILL');
  expect(await data.remove('page')).toBe(true);
  expect((await data.ask('/', { mock: 'page' })).status).toBe(404);
});

test('crashes in a row are answered with growing pauses', async () => {
  data = await TestPlane.start({}, [page('here', 1)]);
  for (let crash = 0; crash < 4; crash++) {
    process.kill(data.plane.childPid as number, 'SIGKILL');
    await recovery();
  }
  const waits = data.log.flatMap((line) => (/"waitMs":(\d+)/.exec(line) ?? []).slice(1).map(Number));
  expect(waits).toEqual([0, 50, 100, 200]);
});

test('a signal to the whole process group does not end the child', async () => {
  data = await TestPlane.start({}, [page('here', 1)]);
  process.kill(data.plane.childPid as number, 'SIGINT');
  process.kill(data.plane.childPid as number, 'SIGTERM');
  await sleep(100);
  expect(await data.text('/', { mock: 'page' })).toBe('here');
  expect(data.plane.restarts).toBe(0);
});

test.each([5, 20, 40, 80])('close %i ms after a crash does not wait for a deadline', async (ms) => {
  data = await TestPlane.start({ workers: 1 }, [page('here', 1)]);
  process.kill(data.plane.childPid as number, 'SIGKILL');
  await sleep(ms);
  const from = performance.now();
  await data.plane.close();
  expect(performance.now() - from).toBeLessThan(CHILD_STOP_MS / 2);
});

test('the child does not outlive a parent that is killed', async () => {
  data = await TestPlane.start();
  const parent = new Running(process.execPath, [
    '--import',
    import.meta.resolve('tsx'),
    '--input-type=module',
    '-e',
    `import { DataPlane } from '${SUPERVISOR}';
     const log = { info() {}, warn() {}, error() {} };
     const plane = await DataPlane.start({ host: '127.0.0.1', port: 0, workers: 2, mockDomain: 'localhost', sharedDomains: [],
       definitions: async () => undefined, directory: () => [], log });
     console.log('child ' + plane.childPid);`,
  ]);
  await expect.poll(() => parent.stdout, { timeout: 10_000 }).toContain('\n');
  const childPid = Number(/child (\d+)/.exec(parent.stdout)?.[1]);
  process.kill(childPid, 0);
  parent.child.kill('SIGKILL');
  await parent.ended;
  expect(await gone(childPid)).toBe(true);
});

test('a child that cannot be made, for want of descriptors or of its program, is tried again', async () => {
  data = await TestPlane.start({}, [page('back', 1)]);
  const { execPath } = process;
  process.execPath = '/nowhere/node';
  try {
    process.kill(data.plane.childPid as number, 'SIGKILL');
    await expect.poll(() => data.log.join('\n'), { timeout: 5_000 }).toContain('ENOENT');
  } finally {
    process.execPath = execPath;
  }
  await recovery();
});

describe('a child that was forked before', () => {
  const stopped: ChildProcess[] = [];
  const forked = (): ChildProcess => {
    const child = forkDataPlane();
    stopped.push(child);
    return child;
  };
  afterEach(() => stopped.splice(0).forEach((child) => child.kill('SIGKILL')));

  test('is the first one, and is replaced like any other', async () => {
    const child = forked();
    data = await TestPlane.start({ forked: child }, [page('first', 1)]);
    expect(data.plane.childPid).toBe(child.pid);
    child.kill('SIGKILL');
    await expect.poll(() => data.plane.restarts, { timeout: 10_000 }).toBe(1);
    await recovery();
    expect(data.plane.childPid).not.toBe(child.pid);
  });

  test('and ended, or could not be made, is not waited for', async () => {
    const ended = forked();
    ended.kill('SIGKILL');
    await once(ended, 'exit');
    data = await TestPlane.start({ forked: ended }, [page('first', 1)]);
    expect(await data.text('/', { mock: 'page' })).toBe('first');
    await data.plane.close();
    const { execPath } = process;
    process.execPath = '/nowhere/node';
    const unmade = forked();
    process.execPath = execPath;
    data = await TestPlane.start({ forked: unmade }, [page('first', 1)]);
    expect(await data.text('/', { mock: 'page' })).toBe('first');
  });
});

/** They wait for deadlines of seconds, and do so together: how soon a child is replaced is judged above, one at a time. */
describe.concurrent('what hangs or waits', () => {
  const HANGING = pathToFileURL(resolve(import.meta.dirname, '../support/hanging-thread.mjs')).href;
  const LATE_HOST = pathToFileURL(resolve(import.meta.dirname, '../support/late-host.mjs'));

  const planes: TestPlane[] = [];
  afterAll(() => Promise.all(planes.map(({ plane }) => plane.close())));

  async function started(options: Partial<DataPlaneOptions>, served = page('first', 1)): Promise<TestPlane> {
    const made = await TestPlane.start(options, [served]);
    planes.push(made);
    return made;
  }

  /** A data plane, and what makes one of its threads hang, and resolves when it does. */
  async function startedToHang(workers: number): Promise<{ mocks: TestPlane; hang: () => Promise<boolean> }> {
    const file = join(temporaryDirectory(), 'hang');
    const mocks = await started({ workers, environment: { NODE_OPTIONS: `--import ${HANGING}`, HANG_FILE: file } });
    const hang = (): Promise<boolean> => {
      writeFileSync(file, '');
      return eventually(() => !existsSync(file), 10_000);
    };
    return { mocks, hang };
  }

  // reaches BEATS_MISSED_MAX
  test.each(THREADS)('one of %i threads that hangs is noticed, and the child replaced', async (workers) => {
    const { mocks, hang } = await startedToHang(workers);
    const { childPid } = mocks.plane;
    expect(await hang()).toBe(true);
    // Dealt to the threads in turn.
    const asked = await Promise.allSettled(Array.from({ length: 8 }, () => mocks.ask('/', { mock: 'page' })));
    const cut = asked.filter((each) => each.status === 'rejected');
    // All of them where the machine is so busy that the child is replaced first.
    expect([8 / workers, 8]).toContain(cut.length);
    for (const { reason } of cut) expect(String(reason)).toMatch(/socket hang up|ECONNRESET/);
    await recovery(mocks);
    expect(await gone(childPid as number)).toBe(true);
    expect(mocks.plane.restarts).toBe(1);
  });

  test('a publish that a thread does not confirm is answered, and serves after the replacement', async () => {
    const { mocks, hang } = await startedToHang(2);
    expect(await hang()).toBe(true);
    // The child is replaced before the publish gives up: nothing older can be served then.
    expect(await mocks.publish(page('new', 2))).toBe(true);
    for (let index = 0; index < 4; index++) expect(await mocks.text('/', { mock: 'page' })).toBe('new');
    expect(mocks.plane.restarts).toBe(1);
  });

  test('a suspended child is killed and replaced', async () => {
    const mocks = await started({});
    const { childPid } = mocks.plane;
    process.kill(childPid as number, 'SIGSTOP');
    expect(await mocks.plane.counts('page')).toBeUndefined();
    await recovery(mocks);
    expect(await gone(childPid as number)).toBe(true);
  });

  // reaches MOCK_DRAIN_MS
  test.each(THREADS)(
    'close ends the child of %i threads, cuts what waits, and can be called again',
    async (workers) => {
      const slow = mock('page', [route('/', [response({ latency: 60_000 })])]);
      const mocks = await started({ workers }, slow);
      const waiting = mocks.ask('/', { mock: 'page' });
      await expect.poll(async () => (await mocks.plane.counts('page'))?.total).toBe(1);
      const { childPid } = mocks.plane;
      const from = performance.now();
      await Promise.all([mocks.plane.close(), expect(waiting).rejects.toThrow('socket hang up')]);
      expect(performance.now() - from).toBeLessThan(RECOVERY_MS_MAX);
      expect(await gone(childPid as number)).toBe(true);
      await mocks.plane.close();
      expect(await mocks.plane.publish(slow)).toBe(false);
      expect(await mocks.plane.counts('page')).toBeUndefined();
      expect(await mocks.plane.allCounts(['page'])).toBeUndefined();
    },
  );

  // reaches PUBLISH_MS
  test('a publish that no data plane confirms in time is false, and is served as soon as there is one', async () => {
    const file = join(temporaryDirectory(), 'late');
    const mocks = await started({ processFile: LATE_HOST, environment: { LATE_FILE: file } });
    const childPid = mocks.plane.childPid as number;
    writeFileSync(file, '');
    process.kill(childPid, 'SIGKILL');
    await gone(childPid);
    expect(await mocks.publish(page('second', 2))).toBe(false);
    rmSync(file);
    // The one that came up meanwhile is not replaced before it is late itself.
    process.kill(mocks.plane.childPid as number, 'SIGKILL');
    await recovery(mocks);
    expect(await mocks.text('/', { mock: 'page' })).toBe('second');
  });
});
