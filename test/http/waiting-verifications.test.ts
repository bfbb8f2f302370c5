/** Requests of owners that wait for something, and look for it again and again. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { nextLook } from '../../src/http/api/journal/next-look.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('however many of one owner wait, they look one after the other, and those of others when they want to', async () => {
  let [looks, most, others] = [0, 0, 0];
  for (let count = 0; count < 1_000; count++) void nextLook('many').then(() => looks++);
  void nextLook('other').then(() => others++);
  for (let ms = 0, before = 0; ms < 1_100; ms++, before = looks) {
    await vi.advanceTimersByTimeAsync(1);
    most = Math.max(most, looks - before);
    if (ms === 60) expect([others, looks < 20]).toEqual([1, true]);
  }
  expect([looks, most <= 2]).toEqual([1_000, true]);
});
