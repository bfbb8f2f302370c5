/** The recipe `graphql-ws` by the client of npm `graphql-ws`: docs/recipes.md. */
import { createClient, CloseCode, type Client, type ClientOptions } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { newOwner, useServer } from '../../support/shared-server.ts';
import { collected, importRecipe } from './recipe-mock.ts';

const { server } = await useServer();
const mock = await importRecipe(server, await server.key(newOwner(), 'ann'), 'graphql-ws');
const address = `${mock.url.replace(/^http/, 'ws')}/graphql`;

function connect(options: Partial<ClientOptions> = {}): Client {
  const client = createClient({ url: address, webSocketImpl: WebSocket, retryAttempts: 0, ...options });
  onTestFinished(() => client.dispose());
  return client;
}

const price = (symbol: string, value: number) => ({ data: { price: { symbol, value } } });

test('subscriptions, queries and errors come as the protocol has them, several at once', async () => {
  const client = connect();
  const query = '{ price { symbol value } }';
  const subscription = 'subscription Prices($symbol: String) { price(symbol: $symbol) { symbol value } }';
  const [subscribed, other, asked] = await Promise.all([
    collected(client.iterate({ query: subscription })),
    collected(client.iterate({ query: subscription, variables: { symbol: 'a "b"' } })),
    collected(client.iterate({ query })),
  ]);
  expect(subscribed).toEqual([100, 101, 102].map((value) => price('ACME', value)));
  expect(other).toEqual([100, 101, 102].map((value) => price('a "b"', value)));
  expect(asked).toEqual([price('ACME', 100)]);
  await expect(collected(client.iterate({ query: '{ fail }' }))).rejects.toMatchObject([
    { message: 'the mock was asked to fail' },
  ]);
});

test('pings are answered, and a subscription may be left', async () => {
  const pongs: unknown[] = [];
  const client = connect({ keepAlive: 20, on: { pong: (received) => pongs.push(received) } });
  for await (const first of client.iterate({ query: 'subscription { price { value } }' })) {
    expect(first).toEqual(price('ACME', 100));
    // Without a subscription the client closes its socket.
    await expect.poll(() => pongs.length, { timeout: 20_000, interval: 20 }).toBeGreaterThan(0);
    break;
  }
  expect(await collected(client.iterate({ query: '{ price { value } }' }))).toEqual([price('ACME', 100)]);
});

test.each([
  [{ connectionParams: { token: 'refused' } }, CloseCode.Forbidden, 'Forbidden'],
  [{ jsonMessageReplacer: () => 'nothing that is known' }, CloseCode.BadRequest, 'Invalid message received'],
])('%j is refused with the code of the protocol', async (options, code, reason) => {
  const asked = collected(connect(options).iterate({ query: '{ price { value } }' }));
  await expect(asked).rejects.toMatchObject({ code, reason });
});

test('a client without the subprotocol is refused', async () => {
  const socket = new WebSocket(address);
  socket.on('error', () => undefined);
  const code = await new Promise((resolve) => socket.on('close', resolve));
  expect(code).toBe(CloseCode.SubprotocolNotAcceptable);
});
