/** Signatures of callbacks, verified by their makers' own packages. */
import { createHmac } from 'node:crypto';
import { verify as verifyGithub } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { receiveCallbacks, type Seen } from '../support/callback-receiver.ts';
import { useServer } from '../support/shared-server.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = TwoThreads.of(await useServer());
const { url, seenBy, answers } = await receiveCallbacks();

test('official verifiers accept each scheme, on every attempt (the next one when Retry-After says), and refuse what is broken', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = [{ name: 'content-type', value: 'application/json' }];
  const each = (name: string, sign: Fields) => ({ url: `${url}/${name}`, body: '{"a":"é"}', headers, sign });
  answers.set('stripe', (nth, response) =>
    response.writeHead(nth === 1 ? 429 : 204, nth === 1 ? { 'retry-after': '1' } : {}).end(),
  );
  const callbacks = [
    { ...each('stripe', { scheme: 'stripe', secret }), retry: { backoffMs: [1] } },
    each('stripe-signature', { scheme: 'stripe', secret, break: 'signature' }),
    each('stripe-timestamp', { scheme: 'stripe', secret, break: 'timestamp' }),
    each('github', { scheme: 'github', secret: { variable: 'key' } }),
    each('github-signature', { scheme: 'github', secret: { variable: 'key' }, break: 'signature' }),
    each('standard', { scheme: 'standard', secret }),
    each('standard-signature', { scheme: 'standard', secret, break: 'signature' }),
    each('standard-timestamp', { scheme: 'standard', secret, break: 'timestamp' }),
    each('slack', {
      scheme: 'hmac',
      secret,
      header: 'X-Slack-Signature',
      value: 'v0={{signature}};{{timestamp}}',
      payload: 'v0:{{timestamp}}:{{method}}:{{path}}:{{body}}',
      algorithm: 'sha1',
      encoding: 'base64',
    }),
  ];
  const mock = await two.mock([route('POST /', [{ callbacks }])], { variables: { key: 'of GitHub' } });
  await two.ask(mock, '/', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
  const done = async (): Promise<number> =>
    (await two.data('GET', `/${mock}/callbacks`)).filter(({ state }: Fields) => state === 'done').length;
  await expect.poll(done, { timeout: 20_000, interval: 20 }).toBe(9);

  const stripe = new Stripe('sk_test_x');
  const byStripe = (name: string, index = 0) => {
    const { body, headers: got } = seenBy(name)[index] as Seen;
    return stripe.webhooks.constructEvent(body, got['stripe-signature'] as string, secret);
  };
  expect([byStripe('stripe'), byStripe('stripe', 1)]).toEqual([{ a: 'é' }, { a: 'é' }]);
  const [first, second] = seenBy('stripe') as [Seen, Seen];
  expect(second.at - first.at).toBeGreaterThan(900);
  expect(second.headers['stripe-signature']).not.toBe(first.headers['stripe-signature']);
  expect(() => byStripe('stripe-signature')).toThrow('No signatures found');
  expect(() => byStripe('stripe-timestamp')).toThrow('Timestamp outside');

  const byGithub = (name: string) => {
    const { body, headers: got } = seenBy(name)[0] as Seen;
    return verifyGithub('of GitHub', body, got['x-hub-signature-256'] as string);
  };
  expect([await byGithub('github'), await byGithub('github-signature')]).toEqual([true, false]);

  const byStandard = (name: string) => {
    const { body, headers: got } = seenBy(name)[0] as Seen;
    return new Webhook(secret).verify(body, got as Record<string, string>);
  };
  expect(byStandard('standard')).toEqual({ a: 'é' });
  expect(() => byStandard('standard-signature')).toThrow('No matching signature');
  expect(() => byStandard('standard-timestamp')).toThrow('too old');

  const slack = (seenBy('slack')[0] as Seen).headers['x-slack-signature'] as string;
  const [, signature, timestamp] = /^v0=(.+);(\d+)$/.exec(slack) ?? [];
  const expected = createHmac('sha1', secret).update(`v0:${timestamp}:POST:/slack:{"a":"é"}`).digest('base64');
  expect(signature).toBe(expected);
});
