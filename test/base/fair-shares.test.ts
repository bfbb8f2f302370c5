/** What one owner has in progress is bounded by bytes; whose turn it is: owner-turns.test.ts. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairShares, OWNER_BODIES_BYTES_AT_ONCE, OWNER_REQUESTS_WAITING_MAX } from '../../src/base/fair-shares.ts';

const LARGE = OWNER_BODIES_BYTES_AT_ONCE * 2;

async function eventually(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 10_000 && !holds(); turns++) await turn();
  expect(holds()).toBe(true);
}

/** Uses up what one owner may have of an iteration of the event loop. */
function burn(): void {
  for (const until = performance.now() + 120; performance.now() < until;);
}

// reaches OWNER_BODIES_BYTES_AT_ONCE
test('the bodies of an owner in progress are bounded, one always fits, and a release admits the next', async () => {
  const shares = new FairShares();
  const done: number[] = [];
  let copied = 0;
  shares.run('a', LARGE, () => done.push(1));
  shares.run(
    'a',
    LARGE,
    () => done.push(2),
    () => copied++,
  );
  shares.run('b', LARGE, () => done.push(3));
  for (let count = 0; count < 10; count++) await turn();
  expect([done, copied]).toEqual([[1, 3], 1]);
  shares.release('a', LARGE);
  await eventually(() => done.length === 3);
  expect(done).toEqual([1, 3, 2]);
});

test('requests without a body pass a body that does not fit, which later bodies do not', async () => {
  const shares = new FairShares();
  const done: string[] = [];
  shares.run('a', LARGE, () => done.push('large'));
  shares.run('a', LARGE, () => done.push('large, later'));
  shares.run('a', 1, () => done.push('small behind it'));
  shares.run('a', 0, () => done.push('read'));
  expect(done).toEqual(['large', 'read']);
  shares.release('a', LARGE);
  await eventually(() => done.length === 3);
  shares.release('a', LARGE);
  await eventually(() => done.length === 4);
  expect(done.slice(2)).toEqual(['large, later', 'small behind it']);
});

test('what waits for a turn alone keeps its order, and its bytes are in progress', async () => {
  const shares = new FairShares();
  const done: string[] = [];
  shares.run('a', 0, burn);
  shares.run('a', 1, () => done.push('body'));
  shares.run('a', 0, () => done.push('read'));
  shares.run('a', LARGE, () => done.push('large'));
  expect(done).toEqual([]);
  await eventually(() => done.length === 2);
  expect(done).toEqual(['body', 'read']);
  shares.release('a', 1);
  await eventually(() => done.length === 3);
});

// reaches OWNER_REQUESTS_WAITING_MAX
test('so many wait at most, for a turn or for space; one more is refused and not run', async () => {
  const shares = new FairShares();
  let run = 0;
  shares.run('a', LARGE, burn);
  shares.run('a', 1, () => run++);
  for (let count = 1; count < OWNER_REQUESTS_WAITING_MAX; count++) expect(shares.run('a', 0, () => run++)).toBe(true);
  expect(shares.run('a', 0, () => run++)).toBe(false);
  expect(shares.run('b', 1, () => undefined)).toBe(true);
  await eventually(() => run === OWNER_REQUESTS_WAITING_MAX - 1);
  shares.release('a', LARGE);
  await eventually(() => run === OWNER_REQUESTS_WAITING_MAX);
  expect(shares.run('a', 1, () => run++)).toBe(true);
});
