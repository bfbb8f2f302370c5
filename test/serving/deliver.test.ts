/** Bounds of replies that hang or are sent over time, and when their parts are due. What clients see: contract/faults.test.ts. */
import { describe, expect, test } from 'vitest';
import { HANGING_MAX } from '../../src/limits.ts';
import type { MockAnswer } from '../../src/serving/matching/mock-request.ts';
import { Deliveries } from '../../src/serving/thread/deliver.ts';
import type { Exchange } from '../../src/serving/thread/exchange.ts';
import { paceOf } from '../../src/serving/thread/pace.ts';

const REFUSED = { status: 0 } as MockAnswer;
const HANGS = { plan: { kind: 'hang', ms: undefined, refused: REFUSED } } as MockAnswer;
const DRIBBLES = { plan: { kind: 'paced', delivery: { firstByteMs: 1 }, refused: REFUSED } } as MockAnswer;

/** What is admitted holds its place until it is finished. */
function admits(deliveries: Deliveries, answer: MockAnswer, owner: string): (() => void) | undefined {
  let finish: (() => void) | undefined;
  const exchange = { whenFinished: (release: () => void) => (finish = release) } as unknown as Exchange;
  const admitted = deliveries.admit(exchange, answer, owner);
  expect(admitted).toBe(finish === undefined ? REFUSED : answer);
  return finish;
}

describe('of a thread', () => {
  test('one owner holds half of the connections, and what ends makes room', () => {
    const deliveries = new Deliveries(10);
    const held = Array.from({ length: 5 }, (_each, index) => admits(deliveries, index % 2 ? HANGS : DRIBBLES, 'acme'));
    expect(held.every((each) => each !== undefined)).toBe(true);
    expect(admits(deliveries, HANGS, 'acme')).toBeUndefined();
    expect(admits(deliveries, DRIBBLES, 'acme')).toBeUndefined();
    expect(admits(deliveries, DRIBBLES, 'other')).toBeDefined();
    held[0]?.();
    expect(admits(deliveries, HANGS, 'acme')).toBeDefined();
  });

  test('10,000 replies hang, of all owners together', () => {
    const deliveries = new Deliveries(1_000_000);
    for (let count = 0; count < HANGING_MAX; count++) admits(deliveries, HANGS, `owner ${count % 3}`);
    expect(admits(deliveries, HANGS, 'another')).toBeUndefined();
    expect(admits(deliveries, DRIBBLES, 'another')).toBeDefined();
  });
});

describe('a body is due', () => {
  test('in pieces: the first at once, the last at the end', () => {
    const { due, nextMs } = paceOf({ chunks: 5, overMs: 400 }, 1_000);
    expect([0, 99, 100, 250, 399, 400, 9_999].map(due)).toEqual([200, 200, 400, 600, 800, 1_000, 1_000]);
    expect(nextMs(250)).toBe(50);
    expect([0, 1, 2].map(paceOf({ chunks: 1_000, overMs: 2 }, 3).due)).toEqual([1, 2, 3]);
  });

  test('as a whole, late', () => {
    for (const delivery of [{ firstByteMs: 50 }, { chunks: 1, overMs: 50 }]) {
      const { due, nextMs } = paceOf(delivery, 7);
      expect([due(0), due(49), due(50), nextMs(20)]).toEqual([0, 0, 7, 30]);
    }
  });

  test('at a rate, which is reached in the end', () => {
    const { due, nextMs } = paceOf({ bytesPerSecond: 1_000 }, 500);
    expect([due(0), due(100), due(499), due(10_000)]).toEqual([1, 101, 500, 500]);
    expect(nextMs(0)).toBe(50);
    expect(paceOf({ bytesPerSecond: 2 }, 500).nextMs(0)).toBe(500);
  });
});
