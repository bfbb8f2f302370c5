/** Rules and URLs that are made to take long: they stay within the work of one dry run. */
import { expect, test } from 'vitest';
import { evaluate, TOO_MUCH_WORK } from '../../src/rules-table/evaluate.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import { URL_INVALID } from '../../src/rules-table/wire-url.ts';
import { ANY, compiled, exchangeOf, source, type GivenPair } from '../support/rules-table.ts';

const LONG = `http://a.test/${'a'.repeat(65_536)}`;
/** Of those whose text is long fewer do. */
const RULES = 10_000;
const LONG_RULES = 1_000;
const header = (header_: string, value: string) => ({ modifications: [{ header: header_, type: 'Add', value }] });
const matching = (pattern: string) => ({ ...source(pattern, 'Matches'), ...header('x', '1') });
const anywhere = (text: string, operator = 'Contains') => ({ ...source(text, operator), ...header('x', '1') });
const BODY = 'x'.repeat(100_000);

/** Some three times what the bound is worth on a machine that has nothing else to do. */
const CPU_MS_MAX = 1_500;

test.each([
  ['sources that share one text', 'Headers', () => anywhere('a.test'), 'http://a.test/'],
  ['sources that share one text, of a long URL', 'Headers', () => anywhere('b'), LONG],
  ['a pattern that is nested', 'Headers', () => matching('(a+)+$'), `${LONG}!`],
  ['patterns that differ', 'Headers', (index: number) => matching(`^x${index}(a+)+$`), 'http://a.test/'],
  ['patterns that differ, of a long URL', 'Headers', (index: number) => matching(`(a+)+${index}$`), `${LONG}!`],
  [
    'texts that are nearly there',
    'Headers',
    (index: number) => anywhere(`${'a'.repeat(4_000)}${index}${'a'.repeat(4_000)}`),
    LONG,
  ],
  ['stars', 'Headers', (index: number) => anywhere(`${'*a'.repeat(4_000)}${index}*`, 'Wildcard_Matches'), LONG],
  ['a replacement of each character', 'Replace', () => ({ ...ANY, from: '/a/g', to: 'b'.repeat(10_000) }), LONG],
  ['replacements in a long URL', 'Replace', () => ({ ...ANY, from: 'a', to: 'b' }), LONG],
  [
    'a URL that grows',
    'Redirect',
    () => ({ ...source('*', 'Wildcard_Matches'), destinationType: 'url', destination: 'http://b.test/$1$1' }),
    'http://a.test/',
  ],
  [
    'parameters',
    'QueryParam',
    () => ({
      ...ANY,
      modifications: [
        { param: 'a', type: 'Remove' },
        { param: 'b', type: 'Add', value: '1' },
      ],
    }),
    `http://a.test/?${'a%20&'.repeat(10_000)}`,
  ],
  [
    'header values',
    'Headers',
    (index: number) => ({ ...ANY, ...header(`x-${index}`, 'y'.repeat(9_000)) }),
    'http://a.test/',
  ],
  ['a header again and again', 'Headers', () => ({ ...ANY, ...header('server', '1') }), 'http://a.test/'],
  [
    'bodies',
    'Response',
    (index: number) => ({ ...ANY, response: { type: 'static', value: `${BODY}${index}` } }),
    'http://a.test/',
  ],
] as const)('%s', (_, ruleType, pairOf: (index: number) => GivenPair, url) => {
  const count = JSON.stringify(pairOf(0)).length > 1_000 ? LONG_RULES : RULES;
  const table = tableOf(Array.from({ length: count }, (__, index) => compiled(ruleType, [pairOf(index)])));
  const before = process.cpuUsage();
  const answer = evaluate(table, exchangeOf({ url, upstream: {} }), { details: 'applied' });
  const { user, system } = process.cpuUsage(before);
  if (typeof answer === 'string') expect(answer).toBe(TOO_MUCH_WORK);
  expect((user + system) / 1_000).toBeLessThan(CPU_MS_MAX);
});

test('a URL that is none, or of another scheme, is told', () => {
  for (const url of ['', '/x', 'ftp://a.test/', 'http://', 'http://a b/', 'http://[::1', 'http:\\\\a.test']) {
    expect(evaluate(tableOf([]), exchangeOf({ url }))).toBe(URL_INVALID);
  }
});

test('a payload that is nested deeply, or names of the prototype, is no way in', () => {
  const of = (key: string) =>
    tableOf([
      compiled('Cancel', [
        source('a.test', 'Contains', 'Url', { requestPayload: { key, operator: 'Contains', value: '[' } }),
      ]),
    ]);
  const body = '['.repeat(50_000) + ']'.repeat(50_000);
  for (const key of ['', '0', '__proto__', 'length', 'constructor.name']) {
    expect(evaluate(of(key), exchangeOf({ method: 'POST', body }))).toMatchObject({ outcome: expect.any(String) });
  }
});
