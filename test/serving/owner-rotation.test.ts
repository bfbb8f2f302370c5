/** Questions to the data plane whose answers are large: few run concurrently, and owners and mocks take turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TRAFFIC_PAGES_WAITING_MAX } from '../../src/limits.ts';
import { OwnerRotation } from '../../src/serving/supervisor/owner-rotation.ts';

// reaches TRAFFIC_PAGES_AT_ONCE
test('questions about two mocks run concurrently, one about each', async () => {
  const questions = new OwnerRotation(2);
  const asked: string[] = [];
  let under = 0;
  const ask = (mockId: string): Promise<string | undefined> =>
    questions.ask(mockId, mockId, async () => {
      expect(++under).toBeLessThanOrEqual(2);
      asked.push(mockId);
      await sleep(5);
      under--;
      return mockId;
    });
  const answers = await Promise.all([ask('a'), ask('a'), ask('a'), ask('b'), ask('c'), ask('b')]);
  expect(answers).toEqual(['a', 'a', 'a', 'b', 'c', 'b']);
  // A reader that asks a lot about one mock delays only itself.
  expect(asked.slice(0, 2)).toEqual(['a', 'b']);
  expect(asked.indexOf('c')).toBeLessThan(asked.lastIndexOf('a'));
});

// reaches TRAFFIC_PAGES_WAITING_MAX
test('the number of waiting questions about one mock is limited', async () => {
  const questions = new OwnerRotation(2, { countMax: TRAFFIC_PAGES_WAITING_MAX, ms: 60_000 });
  let finish: () => void = () => undefined;
  const held = questions.ask('a', 'a', () => new Promise<number>((resolve) => (finish = () => resolve(0))));
  const waiting = Array.from({ length: TRAFFIC_PAGES_WAITING_MAX }, (_each, index) =>
    questions.ask('a', 'a', () => Promise.resolve(index)),
  );
  expect(await questions.ask('a', 'a', () => Promise.resolve(-1))).toBeUndefined();
  expect(await questions.ask('b', 'b', () => Promise.resolve(1))).toBe(1);
  finish();
  expect(await held).toBe(0);
  expect(await Promise.all(waiting)).toEqual(waiting.map((_each, index) => index));
});

test('a question that fails frees its place for the next', async () => {
  const questions = new OwnerRotation(1);
  await expect(questions.ask('a', 'a', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(await questions.ask('a', 'a', () => Promise.resolve(1))).toBe(1);
});

test('an owner that asks of many mocks leaves half of the places to others, who take turns', async () => {
  const questions = new OwnerRotation(4);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (ownerId: string, mockId: string) =>
    questions.ask(ownerId, mockId, () => {
      begun.push(mockId);
      return new Promise<undefined>((resolve) => ends.push(() => resolve(undefined)));
    });
  const all = Array.from({ length: 6 }, (_each, index) => ask('evil', `e${index}`));
  expect(begun).toEqual(['e0', 'e1']);
  all.push(ask('other', 'o'), ask('good', 'g'));
  expect(begun).toEqual(['e0', 'e1', 'o', 'g']);
  while (ends.length > 0) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(begun).toHaveLength(8);
});
