/** Tests that would disturb each other on one mock: each has a session of it, and is alone there. */
import { test } from 'switchyard-server/vitest';

/** @param count Tests, which run at once. */
export function shopTests(name: string, count: number): void {
  const numbers = Array.from({ length: count }, (_, index) => index);

  test.concurrent.for(numbers)(`${name} %i`, async (number, { mocks, expect }) => {
    const shop = mocks.session('shop');
    // Every third shop declines, without a change of the mock.
    const status = number % 3 === 0 ? 402 : 201;
    if (status === 402) await shop.putOverlay({ responses: { charge: { merge: { status } } } });
    const times = 1 + (number % 4);
    for (let order = 0; order < times; order++) {
      const charged = await shop.fetch('/charges', { method: 'POST', body: `${name} ${number}` });
      expect(charged.status).toBe(status);
    }
    // A sequence of its own.
    for (const state of ['queued', 'running', 'done', 'queued']) {
      expect(await (await shop.fetch('/jobs/7')).text()).toBe(state);
    }
    await expect(shop).toHaveBeenRequested({ path: '/charges', bodyContains: `${name} ${number}` }, { times });
    await expect(shop).toHaveBeenRequested({ path: '/jobs/7' }, { times: 4 });
    await expect(shop).not.toHaveBeenRequested({ path: '/refunds' });
    expect(await shop.counts()).toMatchObject({ total: times + 4, unmatched: 0 });
  });
}
