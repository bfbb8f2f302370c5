/** The recipe `price-ticker` by npm `ws`: docs/recipes.md. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { newOwner, useServer } from '../../support/shared-server.ts';
import { importRecipe } from './recipe-mock.ts';

const { server } = await useServer();
const ticker = await importRecipe(server, await server.key(newOwner(), 'ann'), 'price-ticker');
const POLL = { timeout: 30_000, interval: 20 };

interface Price {
  readonly symbol: string;
  readonly price: number;
  readonly number: number;
}

function listen(url: string): { readonly socket: WebSocket; readonly prices: Price[] } {
  const socket = new WebSocket(url.replace(/^http/, 'ws'));
  onTestFinished(() => socket.terminate());
  const prices: Price[] = [];
  socket.on('message', (data: Buffer) => prices.push(JSON.parse(data.toString()) as Price));
  socket.on('error', () => undefined);
  return { socket, prices };
}

test('all get the same prices, and a symbol has its own', async () => {
  const own = await ticker.session();
  const [one, other] = [listen(`${own.url}/prices`), listen(`${own.url}/prices`)];
  const apart = listen(`${own.url}/prices/a%20b`);
  await expect
    .poll(() => Math.min(one.prices.length, other.prices.length, apart.prices.length), POLL)
    .toBeGreaterThan(2);
  const shared = one.prices.filter(({ number }) => other.prices.some((each) => each.number === number));
  expect(shared.length).toBeGreaterThan(1);
  for (const each of shared) expect(other.prices).toContainEqual(each);
  expect(apart.prices.slice(0, 2)).toEqual([
    { symbol: 'a b', price: 10_000, number: 0 },
    { symbol: 'a b', price: expect.any(Number), number: 1 },
  ]);
});

test('one breaks off behind two prices, and a test sends into a feed', async () => {
  const own = await ticker.session();
  const broken = listen(`${own.url}/broken`);
  const feed = listen(`${own.url}/feed`);
  expect((await once(broken.socket, 'close'))[0]).toBe(1006);
  expect(broken.prices.map(({ number }) => number)).toEqual([1, 2]);
  await own.sockets.send({ path: '/feed', atLeast: 1, withinMs: 20_000, messages: [{ data: '{"symbol": "X"}' }] });
  await expect.poll(() => feed.prices, POLL).toEqual([{ symbol: 'X' }]);
});
