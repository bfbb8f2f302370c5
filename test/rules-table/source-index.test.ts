/** Rules that are found by the index are those that a loop over all would have matched. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CompiledRule } from '../../src/rules-table/compile-rule.ts';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import { isMatch, matchPairs } from '../../src/rules-table/match-pairs.ts';
import { RequestFacts } from '../../src/rules-table/request-facts.ts';
import { INDEXED_RULES_MIN, RuleFinder } from '../../src/rules-table/rule-finder.ts';
import { editTable, tableOf, type RuleTable } from '../../src/rules-table/rule-table.ts';
import { atOnce } from '../../src/base/slices.ts';
import { buildIndex, findIndexed } from '../../src/rules-table/source-index.ts';
import { parseUrl, type WireUrl } from '../../src/rules-table/wire-url.ts';
import { runs } from '../support/effort.ts';
import { compiled, exchangeOf, redirect, source, type GivenPair } from '../support/rules-table.ts';

const piece = fc.constantFrom(
  'api',
  'Users',
  'shop',
  'v1',
  '12',
  '.test',
  '/',
  '-',
  'http://',
  '?q=',
  '&a=b',
  '*',
  'é',
);
const literal = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
const syntax = fc.constantFrom(
  '.',
  '.*',
  'a+',
  'shops?',
  '(v1|v2)/',
  'users{0,2}',
  '[a-z]+',
  '\\.test',
  '\\/users',
  '\\d+',
  '^http',
  '$',
  '(?:api)?',
  'x|y',
  '\\x61pi',
  '[/(]api',
  '(\\))',
  'a{2}b',
);
const pattern = fc.tuple(
  fc.array(fc.oneof(syntax, piece), { minLength: 1, maxLength: 4 }),
  fc.constantFrom('', 'i', 'u'),
);
const pair = fc.oneof(
  fc.tuple(fc.constantFrom('Equals', 'Contains', 'Wildcard_Matches'), fc.constantFrom('Url', 'host', 'path'), literal),
  fc.tuple(
    fc.constant('Matches'),
    fc.constantFrom('Url', 'host', 'path'),
    pattern.map(([parts, flags]) => `/${parts.join('').replaceAll(/(?<!\\)\//g, '\\/')}/${flags}`),
  ),
);
const url = fc
  .tuple(fc.constantFrom('api.test', 'SHOP.test', 'shop-v1.test', 'a.test:81'), fc.array(piece, { maxLength: 5 }))
  .map(([host, pieces]) => `http://${host}/${pieces.join('').replaceAll(/[*\s]/g, 'x')}`);

const pairOf = ([operator, key, value]: readonly [string, string, string]): GivenPair => source(value, operator, key);

function ruleOf(pairs: readonly (readonly [string, string, string])[], index: number): CompiledRule {
  if (index % 3 === 0) {
    return compiled(
      'Redirect',
      pairs.map((each) => ({ ...pairOf(each), destinationType: 'url', destination: `http://shop.test/v1/${index}` })),
    );
  }
  return compiled(
    'Delay',
    pairs.map((each) => ({ ...pairOf(each), delay: `${index + 1}` })),
  );
}

const rules = fc.array(fc.array(pair, { minLength: 1, maxLength: 2 }), { maxLength: 40 }).map((all) => all.map(ruleOf));

function matching(all: readonly CompiledRule[], to: WireUrl): readonly CompiledRule[] {
  const budget = { work: 1e9 };
  const facts = new RequestFacts({ method: 'GET', headers: [], body: undefined }, to, budget);
  return all.filter((rule) => isMatch(matchPairs(rule, to, { facts, budget, isOwn: false })));
}

test('the index finds every rule that matches, in order of creation, and evaluating with it is the same', () => {
  fc.assert(
    fc.property(rules, fc.array(url, { minLength: 1, maxLength: 4 }), (all, urls) => {
      const table = tableOf(all);
      const index = atOnce(buildIndex(table.rules));
      for (const each of urls) {
        const wire = parseUrl(each) as WireUrl;
        const found = findIndexed(index, wire);
        expect(matching(found, wire)).toEqual(matching(table.rules, wire));
        expect(found).toEqual(table.rules.filter((rule) => found.includes(rule)));
        const budget = () => ({ work: 1e9 });
        for (const mode of ['redirect', 'rewrite'] as const) {
          const byIndex = evaluate(table, exchangeOf({ url: each }), {
            mode,
            budget: budget(),
            find: (_, to) => findIndexed(index, to),
          });
          expect(byIndex).toEqual(evaluate(table, exchangeOf({ url: each }), { mode, budget: budget() }));
        }
      }
    }),
    { numRuns: runs(250) },
  );
});

test('it leaves out nearly all of many', () => {
  const all = Array.from({ length: 500 }, (_, index) =>
    redirect(source(`https://api.example.com/v${index}x/`), 'http://b.test/'),
  );
  const index = atOnce(buildIndex(all));
  expect(findIndexed(index, parseUrl('https://api.example.com/v77x/users') as WireUrl).length).toBeLessThan(5);
  expect(findIndexed(index, parseUrl('https://elsewhere.test/') as WireUrl)).toEqual([]);
});

test('edits act at once, beside an index that is not built again for each', () => {
  const finder = new RuleFinder();
  const some = Array.from({ length: INDEXED_RULES_MIN }, (_, index) =>
    redirect(source(`/path-${index}/`), 'http://b.test/'),
  );
  let table: RuleTable = tableOf(some);
  const idsFor = (path: string): string[] =>
    finder
      .in(table)(table, parseUrl(`http://a.test${path}`) as WireUrl)
      .map(({ id }) => id);
  expect(idsFor('/path-3/')).toEqual([some[3]?.id]);
  const added = redirect(source('/path-3/'), 'http://c.test/');
  const edited = compiled(
    'Redirect',
    [{ ...source('/path-3/'), destinationType: 'url', destination: 'http://d.test/' }],
    {
      id: some[3]?.id as string,
      createdVersion: some[3]?.createdVersion as number,
    },
  );
  table = editTable(table, { put: [added, edited], removedIds: [some[5]?.id as string] });
  expect(idsFor('/path-3/')).toEqual([edited.id, added.id]);
  expect(finder.in(table)(table, parseUrl('http://a.test/path-3/') as WireUrl)[0]).toBe(edited);
  expect(idsFor('/path-5/')).not.toContain(some[5]?.id);
  // More than are kept beside it.
  const many = Array.from({ length: 40 }, (_, index) => redirect(source(`/more-${index}/`), 'http://b.test/'));
  table = editTable(table, { put: many });
  expect(idsFor('/more-7/')).toEqual([many[7]?.id]);
  expect(finder.in(table)).toBe(finder.in(table));
});

test('of rules of one text only those are found whose URLs have more of it than how each URL begins', () => {
  const all = Array.from({ length: 100 }, () => redirect(source('https://shop.test/api/checkout'), 'http://b.test/'));
  const index = atOnce(buildIndex(all));
  expect(findIndexed(index, parseUrl('https://other.test/') as WireUrl)).toEqual([]);
  expect(findIndexed(index, parseUrl('https://shop.test/api/checkout?a') as WireUrl)).toHaveLength(100);
});
