/** Tests that would disturb each other on one mock: each has a session instead, and asks as if it were alone. */
import { test } from './fixture.js';

/** @param count Tests, which run at once. */
export function shopTests(name: string, count: number): void {
  const numbers = Array.from({ length: count }, (_, index) => index);

  test.concurrent.for(numbers)(`${name} %i`, async (number, { shop, expect }) => {
    // Every third shop declines, without a change of the mock.
    const status = number % 3 === 0 ? 402 : 201;
    if (status === 402) await shop.putOverlay({ responses: { charge: { merge: { status } } } });
    const orders = 1 + (number % 4);
    for (let order = 0; order < orders; order++) {
      const charged = await shop.fetch('/charges', { method: 'POST', body: `${name} ${number}` });
      expect(charged.status).toBe(status);
    }
    // A sequence of its own.
    for (const state of ['queued', 'running', 'done', 'queued']) {
      expect(await (await shop.fetch('/jobs/7')).text()).toBe(state);
    }
    await shop.assertVerified({ match: { path: '/charges', bodyContains: `${name} ${number}` }, exactly: orders });
    expect((await shop.requests()).total).toBe(orders + 4);
    expect(await shop.counts()).toMatchObject({ total: orders + 4, unmatched: 0 });
  });
}
