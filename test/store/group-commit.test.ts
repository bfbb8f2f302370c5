/** Group commit: the content of batches, and the effect of a failed or hung batch on waiting commits. */
import { expect, test } from 'vitest';
import { GroupCommit } from '../../src/store/group-commit.ts';
import { CommitHangError, CommitSkippedError } from '../../src/store/store.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('one batch is in flight at a time, and later commits go into the next', async () => {
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

test('a failed batch was attempted; commits waiting for it and later ones are skipped', async () => {
  const commits = new GroupCommit<number>(async () => {
    await sleep(10);
    throw new Error('disk full');
  });
  const outcome = (item: number) =>
    commits.submit(item).then(
      () => 'durable',
      (error: unknown) => (error instanceof CommitSkippedError ? 'skipped' : 'attempted'),
    );
  const attempted = outcome(1);
  await sleep(3);
  const waited = outcome(2);
  expect([await attempted, await waited, await outcome(3)]).toEqual(['attempted', 'skipped', 'skipped']);
  expect((await commits.failed).message).toBe('disk full');
  await commits.settled();
});

// reaches COMMIT_HANG_MS
test('a batch that does not return counts as failed', async () => {
  const commits = new GroupCommit<number>(() => new Promise(() => undefined), 200);
  await expect(commits.submit(1)).rejects.toThrow('took longer than 200 ms');
  // Its thread may never return, so the end of the process must not wait for it.
  expect(await commits.failed).toBeInstanceOf(CommitHangError);
});

test('a process that was stopped for longer does not count as hung', async () => {
  const commits = new GroupCommit<number>(() => sleep(50).then(() => undefined), 200);
  const durable = commits.submit(1);
  await sleep(5);
  // Like a stopped process or a paused machine: no turn of the event loop, and all timers due afterwards.
  const until = performance.now() + 400;
  while (performance.now() < until);
  await durable;
  expect(commits.figures.commits).toBe(1);
});
