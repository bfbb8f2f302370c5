import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { withSwitchyard } from 'switchyard-server/node-test';
import { checkout } from './checkout.js';

const switchyard = withSwitchyard({ mocks: ['payments.json'] });
before(switchyard.before);
after(switchyard.after);

describe('checkout', { concurrency: true }, () => {
  test('charges an order once', async (t) => {
    const payments = (await switchyard.session(t)).session('payments');
    assert.equal(await checkout(payments.url, { id: 'order-7', cents: 1_250 }), 'paid');
    await payments.assertVerified({
      match: { path: '/charges', header: { 'idempotency-key': 'order-7' } },
      exactly: 1,
    });
  });

  test('says that a card was declined', async (t) => {
    const payments = (await switchyard.session(t)).session('payments');
    await payments.putOverlay({ responses: { charge: { merge: { status: 402 } } } });
    assert.equal(await checkout(payments.url, { id: 'order-8', cents: 1_250 }), 'declined');
  });
});
