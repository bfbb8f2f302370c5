/** How owners share the event loop: within its share one goes on at once, beyond it waits, and others come first. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { FairTurns } from '../../src/http/fair-turns.ts';
import { OWNER_BODIES_BYTES_AT_ONCE, OWNER_READS_TURN_MS, OWNER_TURN_MS, OWNER_WAITING_MAX } from '../../src/limits.ts';

function busy(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until;);
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 10_000 && !holds(); turns++) await turn();
  expect(holds()).toBe(true);
}

test('work beyond the share of a turn waits, and another owner does not wait for it', async () => {
  const turns = new FairTurns();
  const done: string[] = [];
  for (let index = 0; index < 20; index++) {
    turns.take('flood', 1, () => {
      busy(OWNER_TURN_MS);
      done.push(`flood ${index}`);
    });
  }
  turns.take('other', 1, () => done.push('other'));
  expect(done).toEqual(['flood 0', 'other']);
  await eventually(() => done.length === 21);
  // In the order in which they were asked.
  expect(done.filter((name) => name !== 'other')).toEqual(Array.from({ length: 20 }, (_, index) => `flood ${index}`));
});

test('owners that wait take turns', async () => {
  const turns = new FairTurns();
  const done: string[] = [];
  const ask = (owner: string): void => {
    turns.take(owner, 1, () => {
      busy(OWNER_TURN_MS * 2);
      done.push(owner);
    });
  };
  for (let count = 0; count < 30; count++) ask('flood');
  for (let count = 0; count < 3; count++) ask('other');
  await eventually(() => done.filter((owner) => owner === 'other').length === 3);
  expect(done.length).toBeLessThan(15);
});

test('a read waits later than what has a body', () => {
  const turns = new FairTurns();
  const done: string[] = [];
  turns.take('a', 0, () => busy(OWNER_TURN_MS * 2));
  turns.take('a', 0, () => done.push('read'));
  expect(done).toEqual(['read']);
  turns.take('a', 0, () => busy(OWNER_READS_TURN_MS));
  turns.take('a', 0, () => done.push('late read'));
  expect(done).toEqual(['read']);
});

test('bodies of an owner that are under way are bounded, one always fits, and what is settled makes room', async () => {
  const turns = new FairTurns();
  const bytes = OWNER_BODIES_BYTES_AT_ONCE * 2;
  const done: number[] = [];
  let copied = 0;
  turns.take('a', bytes, () => done.push(1));
  turns.take(
    'a',
    bytes,
    () => done.push(2),
    () => copied++,
  );
  turns.take('b', bytes, () => done.push(3));
  for (let count = 0; count < 10; count++) await turn();
  expect([done, copied]).toEqual([[1, 3], 1]);
  turns.settle('a', bytes);
  await eventually(() => done.length === 3);
  expect(done).toEqual([1, 3, 2]);
});

test('no more than so many wait; one more is refused, and not run', async () => {
  const turns = new FairTurns();
  let run = 0;
  turns.take('a', 1, () => busy(OWNER_TURN_MS));
  for (let count = 0; count < OWNER_WAITING_MAX; count++) expect(turns.take('a', 1, () => run++)).toBe(true);
  expect(turns.take('a', 1, () => run++)).toBe(false);
  expect(turns.take('b', 1, () => undefined)).toBe(true);
  await eventually(() => run === OWNER_WAITING_MAX);
  expect(turns.take('a', 1, () => run++)).toBe(true);
});

test('what has no body passes a body that does not fit, in its own order, and runs beside one that is large', async () => {
  const turns = new FairTurns();
  const bytes = OWNER_BODIES_BYTES_AT_ONCE * 2;
  const done: string[] = [];
  turns.take('a', bytes, () => done.push('large'));
  turns.take('a', bytes, () => done.push('large, later'));
  turns.take('a', 1, () => done.push('small behind it'));
  turns.take('a', 0, () => {
    busy(OWNER_READS_TURN_MS);
    done.push('read 1');
  });
  turns.take('a', 0, () => done.push('read 2'));
  turns.take('a', 0, () => done.push('read 3'));
  expect(done).toEqual(['large', 'read 1']);
  await eventually(() => done.length === 4);
  for (let count = 0; count < 10; count++) await turn();
  expect(done).toEqual(['large', 'read 1', 'read 2', 'read 3']);
  turns.settle('a', bytes);
  await eventually(() => done.length === 5);
  turns.settle('a', bytes);
  await eventually(() => done.length === 6);
  expect(done.slice(4)).toEqual(['large, later', 'small behind it']);
});

test('what has no body does not pass bodies that fit, and only wait for their turn', async () => {
  const turns = new FairTurns();
  const done: string[] = [];
  turns.take('a', 1, () => busy(OWNER_TURN_MS));
  turns.take('a', 1, () => done.push('body'));
  turns.take('a', 0, () => done.push('read'));
  expect(done).toEqual([]);
  await eventually(() => done.length === 2);
  expect(done).toEqual(['body', 'read']);
});

test('a bug in the work of one owner does not leave the others waiting', () => {
  vi.useFakeTimers({ toFake: ['setImmediate'] });
  try {
    const turns = new FairTurns();
    let run = 0;
    for (const owner of ['a', 'b']) turns.take(owner, 1, () => busy(OWNER_TURN_MS));
    turns.take('a', 1, () => {
      throw new Error('a bug');
    });
    turns.take('b', 1, () => run++);
    expect(() => vi.runAllTimers()).toThrow('a bug');
    vi.runAllTimers();
    expect(run).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
