/** Code of rules on a real server with `--rule-code`: live, in dry runs, and looked at when it is saved. Without it: test/api/evaluate.test.ts. */
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createClient, type RuleInput } from '../../src/client/index.ts';
import { evaluationSchema } from '../../src/model/evaluation.ts';
import { requestSchema } from '../../src/model/mocks/traffic.ts';
import { compileCheck } from '../../src/model/validate.ts';
import { draftQuestionOf, expectVector, isCode, NAMED, questionOf } from '../support/gateway-vectors.ts';
import { useOwnServer } from '../support/shared-server.ts';

const upstream = createServer((_req, res) => void res.end('real'));
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => (upstream.closeAllConnections(), upstream.close()));
const real = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

const { server, key } = await useOwnServer([
  '--workers',
  '1',
  '--log-level',
  'silent',
  '--gateway-port',
  '0',
  '--rule-code',
]);
const port = Number(/, gateway http:\/\/127\.0\.0\.1:(\d+), mocks/.exec(server.stdout)?.[1]);
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });

function through(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host, 'proxy-authorization': `Basic ${btoa(`key:${key}`)}` };
    const sent = ask({ host: '127.0.0.1', port, path: url, headers, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk: Buffer) => (body += chunk.toString()));
      reply.on('end', () => resolve(body));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const rule = (value: string, more: object = {}): RuleInput => ({
  name: 'code',
  ruleType: 'Response',
  pairs: [{ source: { key: 'Url', operator: 'Contains', value: '/' }, type: 'code', value, ...more }],
});

test.each(NAMED.filter(([, vector]) => isCode(vector)))('%s, as drafts and stored', async (_, vector) => {
  const drafts = await client.rules.evaluate({ ...draftQuestionOf(vector), runCode: true } as never);
  expectVector(vector, drafts, true);
  const [given] = vector.rules;
  const stored = await client.rules.create(given as never);
  const text = JSON.stringify(await client.rules.evaluate({ ...questionOf(vector), runCode: true }));
  expectVector(vector, JSON.parse(text.replaceAll(stored.id, given?.id ?? '')), true);
  // It is asked for: without that, code is off.
  const off = await client.rules.evaluate(questionOf(vector));
  expect(off.skipped).toMatchObject([{ reason: 'codeOff' }]);
  await client.rules.delete(stored.id);
});

test('a live exchange and a dry run do the same; what code shares is kept by the first alone', async () => {
  const made = await client.rules.create(
    rule(
      '(a) => { $sharedState.n = ($sharedState.n ?? 0) + 1; console.log("call", $sharedState.n); return a.response + $sharedState.n; }',
    ),
  );
  expect([await through(`${real}/a`), await through(`${real}/a`)]).toEqual(['real1', 'real2']);
  const question = { request: { url: `${real}/a` }, response: { status: 200, body: 'real' }, runCode: true };
  for (let time = 0; time < 2; time++) {
    const dry = await client.rules.evaluate(question);
    expect([dry.response?.body, dry.console]).toEqual(['real1', [{ ruleId: made.id, level: 'log', text: 'call 1' }]]);
    expect(compileCheck(evaluationSchema)(dry, '')).toBeUndefined();
  }
  expect(await through(`${real}/a`)).toBe('real3');
  const { records } = await client.gateway.requests();
  expect(await client.gateway.request(records[0]?.id ?? '')).toMatchObject({
    ruleIds: [made.id],
    console: [{ ruleId: made.id, level: 'log', text: 'call 3' }],
  });
  await client.rules.delete(made.id);
});

test('what code did not do is explained, and counted', async () => {
  const fails = await client.rules.create(rule('() => { throw new Error("no") }'));
  const leaves = await client.rules.create(rule('() => undefined'));
  await client.gateway.reset();
  expect(await through(`${real}/a`)).toBe('real');
  const { records } = await client.gateway.requests();
  const { skipped } = await client.gateway.request(records[0]?.id ?? '');
  expect(Object.fromEntries(skipped.map(({ ruleId, reason }) => [ruleId, reason]))).toEqual({
    [fails.id]: 'codeFailed',
    [leaves.id]: 'noChange',
  });
  expect((await client.gateway.counts()).skipped).toEqual({ codeFailed: 1 });
  const dry = await client.rules.evaluate({ request: { url: real }, response: { status: 200 }, runCode: true });
  expect(dry.skipped).toMatchObject([
    { ruleId: fails.id, reason: 'codeFailed', actual: 'Error: no' },
    { ruleId: leaves.id, reason: 'noChange' },
  ]);
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  expect(metrics).toMatch(/switchyard_gateway_code_calls_total\{result="codeFailed"\} [1-9]/);
  expect(metrics).toMatch(/switchyard_gateway_code_ends_total\{what="generation"\} \d/);
  for (const { id } of [fails, leaves]) await client.rules.delete(id);
});

test('a save warns of code that cannot be parsed, and is not refused', async () => {
  const made = await client.rules.create(rule('(a) => {'));
  expect(made.warnings).toMatchObject([
    { path: '/pairs/0/value', warning: expect.stringMatching(/^always fails: SyntaxError/) as string },
  ]);
  const { request: _none, ...pair } = { request: 1, source: { key: 'Url', operator: 'Contains', value: '/' } };
  const changed = await client.rules.patch(made.id, { pairs: [{ ...pair, response: { type: 'code', value: 'a b' } }] });
  expect(changed.warnings).toMatchObject([{ path: '/pairs/0/response/value' }]);
  expect((await client.rules.patch(made.id, { name: 'named' })).warnings).toHaveLength(1);
  expect((await client.rules.update(made.id, rule('(a) => a.response'))).warnings).toBeUndefined();
  await client.rules.delete(made.id);
});

test('the server says that it runs code', async () => {
  expect(await client.gateway.status()).toMatchObject({ runsCode: true });
});

test("a mock's traffic has what code wrote, and which rules were kept from acting", async () => {
  const made = await client.rules.create(
    rule('(a) => { console.log("call of", a.url, "\\n\\u0001\\0"); throw new Error("no") }'),
  );
  const mock = await client.mocks.create({
    name: 'ruled',
    settings: { proxy: { upstream: real, rules: true } },
    start: true,
  });
  expect(await (await client.mocks.fetch(mock, '/x')).text()).toBe('real');
  const reported = {
    outcome: 'forward',
    ruleIds: [],
    skipped: [{ ruleId: made.id, reason: 'codeFailed' }],
    console: [{ ruleId: made.id, level: 'log', text: `call of ${real}/x \n\u0001\0` }],
  };
  for (const fields of ['all', 'summary'] as const) {
    const { records } = await client.mocks.requests(mock.id, { fields } as never);
    expect(records[0]).toMatchObject({ upstream: reported });
    if (fields === 'all') expect(compileCheck(requestSchema)(records[0], '')).toBeUndefined();
  }
  await client.rules.delete(made.id);
});
