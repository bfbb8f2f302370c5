/**
 * An example to copy: code that calls a payment provider, tested against a mock of it.
 *
 * The file starts a server of its own, so that any number of such files run at once; each test makes its own mock, so that tests do
 * not see each other's requests.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSwitchyard, type MockRecord, type Switchyard } from 'switchyard-server';

/** The code under test: it knows the provider by an address, as it would in production. */
async function checkout(providerUrl: string, order: { id: string; cents: number }): Promise<'paid' | 'declined'> {
  const response = await fetch(`${providerUrl}/v1/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': order.id },
    body: JSON.stringify({ amount: order.cents, currency: 'eur' }),
  });
  return response.status === 402 ? 'declined' : 'paid';
}

let switchyard: Switchyard;
let provider: MockRecord;

beforeAll(async () => {
  switchyard = await startSwitchyard();
});
afterAll(() => switchyard?.stop());

beforeEach(async () => {
  provider = await switchyard.client.mocks.create({
    name: 'payment provider',
    start: true,
    routes: [
      {
        method: 'POST',
        path: '/v1/charges',
        responses: [
          {
            status: 402,
            body: '{"error":"card_declined"}',
            rules: [{ target: 'body', property: 'amount', operator: 'gt', value: '100000' }],
          },
          { status: 201, body: '{"id":"ch_1","status":"succeeded"}', default: true },
        ],
      },
    ],
  });
});

test('an order is charged once, in cents, under its own idempotency key', async () => {
  const { mocks } = switchyard.client;
  expect(await checkout(mocks.urlFor(provider), { id: 'order-7', cents: 1_250 })).toBe('paid');

  // When it fails, `closest` shows in the difference what came instead.
  expect(
    await mocks.verify(provider.id, {
      match: { method: 'POST', path: '/v1/charges', header: { 'idempotency-key': 'order-7' } },
      exactly: 1,
    }),
  ).toMatchObject({ verified: true });
  const { records } = await mocks.requests(provider.id);
  expect(JSON.parse(records[0]?.body ?? '')).toEqual({ amount: 1_250, currency: 'eur' });
});

test('an order over the limit is declined', async () => {
  const url = switchyard.client.mocks.urlFor(provider);
  expect(await checkout(url, { id: 'order-8', cents: 100_001 })).toBe('declined');
});
