import { expect, test } from 'vitest';
import { sharedCalls } from '../../src/base/shared-calls.ts';

test('who asks while a call runs gets the value of the next one, also after one that failed', async () => {
  const ends: ((value: number | Error) => void)[] = [];
  const call = sharedCalls(
    () =>
      new Promise<number>((resolve, reject) =>
        ends.push((value) => (typeof value === 'number' ? resolve(value) : reject(value))),
      ),
  );
  const first = [call(), call()];
  await expect.poll(() => ends.length).toBe(1);
  const later = [call(), call()];
  ends[0]?.(new Error('no'));
  for (const each of first) await expect(each).rejects.toThrow('no');
  await expect.poll(() => ends.length).toBe(2);
  ends[1]?.(2);
  expect(await Promise.all(later)).toEqual([2, 2]);
});
