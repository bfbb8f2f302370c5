/** The recipe `sse-clock` by npm `eventsource`: docs/recipes.md. */
import { EventSource } from 'eventsource';
import { expect, onTestFinished, test } from 'vitest';
import { newOwner, useServer } from '../../support/shared-server.ts';
import { importRecipe } from './recipe-mock.ts';

const { server } = await useServer();
const clock = await importRecipe(server, await server.key(newOwner(), 'ann'), 'sse-clock');
const POLL = { timeout: 30_000, interval: 20 };

interface Tick {
  readonly time: string;
  readonly run: number;
}

function listen(address: string) {
  const source = new EventSource(address);
  onTestFinished(() => source.close());
  const ticks: [id: string, tick: Tick][] = [];
  source.addEventListener('tick', ({ data, lastEventId }) => ticks.push([lastEventId, JSON.parse(data) as Tick]));
  return { source, ticks };
}

test('ticks come with their number and the time', async () => {
  const { ticks } = listen(`${clock.url}/clock`);
  await expect.poll(() => ticks.length, POLL).toBeGreaterThan(1);
  expect(ticks.slice(0, 2).map(([id, { run }]) => [id, run])).toEqual([
    ['1', 0],
    ['2', 1],
  ]);
  expect(Date.parse(ticks[1]?.[1].time ?? '')).toBeGreaterThan(Date.parse(ticks[0]?.[1].time ?? ''));
});

test('where the clock breaks off, a client that resumes misses none', async () => {
  const own = await clock.session();
  const { source, ticks } = listen(`${own.url}/clock/broken`);
  await expect.poll(() => ticks.length, POLL).toBeGreaterThan(6);
  source.close();
  expect(ticks.map(([id]) => Number(id))).toEqual(ticks.map((_, index) => index + 1));
  await own.verify({ match: { path: '/clock/broken', ended: 'fault', events: { atLeast: 3, atMost: 3 } }, atLeast: 2 });
});

test('a session sends into its own feed', async () => {
  const [own, other] = [await clock.session(), await clock.session()];
  const got: string[][] = [own, other].map(({ url: address }, index) => {
    const source = new EventSource(`${address}/feed`);
    onTestFinished(() => source.close());
    source.addEventListener('message', ({ data }) => got[index]?.push(data));
    return [];
  });
  await other.streams.send({ atLeast: 1, withinMs: 20_000, events: [{ data: 'theirs' }] });
  await own.streams.send({ atLeast: 1, withinMs: 20_000, channel: 'feed', events: [{ data: 'mine' }] });
  await expect.poll(() => got, POLL).toEqual([['mine'], ['theirs']]);
});
