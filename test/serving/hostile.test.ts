/**
 * Requests and definitions that are made to take long, or much: their mock answers in bounded time, and the data plane lives on.
 *
 * Each row ended the data plane's process, or filled its memory, before its bound was set.
 */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RULES_COMPILED_EARLY_MAX } from '../../src/limits.ts';
import type { MatchRule, MockResponse } from '../../src/model/mocks/definition.ts';
import type { Ask } from '../support/ask-mock.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';
import { rule } from '../support/mocks.ts';
import { RawConnection } from '../support/raw-http.ts';

let data: TestPlane;
let epoch: string;

beforeAll(async () => {
  data = await TestPlane.start({}, [mock('bystander', [route('/', [response({ body: 'here' })])])]);
  ({ epoch } = data.plane);
});
afterAll(() => data.plane.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const ruled = (...rules: MatchRule[]): MockResponse[] => [
  response({ body: 'held', rules, rulesOperator: 'OR' }),
  response({ body: 'not held' }),
];

/** As often at once as would add up to a hang, were each not bounded and the thread not seen to go on. */
async function askOften(path: string, ask: Ask, times = 4): Promise<{ status: number; text: string }[]> {
  const replies = await Promise.all(Array.from({ length: times }, () => data.ask(path, ask)));
  expect(data.plane.epoch).toBe(epoch);
  expect(await data.text('/', { mock: 'bystander' })).toBe('here');
  return replies;
}

describe('a body that takes long to look at is answered, and ends nothing:', () => {
  const wide = JSON.stringify({
    items: {
      properties: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: 'string' }])),
    },
  });
  const schema = (value: object) => JSON.stringify(value);
  const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
  const manyNames = `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":0`).join()}}`;
  const randomText = (chars: number) =>
    Array.from({ length: chars }, (_, index) => (((index * 2_654_435_761) >>> 7) & 1 ? 'a' : 'b')).join('');
  const manyNumbers = Array.from({ length: 50 }, () => rule('body', 'a', 'gt', '5'));
  const rows: [string, MatchRule[], Ask, RegExp][] = [
    [
      'names without values',
      [rule('body', 'user.name', 'equals', 'x')],
      { headers: FORM, body: 'a&'.repeat(500_000) },
      /held/,
    ],
    [
      'malformed escapes',
      [rule('body', 'user.name', 'equals', 'x')],
      { headers: FORM, body: '%&'.repeat(400_000) },
      /cannot be sent|held/,
    ],
    [
      'a schema with many properties',
      [rule('body', '', 'jsonSchema', wide)],
      { body: `[${'{},'.repeat(999_999)}{}]` },
      /cannot be sent/,
    ],
    [
      'fields that are no JSON',
      [rule('body', 'a', 'jsonSchema', '{"type":"number"}')],
      { headers: FORM, body: 'a=x&'.repeat(500_000) },
      /cannot be sent/,
    ],
    [
      'fields that are compared as numbers',
      manyNumbers,
      { headers: FORM, body: 'a=1&'.repeat(300_000) },
      /cannot be sent/,
    ],
    [
      'a long run of digits',
      [rule('body', 'a', 'equals', '1')],
      { body: `{"a":12345678901234567,"b":${'1'.repeat(300_000)}.5}` },
      /not held/,
    ],
    [
      'a schema of many types',
      [
        rule(
          'body',
          '',
          'jsonSchema',
          schema({ items: { type: [...Array.from({ length: 6_000 }, () => 'null'), 'number'] } }),
        ),
      ],
      { body: zeros(200_000) },
      /held/,
    ],
    [
      'a schema of many that nothing fits',
      [
        rule(
          'body',
          '',
          'jsonSchema',
          schema({ items: { anyOf: [...Array.from({ length: 9_000 }, () => false), true] } }),
        ),
      ],
      { body: zeros(200_000) },
      /cannot be sent/,
    ],
    [
      'names of an object, again and again',
      [rule('body', '', 'jsonSchema', schema({ allOf: Array.from({ length: 2_000 }, () => ({ minProperties: 0 })) }))],
      { body: manyNames },
      /cannot be sent/,
    ],
    [
      'values that are printed for each rule',
      Array.from({ length: 50 }, () => rule('body', 'a', 'equals', 'x')),
      { body: `{"a":[${'{},'.repeat(999_999)}{}]}` },
      /cannot be sent/,
    ],
    [
      'a pattern that no automaton holds',
      [rule('body', '', 'regex', 'a[ab]{400}[^ab]')],
      { body: randomText(500_000) },
      /cannot be sent/,
    ],
    [
      'the same in a JSONPath',
      [rule('body', "$[?search(@,'a[ab]{900}[^ab]')]", 'exists')],
      { body: JSON.stringify([randomText(500_000)]) },
      /cannot be sent/,
    ],
    ['brackets without end', [rule('body', 'a', 'exists')], { body: '['.repeat(5_000_000) }, /not held/],
  ];
  test.each(rows)('%s', async (_name, rules, ask, answer) => {
    await data.publish(mock('victim', [route('/', ruled(...rules), { method: 'POST' })]));
    for (const { text } of await askOften('/', { mock: 'victim', method: 'POST', ...ask }))
      expect(text).toMatch(answer);
  });

  test('a schema that holds is found to, within its bound', async () => {
    await data.publish(mock('victim', [route('/', ruled(rule('body', '', 'jsonSchema', wide)), { method: 'POST' })]));
    const body = JSON.stringify(Array.from({ length: 1_000 }, () => ({ p1: 'x', p2: 'y' })));
    expect(await data.text('/', { mock: 'victim', method: 'POST', body })).toBe('held');
  });
});

test('a template that goes deep into a body, often, ends within its bound', async () => {
  const body = `{{#repeat 50}}{{#repeat 950}}{{body '${'0.'.repeat(9_000)}0'}}{{/repeat}}{{/repeat}}`;
  await data.publish(mock('deep', [route('/', [response({ body, templated: true })], { method: 'POST' })]));
  const asked = { mock: 'deep', method: 'POST', body: `${'['.repeat(9_001)}1${']'.repeat(9_001)}` };
  for (const { status } of await askOften('/', asked)) expect(status).toBe(500);
});

test('a thread that is busy with many slow requests is not taken for one that hangs', async () => {
  const wide = JSON.stringify({ items: { minProperties: 1, maxProperties: 2, required: ['a'] } });
  await data.publish(mock('slow', [route('/', ruled(rule('body', '', 'jsonSchema', wide)), { method: 'POST' })]));
  const body = `[${'{"a":1},'.repeat(999_999)}{"a":1}]`;
  const since = performance.now();
  await askOften('/', { mock: 'slow', method: 'POST', body }, 60);
  // Else the row proves nothing: two threads, and a hang is two seconds without a sign.
  expect(performance.now() - since).toBeGreaterThan(2_000);
}, 60_000);

test('patterns that are compiled on first use count as work of the request', async () => {
  const alternatives = (rules: MatchRule[]) => response({ rules, rulesOperator: 'OR' });
  const early = Array.from({ length: RULES_COMPILED_EARLY_MAX }, (_, index) =>
    rule('query', 'q', 'regex', `n${index}`),
  );
  // As many instructions as the API takes for a mock: what they take to compile is a fifth of a request's budget.
  const late = Array.from({ length: 45 }, (_, index) =>
    rule('query', 'q', 'regex', `a{1000}b{1000}c{1000}d{1000}${index}`),
  );
  const responses = [early, late].map(alternatives);
  responses.push(alternatives([rule('body', '', 'regex', 'y[yz]{20}')]), response({ body: 'none' }));
  await data.publish(mock('lazy', [route('/', responses, { method: 'POST' })]));
  // Looking at this takes most of the rest, in units of RULE_WORK_MAX.
  const ask: Ask = { mock: 'lazy', method: 'POST', body: 'x'.repeat(1_900_000) };
  const replies = [];
  for (let times = 0; times < 3; times++) replies.push(...(await askOften('/?q=a', ask, 1)));
  expect(replies.map(({ status }) => status)).toEqual([500, 200, 200]);
}, 60_000);

test('large static answers that are delayed hold nothing of their own', async () => {
  const responses = [response({ body: 'x'.repeat(1_000_000), latency: { min: 900, max: 1_000 } })];
  await data.publish(mock('delayed', [route('/', responses)]));
  const agent = new Agent({ keepAlive: true, maxSockets: 600 });
  const replies = await Promise.all(Array.from({ length: 600 }, () => data.ask('/', { mock: 'delayed', agent })));
  agent.destroy();
  expect(new Set(replies.map(({ status, text }) => `${status} ${text.length}`))).toEqual(new Set(['200 1000000']));
}, 30_000);

test('a client that leaves while its mock is loaded is neither counted nor holds anything', async () => {
  const body = `{{requestNumber}}${'x'.repeat(900_000)}`;
  const own = await TestPlane.start({}, [mock('big', [route('/', [response({ body, templated: true })])])]);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  own.beforeLoad = () => held;
  // The Host is looked for first and is no mock's; then the path is, which is loaded.
  const connections = await Promise.all(
    Array.from({ length: 320 }, async (_each, index) => {
      const connection = await RawConnection.open(own.port);
      await connection.write(`GET /__mock/big/ HTTP/1.1\r\nhost: nobody${index}.localhost\r\n\r\n`);
      return connection;
    }),
  );
  await sleep(200);
  for (const connection of connections) await connection.close();
  await sleep(200);
  letGo();
  expect((await own.ask('/', { mock: 'big' })).status).toBe(200);
  expect(await own.plane.counts('big')).toMatchObject({ total: 1 });
  await own.plane.close();
});
