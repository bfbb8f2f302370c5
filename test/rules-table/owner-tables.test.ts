/** What the thread keeps of the owners' rules: by version, and within a bound. */
import { beforeEach, expect, test } from 'vitest';
import type { RuleToCompile } from '../../src/rules-table/compile-rule.ts';
import { OwnerTables } from '../../src/rules-table/owner-tables.ts';
import { ANY, stored } from '../support/rules-table.ts';

const PLENTY = 1_000_000;

let tables: OwnerTables;
beforeEach(() => {
  tables = new OwnerTables();
});

const rule = (number: number, name = `rule ${number}`): RuleToCompile =>
  stored('Cancel', [ANY], { id: `Cancel_${number}`, name, createdVersion: number });

function load(ownerId: string, version: number, rules: readonly RuleToCompile[], bytesMax = PLENTY) {
  tables.beginEdit();
  const put = tables.put(rules, bytesMax);
  return put === 'done' ? tables.commit(ownerId, { version, from: undefined }, bytesMax) : put;
}

function edit(ownerId: string, from: number, version: number, rules: readonly RuleToCompile[], more: object = {}) {
  tables.beginEdit();
  tables.put(rules, PLENTY);
  return tables.commit(ownerId, { version, from, ...more }, PLENTY);
}

const names = (ownerId: string) => tables.get(ownerId)?.table.rules.map(({ name }) => name);

test('an edit puts, replaces and removes, and gives the next version', () => {
  expect(load('a', 3, [rule(1), rule(2), rule(3)])).toBe('done');
  expect(tables.get('a')).toMatchObject({ version: 3, sources: 3 });
  const left = Float64Array.of(1, 3, 5);
  const put = [rule(5), rule(1, 'edited')];
  expect(edit('a', 3, 6, put, { left, inactiveGroups: ['Group_1'] })).toBe('done');
  expect(names('a')).toEqual(['edited', 'rule 3', 'rule 5']);
  expect(tables.get('a')?.table.inactiveGroups).toEqual(new Set(['Group_1']));
  expect(edit('a', 6, 7, [])).toBe('done');
  expect(tables.get('a')?.table.inactiveGroups).toEqual(new Set(['Group_1']));
  expect(edit('a', 7, 8, [], { left: Float64Array.of(), inactiveGroups: [] })).toBe('done');
  expect(tables.get('a')).toMatchObject({ version: 8, sources: 0, bytes: 0 });
});

test('an edit of another version, or whose beginning is not here, is not made', () => {
  load('a', 3, [rule(1)]);
  expect(edit('a', 2, 4, [rule(2)])).toBe('missing');
  expect(names('a')).toBeUndefined();
  expect(edit('b', 1, 2, [rule(2)])).toBe('missing');
  expect(tables.put([rule(1)], PLENTY)).toBe('missing');
  expect(tables.commit('a', { version: 4, from: undefined }, PLENTY)).toBe('missing');
});

test('what an edit left behind that was never committed is not in the next one', () => {
  tables.beginEdit();
  tables.put([rule(1)], PLENTY);
  load('a', 2, [rule(2)]);
  expect(names('a')).toEqual(['rule 2']);
});

test('the least recently used leave when the bound is reached', () => {
  load('a', 1, [rule(1)]);
  const bytesMax = (tables.get('a')?.bytes ?? 0) * 2;
  load('b', 1, [rule(1)], bytesMax);
  tables.get('a');
  load('c', 1, [rule(1)], bytesMax);
  expect([names('a'), names('b'), names('c')]).toEqual([['rule 1'], undefined, ['rule 1']]);
  // Its own former table needs no space beside it.
  load('a', 2, [rule(2), rule(3)], bytesMax);
  expect([names('a'), names('c')]).toEqual([['rule 2', 'rule 3'], undefined]);
});

test('an owner whose rules exceed the bound is not kept', () => {
  load('a', 1, [rule(1)]);
  const { bytes = 0 } = tables.get('a') ?? {};
  expect(load('b', 1, [rule(1), rule(2)], bytes)).toBe('tooLarge');
  expect(names('a')).toEqual(['rule 1']);
  tables.beginEdit();
  expect(tables.put([rule(2)], bytes)).toBe('done');
  expect(tables.commit('a', { version: 2, from: 1 }, bytes)).toBe('tooLarge');
  expect(names('a')).toBeUndefined();
});
