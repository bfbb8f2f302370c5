/** Recordings are read as a whole by one call of an owner at a time, so that many calls take no more memory than a few. */
import { expect, test } from 'vitest';
import { inTurn } from '../../src/http/api/mocks/recording/whole-recordings.ts';
import { WHOLE_RECORDINGS_MAX } from '../../src/limits.ts';

test('calls of an owner wait for one another, and not for those of another owner', async () => {
  // reaches WHOLE_RECORDINGS_MAX
  const ends: (() => void)[] = [];
  const read = (ownerId: string) => inTurn(ownerId, () => new Promise<string>((end) => ends.push(() => end(ownerId))));
  const answers = [read('ann'), read('ann'), read('ann'), read('bob'), read('cid')];
  expect(ends).toHaveLength(WHOLE_RECORDINGS_MAX);
  for (let ended = 0; ended < answers.length; ended++) {
    ends[ended]?.();
    await expect.poll(() => ends.length).toBe(Math.min(answers.length, WHOLE_RECORDINGS_MAX + ended + 1));
  }
  expect(await Promise.all(answers)).toEqual(['ann', 'ann', 'ann', 'bob', 'cid']);
});

test('a read that fails gives its turn to the next one', async () => {
  await expect(inTurn('ann', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(await inTurn('ann', () => Promise.resolve(1))).toBe(1);
});
