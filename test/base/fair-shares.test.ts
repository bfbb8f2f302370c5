/** How owners share the event loop: work within an owner's share runs at once, beyond it it waits for other owners. */
import { OWNER_BODIES_BYTES_AT_ONCE } from '../../src/base/fair-shares.ts';
import { OWNER_WAITING_MAX } from '../../src/base/fair-shares.ts';
import { OWNER_READS_SHARE_MS } from '../../src/base/fair-shares.ts';
import { OWNER_SHARE_MS } from '../../src/base/fair-shares.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FairShares } from '../../src/base/fair-shares.ts';

/** Work takes the time that it says, whatever else runs on the machine. */
let now = 0;
beforeAll(() => void vi.spyOn(performance, 'now').mockImplementation(() => now));
afterAll(() => void vi.restoreAllMocks());

function busy(ms: number): void {
  now += ms;
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 10_000 && !holds(); turns++) await turn();
  expect(holds()).toBe(true);
}

// reaches OWNER_SHARE_MS
test('work beyond the share of an iteration waits, and another owner does not wait for it', async () => {
  const shares = new FairShares();
  const done: string[] = [];
  for (let index = 0; index < 20; index++) {
    shares.run('flood', 1, () => {
      busy(OWNER_SHARE_MS);
      done.push(`flood ${index}`);
    });
  }
  shares.run('other', 1, () => done.push('other'));
  expect(done).toEqual(['flood 0', 'other']);
  await eventually(() => done.length === 21);
  // In the order of arrival.
  expect(done.filter((name) => name !== 'other')).toEqual(Array.from({ length: 20 }, (_, index) => `flood ${index}`));
});

// reaches OWNERS_SHARE_MS
test('waiting owners are served in rotation', async () => {
  const shares = new FairShares();
  const done: string[] = [];
  const ask = (owner: string): void => {
    shares.run(owner, 1, () => {
      busy(OWNER_SHARE_MS * 2);
      done.push(owner);
    });
  };
  for (let count = 0; count < 30; count++) ask('flood');
  for (let count = 0; count < 3; count++) ask('other');
  await eventually(() => done.filter((owner) => owner === 'other').length === 3);
  expect(done.length).toBeLessThan(15);
});

// reaches OWNER_READS_SHARE_MS
test('reads have a larger share than requests with a body', () => {
  const shares = new FairShares();
  const done: string[] = [];
  shares.run('a', 0, () => busy(OWNER_SHARE_MS * 2));
  shares.run('a', 0, () => done.push('read'));
  expect(done).toEqual(['read']);
  shares.run('a', 0, () => busy(OWNER_READS_SHARE_MS));
  shares.run('a', 0, () => done.push('late read'));
  expect(done).toEqual(['read']);
});

// reaches OWNER_BODIES_BYTES_AT_ONCE
test('the bodies of an owner in progress are bounded, one always fits, and a release admits the next', async () => {
  const shares = new FairShares();
  const bytes = OWNER_BODIES_BYTES_AT_ONCE * 2;
  const done: number[] = [];
  let copied = 0;
  shares.run('a', bytes, () => done.push(1));
  shares.run(
    'a',
    bytes,
    () => done.push(2),
    () => copied++,
  );
  shares.run('b', bytes, () => done.push(3));
  for (let count = 0; count < 10; count++) await turn();
  expect([done, copied]).toEqual([[1, 3], 1]);
  shares.release('a', bytes);
  await eventually(() => done.length === 3);
  expect(done).toEqual([1, 3, 2]);
});

// reaches OWNER_WAITING_MAX
test('so many wait at most; one more is refused and not run', async () => {
  const shares = new FairShares();
  let run = 0;
  shares.run('a', 1, () => busy(OWNER_SHARE_MS));
  for (let count = 0; count < OWNER_WAITING_MAX; count++) expect(shares.run('a', 1, () => run++)).toBe(true);
  expect(shares.run('a', 1, () => run++)).toBe(false);
  expect(shares.run('b', 1, () => undefined)).toBe(true);
  await eventually(() => run === OWNER_WAITING_MAX);
  expect(shares.run('a', 1, () => run++)).toBe(true);
});

test('requests without a body pass a body that does not fit, in their order, and run while a large one is in progress', async () => {
  const shares = new FairShares();
  const bytes = OWNER_BODIES_BYTES_AT_ONCE * 2;
  const done: string[] = [];
  shares.run('a', bytes, () => done.push('large'));
  shares.run('a', bytes, () => done.push('large, later'));
  shares.run('a', 1, () => done.push('small behind it'));
  shares.run('a', 0, () => {
    busy(OWNER_READS_SHARE_MS);
    done.push('read 1');
  });
  shares.run('a', 0, () => done.push('read 2'));
  shares.run('a', 0, () => done.push('read 3'));
  expect(done).toEqual(['large', 'read 1']);
  await eventually(() => done.length === 4);
  for (let count = 0; count < 10; count++) await turn();
  expect(done).toEqual(['large', 'read 1', 'read 2', 'read 3']);
  shares.release('a', bytes);
  await eventually(() => done.length === 5);
  shares.release('a', bytes);
  await eventually(() => done.length === 6);
  expect(done.slice(4)).toEqual(['large, later', 'small behind it']);
});

test('requests without a body do not pass bodies that fit and only wait for a share', async () => {
  const shares = new FairShares();
  const done: string[] = [];
  shares.run('a', 1, () => busy(OWNER_SHARE_MS));
  shares.run('a', 1, () => done.push('body'));
  shares.run('a', 0, () => done.push('read'));
  expect(done).toEqual([]);
  await eventually(() => done.length === 2);
  expect(done).toEqual(['body', 'read']);
});

test('an error in the work of one owner does not leave the others waiting', () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  try {
    const shares = new FairShares();
    let run = 0;
    for (const owner of ['a', 'b']) shares.run(owner, 1, () => busy(OWNER_SHARE_MS));
    shares.run('a', 1, () => {
      throw new Error('a bug');
    });
    shares.run('b', 1, () => run++);
    expect(() => vi.runAllTimers()).toThrow('a bug');
    vi.runAllTimers();
    expect(run).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
