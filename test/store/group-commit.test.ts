/** Group commit: what goes into a batch, and what a failed or hung one does to what waits. */
import { expect, test } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.ts';
import { CommitHangError, NotTriedError } from '../../src/store/store.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('one batch is in flight at a time, and what comes meanwhile goes into the next', async () => {
  const batches: number[][] = [];
  const commits = new GroupCommit<number>(async (items) => {
    batches.push([...items]);
    await sleep(20);
  });
  const first = [1, 2, 3].map((item) => commits.submit(item));
  await sleep(5);
  const second = [4, 5].map((item) => commits.submit(item));
  await Promise.all([...first, ...second]);
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(commits.figures).toMatchObject({ batches: 2, commits: 5 });
});

test('a failed batch was tried; what waited behind it, and what comes later, was not', async () => {
  const commits = new GroupCommit<number>(async () => {
    await sleep(10);
    throw new Error('disk full');
  });
  const outcome = (item: number) =>
    commits.submit(item).then(
      () => 'durable',
      (error: unknown) => (error instanceof NotTriedError ? 'not tried' : 'tried'),
    );
  const tried = outcome(1);
  await sleep(3);
  const waited = outcome(2);
  expect([await tried, await waited, await outcome(3)]).toEqual(['tried', 'not tried', 'not tried']);
  expect((await commits.failed).message).toBe('disk full');
  await commits.settled();
});

test('a batch that does not return is taken for failed', async () => {
  const commits = new GroupCommit<number>(() => new Promise(() => undefined), 200);
  await expect(commits.submit(1)).rejects.toThrow('took longer than 200 ms');
  // Its thread may never come back: whoever ends the process must not wait for it.
  expect(await commits.failed).toBeInstanceOf(CommitHangError);
});

test('a process that was stopped for longer is not', async () => {
  const commits = new GroupCommit<number>(() => sleep(50).then(() => undefined), 200);
  const durable = commits.submit(1);
  await sleep(5);
  // As a stopped process or a paused machine does: no turn of the event loop, and all timers due afterwards.
  const until = performance.now() + 400;
  while (performance.now() < until);
  await durable;
  expect(commits.figures.commits).toBe(1);
});
