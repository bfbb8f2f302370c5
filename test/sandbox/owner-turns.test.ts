/** Long tasks of one owner beside those of others. */
import { expect, test } from 'vitest';
import { Lane } from '../../src/sandbox/lane.ts';

test('where a lane has two threads, a long task of one owner delays those of no other, and its own run one after the other', async () => {
  const lane = new Lane('imports', 64, 4, { name: 'sandbox-thread', threads: 2 });
  const ran: string[] = [];
  let endLong = (): void => undefined;
  const long = lane.turn('one', () => new Promise<string>((resolve) => (endLong = () => resolve('long'))));
  const task = (ownerId: string, name: string): Promise<unknown> => lane.turn(ownerId, async () => ran.push(name));
  const own = task('one', 'own');
  await Promise.all([task('other', 'first'), task('other', 'second'), task('third', 'third')]);
  expect(ran).toEqual(['first', 'third', 'second']);
  endLong();
  expect([await long, await own, ran.at(-1)]).toEqual(['long', 4, 'own']);
  await lane.close();
});
