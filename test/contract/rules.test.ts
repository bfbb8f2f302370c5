/**
 * What a rule tests in a request, over HTTP with two threads: every operator on every target, holding, not holding,
 * with a missing target, and inverted; docs/mocks-matching.md and "Behaviour". How bodies are read:
 * rule-bodies.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { familyMs } from '../support/cpu-ms.ts';
import type { Ask } from '../support/ask-mock.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

type Target = 'query' | 'header' | 'body' | 'cookie' | 'urlParam';
const TARGETS: readonly Target[] = ['query', 'header', 'body', 'cookie', 'urlParam'];

interface Row {
  readonly operator: string;
  readonly value: string;
  /** Texts of the target for which the rule holds, and does not. */
  readonly holds: readonly string[];
  readonly not: readonly string[];
}

const STRING_OF_THREE = '{"type":"string","minLength":3,"pattern":"^a"}';

/** Texts, so that they can be sent to each target as they are. */
const ROWS: readonly Row[] = [
  { operator: 'equals', value: 'abc', holds: ['abc'], not: ['ab', 'abcd', 'Abc', ' abc', 'x'] },
  { operator: 'contains', value: 'bc', holds: ['abcd', 'bc'], not: ['ab', 'aBC', 'b-c'] },
  { operator: 'startsWith', value: 'ab', holds: ['abc', 'ab'], not: ['cab', 'Abc', 'a'] },
  { operator: 'endsWith', value: 'bc', holds: ['abc', 'bc'], not: ['bca', 'aBc', 'c'] },
  { operator: 'regex', value: '^a[0-9]+z$', holds: ['a1z', 'a1234z'], not: ['az', 'xa1z', 'A1z'] },
  { operator: 'regex', value: 'b{2}', holds: ['abba', 'bb'], not: ['abab'] },
  { operator: 'exists', value: '', holds: ['abc', '0', 'false'], not: [] },
  { operator: 'empty', value: '', holds: [], not: ['abc', '0', 'false'] },
  { operator: 'arrayIncludes', value: 'b', holds: [], not: ['abc', 'a'] },
  { operator: 'gt', value: '9', holds: ['10', '9.5', '1e1'], not: ['9', '8', '-10', 'ten', '10x'] },
  { operator: 'gte', value: '9', holds: ['10', '9', '9.0'], not: ['8.99', '-9', 'nine'] },
  { operator: 'lt', value: '10', holds: ['9', '-11', '9.99'], not: ['10', '100', 'few'] },
  { operator: 'lte', value: '10', holds: ['9', '10', '10.0', '-1'], not: ['10.01', '11', 'few'] },
  { operator: 'jsonSchema', value: STRING_OF_THREE, holds: ['abc', 'axyz'], not: ['ab', 'xabc'] },
];
const OPERATORS = [...new Set(ROWS.map(({ operator }) => operator))];

const two = await TwoThreads.use();
let mock: string;

const pathOf = (target: Target, index: number, invert: boolean): string =>
  `/${target}/${index}/${invert ? 'inverted' : 'plain'}`;

/** Two responses: the first has the rule, the second has none. */
const choice = (rule: Fields): Fields[] => [{ body: 'held', rules: [rule] }, { body: 'not held' }];

beforeAll(async () => {
  const routes = TARGETS.flatMap((target) =>
    ROWS.flatMap(({ operator, value }, index) =>
      [false, true].map((invert) =>
        route(`POST ${pathOf(target, index, invert)}/:p?`, choice({ target, property: 'p', operator, value, invert })),
      ),
    ),
  );
  mock = await two.mock(routes);
});

/** A request whose target has this text. */
function carrying(target: Target, path: string, text: string): [path: string, ask: Ask] {
  const encoded = encodeURIComponent(text);
  switch (target) {
    case 'query':
      return [`${path}?other=1&p=${encoded}`, { method: 'POST' }];
    case 'header':
      return [path, { method: 'POST', headers: { P: text } }];
    case 'body':
      return [path, { method: 'POST', body: JSON.stringify({ other: 1, p: text }) }];
    case 'cookie':
      return [path, { method: 'POST', headers: { cookie: `other=1; p=${encoded}` } }];
    case 'urlParam':
      return [`${path}/${encoded}`, { method: 'POST' }];
  }
}

/** The answers of the rule and of its inversion. */
async function verdicts(target: Target, index: number, text: string | undefined): Promise<[string, string]> {
  const answer = (invert: boolean): Promise<string> => {
    const path = pathOf(target, index, invert);
    const request: [string, Ask] = text === undefined ? [path, { method: 'POST' }] : carrying(target, path, text);
    return two.text(mock, ...request);
  };
  return [await answer(false), await answer(true)];
}

const HELD = ['held', 'not held'];
const NOT_HELD = ['not held', 'held'];

test('there are thirteen operators and five targets', () => {
  expect([OPERATORS.length, TARGETS.length]).toEqual([13, 5]);
});

describe.each(TARGETS)('on %s:', (target) => {
  // HTTP trims spaces around header values.
  const sendable = (text: string): boolean => target !== 'header' || text === text.trim();

  test.each(ROWS.map(({ operator, value, ...texts }, index) => ({ operator, value, index, ...texts })))(
    '$operator $value holds for $holds and not for $not; `invert` flips it',
    async ({ index, holds, not }) => {
      for (const text of holds.filter(sendable)) {
        expect([text, ...(await verdicts(target, index, text))]).toEqual([text, ...HELD]);
      }
      for (const text of not.filter(sendable)) {
        expect([text, ...(await verdicts(target, index, text))]).toEqual([text, ...NOT_HELD]);
      }
    },
  );

  test.each(ROWS.map(({ operator }, index) => ({ operator, index })))(
    '$operator on a missing target: only `empty` is true, `invert` then flips',
    async ({ operator, index }) => {
      expect(await verdicts(target, index, undefined)).toEqual(operator === 'empty' ? HELD : NOT_HELD);
    },
  );
});

describe('repeated values:', () => {
  const rows: [operator: string, value: string, values: readonly string[], holds: boolean][] = [
    ['equals', 'two', ['one', 'two'], true],
    ['equals', 'three', ['one', 'two'], false],
    ['equals', 'one, two', ['one', 'two'], false],
    ['contains', 'w', ['one', 'two'], true],
    ['startsWith', 't', ['one', 'two'], true],
    ['endsWith', 'e', ['one', 'two'], true],
    ['regex', '^o.e$', ['two', 'one'], true],
    ['exists', '', ['one', 'two'], true],
    ['arrayIncludes', 'two', ['one', 'two'], true],
    ['arrayIncludes', 'w', ['one', 'two'], false],
    ['gt', '5', ['1', '9'], true],
    ['lt', '5', ['9', '1'], true],
    ['gte', '10', ['1', '9'], false],
    ['lte', '0', ['1', '9'], false],
    ['jsonSchema', STRING_OF_THREE, ['xyz', 'abc'], true],
    ['empty', '', ['one', 'two'], false],
  ];
  let id: string;
  beforeAll(async () => {
    id = await two.mock(
      (['query', 'header'] as const).flatMap((target) =>
        rows.flatMap(([operator, value], index) =>
          [false, true].map((invert) =>
            route(
              `POST ${pathOf(target, index, invert)}`,
              choice({ target, property: 'x-p', operator, value, invert }),
            ),
          ),
        ),
      ),
    );
  });
  test.each(rows.map((row, index) => [...row, index] as const))(
    '%s %s on %j is %s, as query parameters and as headers',
    async (_operator, _value, values, holds, index) => {
      for (const invert of [false, true]) {
        const query = values.map((value) => `x-p=${value}`).join('&');
        const expected = holds === invert ? 'not held' : 'held';
        expect(await two.text(id, `${pathOf('query', index, invert)}?${query}`, { method: 'POST' })).toBe(expected);
        const headers = { 'X-P': [...values] };
        expect(await two.text(id, pathOf('header', index, invert), { method: 'POST', headers })).toBe(expected);
      }
    },
  );
});

describe('texts of the targets:', () => {
  const rows: [rule: Fields, path: string, ask: Ask, holds: boolean][] = [
    [{ target: 'query', property: 'q', operator: 'equals', value: 'a b' }, '?q=a%20b', {}, true],
    [{ target: 'query', property: 'q', operator: 'equals', value: 'a b' }, '?q=a+b', {}, true],
    [{ target: 'query', property: 'q', operator: 'equals', value: 'é✓' }, '?q=%C3%A9%E2%9C%93', {}, true],
    [{ target: 'query', property: 'q', operator: 'equals', value: '%41' }, '?q=%2541', {}, true],
    [{ target: 'query', property: 'q', operator: 'exists' }, '?q=', {}, true],
    [{ target: 'query', property: 'q', operator: 'empty' }, '?q=', {}, true],
    [{ target: 'query', property: 'Q', operator: 'exists' }, '?q=1', {}, false],
    [{ target: 'query', property: 'a[b]', operator: 'equals', value: '1' }, '?a%5Bb%5D=1', {}, true],
    [{ target: 'query', property: 'q', operator: 'equals', value: 'a=b' }, '?q=a=b', {}, true],
    [
      { target: 'header', property: 'X-Mixed-Case', operator: 'equals', value: '1' },
      '',
      { headers: { 'x-mixed-case': '1' } },
      true,
    ],
    [
      { target: 'header', property: 'x-lower', operator: 'equals', value: '1' },
      '',
      { headers: { 'X-LOWER': '1' } },
      true,
    ],
    [{ target: 'header', property: 'x-e', operator: 'empty' }, '', { headers: { 'x-e': '' } }, true],
    [
      { target: 'cookie', property: 'sid', operator: 'equals', value: 'a b' },
      '',
      { headers: { cookie: 'sid=a%20b' } },
      true,
    ],
    [
      { target: 'cookie', property: 'b', operator: 'equals', value: '2' },
      '',
      { headers: { cookie: 'a=1; b=2; c=3' } },
      true,
    ],
    [{ target: 'cookie', property: 'toString', operator: 'exists' }, '', { headers: { cookie: 'a=1' } }, false],
    [{ target: 'cookie', property: 'sid', operator: 'exists' }, '?sid=1', { headers: { sid: '1' } }, false],
    [{ target: 'query', property: 'sid', operator: 'exists' }, '', { headers: { cookie: 'sid=1', sid: '1' } }, false],
  ];
  let id: string;
  beforeAll(async () => {
    id = await two.mock(rows.map(([rule], index) => route(`GET /${index}`, choice(rule))));
  });
  test.each(rows.map((row, index) => [...row, index] as const))(
    '%j on %s %j is %s',
    async (_rule, query, ask, holds, index) => {
      expect(await two.text(id, `/${index}${query}`, ask)).toBe(holds ? 'held' : 'not held');
    },
  );
});

describe('texts of headers beyond ASCII, in UTF-8:', () => {
  const sent = (text: string) => ({ headers: { 'x-name': Buffer.from(text).toString('latin1') } });
  const held = async (value: string): Promise<string> => {
    const id = await two.mock([
      route('GET /', choice({ target: 'header', property: 'x-name', operator: 'equals', value })),
    ]);
    return two.text(id, '/', sent(value));
  };

  test('inside a value', async () => {
    expect(await held('Zoë M')).toBe('held');
  });

  // uWebSockets.js trims them like spaces, before our code sees the header: docs/http.md.
  test.each(['José', 'Élan'])('at an end of %s they are lost', async (value) => {
    expect(await held(value)).toBe('not held');
  });
});

describe('`regex`', () => {
  test('takes linear time: a pattern that would backtrack exponentially delays no other request', async () => {
    const rule = { target: 'body', property: '', operator: 'regex', value: '^(a+)+$' };
    const id = await two.mock([route('POST /', choice(rule)), route('GET /', [{ body: 'free' }])]);
    const body = `${'a'.repeat(100_000)}!`;
    const before = familyMs(two.server.pid);
    const slow = Array.from({ length: 4 }, () => two.ask(id, '/', { method: 'POST', body }));
    expect(await two.text(id, '/')).toBe('free');
    for (const reply of await Promise.all(slow)) expect(reply.text).toBe('not held');
    expect(familyMs(two.server.pid) - before).toBeLessThan(3_000);
    expect(await two.text(id, '/', { method: 'POST', body: 'a'.repeat(1_000) })).toBe('held');
  });

  test.each([
    ['a lookahead', 'a(?=b)'],
    ['a lookbehind', '(?<=a)b'],
    ['a back reference', '(a)\\1'],
    ['an open group', '(a'],
  ])('refuses %s when the mock is edited, with the reason', async (_what, value) => {
    const rules = [{ target: 'query', property: 'q', operator: 'regex', value }];
    const { status, json } = await two.api('POST', '', { name: 'm', routes: [route('GET /', [{ rules }])] });
    expect(status).toBe(400);
    expect(json.details[0]).toEqual({
      path: '/routes/0/responses/0/rules/0',
      message: expect.stringMatching(/pattern/),
    });
  });

  test.each(['^(?i)abc$', '\\pL+', 'a{2,3}?', '[[:digit:]]+', '(?P<name>x)'])(
    'supports the RE2 syntax of %s',
    async (value) => {
      const rules = [{ target: 'query', property: 'q', operator: 'regex', value }];
      const texts: Record<string, string> = {
        '^(?i)abc$': 'ABC',
        '\\pL+': 'é',
        'a{2,3}?': 'aa',
        '[[:digit:]]+': '7',
        '(?P<name>x)': 'x',
      };
      const id = await two.mock([route('GET /', [{ body: 'held', rules }, { body: 'not held' }])]);
      expect(await two.text(id, `/?q=${encodeURIComponent(texts[value] as string)}`)).toBe('held');
      expect(await two.text(id, '/?q=-')).toBe('not held');
    },
  );
});
