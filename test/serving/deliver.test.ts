/** When the parts of a reply are due that is sent over time. What clients see: contract/faults.test.ts. */
import { describe, expect, test } from 'vitest';
import { paceOf } from '../../src/serving/thread/reply/deliver.ts';

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
