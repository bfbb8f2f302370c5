/** Tables that are edited, what they weigh, and what a rule's patterns are warned of. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WARNINGS_MAX } from '../../src/limits.ts';
import { ABLE } from '../../src/model/rule-abilities.ts';
import { compilePattern, isPattern } from '../../src/languages/linear-pattern.ts';
import { asIfActive } from '../../src/rules-table/compile-rule.ts';
import { translateForLinear } from '../../src/rules-table/pattern-syntax.ts';
import { editTable, liveSources, tableBytes, tableOf } from '../../src/rules-table/rule-table.ts';
import { ruleWarnings } from '../../src/rules-table/rule-warnings.ts';
import { find } from '../../src/rules-table/text-search.ts';
import { matchWildcard, parseWildcard } from '../../src/rules-table/wildcard.ts';
import { ANY, compiled, run, source, stored } from '../support/rules-table.ts';
import { runs } from '../support/effort.ts';

const budget = () => ({ work: 1_000_000 });

test('an edit puts, replaces and removes in the place of creation, and leaves the table that was', () => {
  const [first, second, third] = [1, 2, 3].map((index) => compiled('Cancel', [ANY], { id: `Cancel_${index}` }));
  if (first === undefined || second === undefined || third === undefined) throw new Error('three rules');
  const table = tableOf([third, first]);
  const renamed = { ...first, name: 'renamed' };
  const next = editTable(table, {
    put: [second, renamed],
    removedIds: [third.id],
    inactiveGroups: new Set(['Group_1']),
  });
  expect(next.rules).toEqual([renamed, second]);
  expect(table.rules).toEqual([first, third]);
  expect(editTable(next, {}).inactiveGroups).toBe(next.inactiveGroups);
});

test('live sources are counted, and bytes grow with what a rule holds', () => {
  const inactive = compiled('Cancel', [ANY], { status: 'Inactive' });
  const grouped = compiled('Cancel', [ANY, ANY], { groupId: 'Group_1' });
  const table = tableOf([inactive, grouped, compiled('Cancel', [ANY])], new Set(['Group_1']));
  expect(liveSources(table)).toBe(1);
  expect(liveSources(tableOf(table.rules))).toBe(3);
  expect(run([asIfActive(inactive)]).outcome).toBe('blocked');
  const pattern = compiled('Cancel', [source('x{500}', 'Matches')]);
  expect(pattern.bytes).toBeGreaterThan(inactive.bytes + 200_000);
  expect(tableBytes(table)).toBeGreaterThan(3_000);
});

describe('warnings', () => {
  test('name each pattern that keeps its rule off, and where it stands', () => {
    const rule = stored('Replace', [
      { ...source('(?=a)', 'Matches'), from: '/b/', to: '' },
      {
        ...source('a', 'Matches', 'Url', [{ pageUrl: { operator: 'Matches', value: '(a)\\1' } }]),
        from: '/(?!b)/',
        to: '',
      },
    ]);
    expect(ruleWarnings(rule)).toEqual([
      { pairId: 'p0', path: '/pairs/0/source/value', warning: expect.stringContaining('look-around') },
      { pairId: 'p1', path: '/pairs/1/source/filters', warning: expect.stringContaining('back-reference') },
      { pairId: 'p1', path: '/pairs/1/from', warning: expect.stringContaining('look-around') },
    ]);
    expect(ruleWarnings(stored('Cancel', [source('(?=a)', 'Contains'), source('[a-z]+', 'Matches')]))).toEqual([]);
  });

  test('are bounded, and so is what looking for them takes', () => {
    const rule = stored(
      'Cancel',
      Array.from({ length: 1_000 }, () => source('(?=a)', 'Matches')),
    );
    expect(ruleWarnings(rule)).toHaveLength(WARNINGS_MAX);
    const heavy = stored(
      'Cancel',
      Array.from({ length: 1_000 }, (_, index) => source(`x{${index % 900}}`, 'Matches')),
    );
    const work = budget();
    expect(ruleWarnings(heavy, ABLE, work)).toEqual([]);
    expect(work.work).toBeLessThan(0);
  });
});

test('a wildcard matches as its lazy pattern does', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  fc.assert(
    fc.property(short, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }), (wildcard, text) => {
      const oracle = new RegExp(`^${wildcard.replaceAll('*', '(.*?)')}$`).exec(text)?.slice(1);
      expect(matchWildcard(parseWildcard(wildcard), text, budget())).toEqual(oracle);
    }),
    { numRuns: runs(2_000) },
  );
});

test('long texts are found where V8 finds them', () => {
  const letters = (minLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength, maxLength: minLength + 40 });
  fc.assert(
    fc.property(letters(17), letters(0), letters(0), fc.nat(30), (wanted, before, after, from) => {
      const text = 'ab'.repeat(2_100) + before + wanted + after;
      expect(find(text, wanted, from, budget())).toBe(text.indexOf(wanted, from));
      expect(find(text, `${wanted}c`, from, budget())).toBe(-1);
    }),
    { numRuns: runs(200) },
  );
});

test.each([
  ['\\z\\A\\Q\\a', ''],
  ['[[:alpha:]]', ''],
  ['[^]', ''],
  ['a[]', ''],
  ['\\/\\-\\_\\.', ''],
  ['[\\w-.]+', ''],
  ['\\x41\\x4\\u0041\\u{2}\\cA\\c1', ''],
  ['\\u{41}\\p{L}', 'u'],
  ['(?<year>\\d{4})-(?:x)', ''],
  ['[\\b\\-^]', ''],
  ['a{,2}{', ''],
  ['^b', 'm'],
  ['a.c', 's'],
  ['A', 'i'],
  ['b', 'y'],
  ['\\pL\\k', ''],
  ['[\\d-x]', ''],
])('/%s/%s means what it means in JavaScript', (body, flags) => {
  const { pattern = '' } = translateForLinear(body, flags);
  const linear = compilePattern(pattern);
  if (!isPattern(linear)) throw new Error(`${pattern}: ${linear}`);
  const texts = [
    'zAQa',
    ':]',
    'a]',
    '',
    '\n',
    'a',
    '/-_.',
    'A.b-',
    'AxAAuu\u0001\\c1',
    'Ax4Auu\u0001\\c1',
    'Aé',
    '1999-x',
    '\b',
    '-',
    '^',
    'a{,2}{',
    'a\nb',
    'a\nc',
    'b',
    'pLk',
    '5',
    'x',
  ];
  for (const text of texts) {
    const own = new RegExp(body, flags.replace('g', ''));
    expect(linear.test(text), JSON.stringify(text)).toBe(own.test(text));
  }
});
