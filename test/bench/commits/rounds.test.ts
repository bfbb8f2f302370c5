import { expect, test } from 'vitest';
import { interleave } from '../../../bench/commits/rounds.ts';

test('both are warmed up, and the first of a pair is the second of the next', async () => {
  const server = { pid: process.pid, port: 0 };
  const contender = (path: string) => ({ server, load: { method: 'GET', path, headers: {}, connections: 1 } }) as const;
  const asked: string[] = [];
  const pairs = await interleave(
    { new: contender('new'), old: contender('old') },
    { pairs: 3, roundSeconds: 1, warmUpSeconds: 2 },
    async ({ path, seconds }) => {
      asked.push(`${path} ${seconds}`);
      return { requestCount: path === 'new' ? 200 : 100, seconds };
    },
  );
  expect(asked).toEqual(['new 2', 'old 2', 'new 1', 'old 1', 'old 1', 'new 1', 'new 1', 'old 1']);
  expect(pairs.map((pair) => pair.new.requestsPerSecond / pair.old.requestsPerSecond)).toEqual([2, 2, 2]);
});
