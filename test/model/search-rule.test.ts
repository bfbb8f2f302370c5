/** The search of rules, against one that parses every rule; and that a long one lets others run. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listRules } from '../../src/model/queries.ts';
import type { QueryContext } from '../../src/model/command.ts';
import { emptyOwner, putRule } from '../../src/model/owner-state.ts';
import type { Rule } from '../../src/model/rule.ts';
import { ruleSearch } from '../../src/model/queries.ts';
import { runs } from '../support/effort.ts';

const ruleWith = (values: readonly string[], more: Partial<Rule> = {}): Rule => ({
  id: 'Cancel_0',
  name: 'Name',
  description: '',
  ruleType: 'Cancel',
  status: 'Active',
  pairs: JSON.stringify(values.map((value, id) => ({ source: { key: 'Url', operator: 'Equals', value }, id }))),
  groupId: '',
  creationDate: 1,
  modificationDate: 1,
  createdBy: 'ann',
  lastModifiedBy: 'ann',
  createdVersion: 1,
  modifiedVersion: 1,
  ...more,
});

const folded = (value: string): string => value.toLowerCase().replaceAll('ς', 'σ');

test('finds what a search of the parsed values finds, whatever characters there are', () => {
  const characters = fc.constantFrom(...'aAbBßſσςΣİıÄä"\\/\n\t\u0001\u2028\u{1f600}nu0'.match(/./gsu)!);
  const text = fc.string({ unit: characters, maxLength: 6 });
  const sought = fc.string({ unit: characters, maxLength: 2 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), sought, (values, q) => {
      const wanted = ['Name', '', ...values].some((value) => folded(value).includes(folded(q)));
      expect(ruleSearch(q)(ruleWith(values))).toBe(wanted);
    }),
    { numRuns: runs(5_000) },
  );
});

test('a search of large rules lets others run between them', async () => {
  const state = emptyOwner('acme');
  const values = Array.from({ length: 100 }, () => `${'é'.repeat(9_000)}x`);
  for (let at = 1; at <= 60; at++) putRule(state, ruleWith(values, { id: `Cancel_${at}`, createdVersion: at }));
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const page = await listRules.answer(
    state,
    { page: { offset: 0, pageSize: 30 }, filter: { q: 'éx' } },
    {} as QueryContext,
  );
  isDone = true;
  expect(page).toMatchObject({ total: 60, nextOffset: 30 });
  expect(turns).toBeGreaterThan(5);
});
