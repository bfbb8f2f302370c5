/** Rules that are drafted from an exchange of the gateway: the API takes each, and each is for that exchange. */
import { expect, test } from 'vitest';
import { draftRules, type DraftedExchange } from '../../src/model/gateway/rule-drafts.ts';
import { knownKey } from '../support/raw-http.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();

const EXCHANGE: DraftedExchange = {
  method: 'GET',
  url: 'http://api.test/users?page=2',
  status: 203,
  responseHeaders: [{ name: 'Content-Type', value: 'text/x-own' }],
  responseBody: { body: 'kept' },
};

async function evaluated(exchange: DraftedExchange, url: string, method = exchange.method) {
  const key = await knownKey(server, newOwner());
  const outcomes: Record<string, unknown> = {};
  for (const draft of draftRules(exchange)) {
    const made = await server.request('POST', '/v1/rules', { key, body: draft });
    expect(made.status, JSON.stringify(made.json)).toBe(200);
    const body = {
      request: { method, url },
      response: { status: 200, headers: [{ name: 'content-type', value: 'text/plain' }], body: 'other' },
      rules: [draft],
    };
    const { json } = await server.request('POST', '/v1/rules/evaluate', { key, body });
    const { outcome, delayMs, response, skipped } = json.data;
    outcomes[draft.ruleType] = {
      outcome,
      delayMs,
      response,
      reasons: skipped.map((each: { reason: string }) => each.reason),
    };
  }
  return outcomes;
}

test('each acts on the request that it was drafted from', async () => {
  const outcomes = await evaluated(EXCHANGE, EXCHANGE.url);
  expect(outcomes).toMatchObject({
    Response: { outcome: 'forward', response: { status: 203, body: 'kept' } },
    // It leads to the same place until it is changed.
    Redirect: { outcome: 'forward', reasons: ['noChange'] },
    Headers: { response: { headers: [{ name: 'content-type', value: 'text/x-own' }], status: 200 } },
    Delay: { delayMs: 1_000 },
    Cancel: { outcome: 'blocked' },
  });
  const others = await evaluated(EXCHANGE, EXCHANGE.url, 'POST');
  expect(others).toMatchObject({ Cancel: { outcome: 'forward', reasons: ['filter:requestMethod'] } });
});

test('a credential that was replaced in the URL may be any, and is sent nowhere', async () => {
  const url = 'http://api.test/users?token=redacted-0a1b2c3d&page=2';
  const outcomes = await evaluated({ ...EXCHANGE, url }, 'http://api.test/users?token=real&page=2');
  expect(outcomes).toMatchObject({ Cancel: { outcome: 'blocked' }, Redirect: { outcome: 'redirect' } });
  const redirect = draftRules({ ...EXCHANGE, url }).find(({ ruleType }) => ruleType === 'Redirect');
  expect(redirect?.pairs[0]).toMatchObject({ destination: 'http://api.test/users' });
});

test.each([
  ['bytes', { responseBody: { body: 'AAEC', bodyEncoding: 'base64' } }],
  ['a body that was not kept', { responseBody: { body: '', bodyOmitted: 'tooLarge' } }],
  ['no body', { responseBody: undefined }],
  ['a body larger than a rule', { responseBody: { body: '\u0001'.repeat(200_000) } }],
  ['a long URL', { url: `http://api.test/${'a'.repeat(20_000)}?${'b'.repeat(20_000)}` }],
  ['a long redacted URL', { url: `http://api.test/${'a'.repeat(3_000)}?token=redacted-0a1b2c3d` }],
  ['no type of the answer', { responseHeaders: [] }],
] as const)('the API takes those of an exchange with %s', async (_, more) => {
  const exchange: DraftedExchange = { ...EXCHANGE, ...more };
  const outcomes = await evaluated(exchange, exchange.url.replace(/redacted-\w+/, 'x'));
  expect(outcomes).toMatchObject({ Cancel: { outcome: 'blocked' }, Response: { response: { status: 203 } } });
});
