/**
 * Requests and definitions made to take much time or memory: the mock answers in bounded time, and the data plane
 * survives.
 *
 * Each case crashed the data plane's process, or filled its memory, before its limit existed.
 */
import { RULES_COMPILED_EARLY_MAX } from '../../src/serving/matching/choose/choose-response.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MockResponse } from '../../src/model/mocks/definition/definition.ts';
import type { Ask } from '../support/ask-mock.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';
import { rule } from '../support/mocks.ts';
import { RawConnection } from '../support/raw-http.ts';
import type { MatchCondition } from '../../src/model/mocks/definition/condition-schema.ts';

let data: TestPlane;
let epoch: string;

beforeAll(async () => {
  // No thread loads it before it is asked for.
  const big = response({ body: `{{requestNumber}}${'x'.repeat(900_000)}`, templated: true });
  data = await TestPlane.start({}, [
    mock('bystander', [route('/', [response({ body: 'here' })])]),
    mock('big', [route('/', [big])]),
  ]);
  ({ epoch } = data.plane);
});
afterAll(() => data.plane.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const ruled = (...rules: MatchCondition[]): MockResponse[] => [
  response({ body: 'held', rules, rulesOperator: 'OR' }),
  response({ body: 'not held' }),
];

/**
 * So many concurrent requests that they would add up to a hang, if each were not bounded and the thread gave no
 * heartbeat in between.
 */
async function askOften(path: string, ask: Ask, times = 4): Promise<{ status: number; text: string }[]> {
  const replies = await Promise.all(Array.from({ length: times }, () => data.ask(path, ask)));
  expect(data.plane.epoch).toBe(epoch);
  expect(await data.text('/', { mock: 'bystander' })).toBe('here');
  return replies;
}

describe('a body that is slow to process is answered, and crashes nothing:', () => {
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
  const rows: [string, MatchCondition[], Ask, RegExp][] = [
    [
      'names without values',
      [rule('body', 'user.name', 'equals', 'x')],
      { headers: FORM, body: 'a&'.repeat(100_000) },
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
      'fields that are not JSON',
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
      'a schema of many alternatives that nothing matches',
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
      'names of an object, repeatedly',
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
      'a pattern whose automaton would be too large',
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

  test('a schema that holds is evaluated within the limit', async () => {
    await data.publish(mock('victim', [route('/', ruled(rule('body', '', 'jsonSchema', wide)), { method: 'POST' })]));
    const body = JSON.stringify(Array.from({ length: 1_000 }, () => ({ p1: 'x', p2: 'y' })));
    expect(await data.text('/', { mock: 'victim', method: 'POST', body })).toBe('held');
  });
});

test('a text searched by 5,000 rules crashes nothing, and is answered before it counts as a hang', async () => {
  const rules = Array.from({ length: 50 }, () => rule('body', 'a', 'contains', 'zz'));
  const responses = Array.from({ length: 100 }, () => response({ rules, rulesOperator: 'OR' }));
  await data.publish(mock('victim', [route('/', responses, { method: 'POST' })]));
  const started = performance.now();
  await askOften('/', { mock: 'victim', method: 'POST', body: `{"a":["${'\\"'.repeat(500_000)}"]}` }, 1);
  // Wall-clock time on a busy machine; stalls.test.ts measures processor time. It took 2.4 s before the limit.
  expect(performance.now() - started).toBeLessThan(2_000);
});

test('a long number before a string of many escapes is compared, counted and recorded', async () => {
  await data.publish(mock('escapes', [route('/', ruled(rule('body', 'a', 'equals', '1')), { method: 'POST' })]));
  const body = `{"a":1e20,"b":"${'\\"'.repeat(1_000_000)}"}`;
  expect(await data.text('/', { mock: 'escapes', method: 'POST', body })).toBe('not held');
  expect(await data.plane.counts('escapes')).toMatchObject({ total: 1, unmatched: 0 });
});

test('a template that often reads deep into a body ends within its limit', async () => {
  const body = `{{#repeat 50}}{{#repeat 950}}{{body '${'0.'.repeat(9_000)}0'}}{{/repeat}}{{/repeat}}`;
  await data.publish(mock('deep', [route('/', [response({ body, templated: true })], { method: 'POST' })]));
  const asked = { mock: 'deep', method: 'POST', body: `${'['.repeat(9_001)}1${']'.repeat(9_001)}` };
  for (const { status } of await askOften('/', asked)) expect(status).toBe(500);
});

test('compiling patterns on first use counts as work of the request', async () => {
  const alternatives = (rules: MatchCondition[]) => response({ rules, rulesOperator: 'OR' });
  const early = Array.from({ length: RULES_COMPILED_EARLY_MAX }, (_, index) =>
    rule('query', 'q', 'regex', `n${index}`),
  );
  // As many instructions as the API allows for a mock: compiling them takes more than half of a request's budget.
  const late = Array.from({ length: 45 }, (_, index) =>
    rule('query', 'q', 'regex', `a{1000}b{1000}c{1000}d{1000}${index}`),
  );
  const responses = [early, late].map(alternatives);
  responses.push(alternatives([rule('body', '', 'regex', 'y[yz]{20}')]), response({ body: 'none' }));
  await data.publish(mock('lazy', [route('/', responses, { method: 'POST' })]));
  // Searching this takes most of the rest, in units of RULE_WORK_MAX.
  const ask: Ask = { mock: 'lazy', method: 'POST', body: 'x'.repeat(300_000) };
  const replies = [];
  for (let times = 0; times < 3; times++) replies.push(...(await askOften('/?q=a', ask, 1)));
  expect(replies.map(({ status }) => status)).toEqual([500, 200, 200]);
}, 60_000);

test('a client that disconnects while its mock is loaded is not counted, and leaves nothing in memory', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  data.beforeLoad = () => held;
  // The Host is tried first and names no mock; then the path, whose mock is loaded.
  const connections = await Promise.all(
    Array.from({ length: 320 }, async (_each, index) => {
      const connection = await RawConnection.open(data.port);
      await connection.write(`GET /__mock/big/ HTTP/1.1\r\nhost: nobody${index}.localhost\r\n\r\n`);
      return connection;
    }),
  );
  await sleep(200);
  for (const connection of connections) await connection.close();
  await sleep(200);
  release();
  expect((await data.ask('/', { mock: 'big' })).status).toBe(200);
  expect(await data.plane.counts('big')).toMatchObject({ total: 1 });
});
