/** An edit of a rule goes together with what others have changed, member by member. */
import { expect, test } from 'vitest';
import { conflictsOf, patchOf, rebased, type EditedRule } from '../../../src/console/rules/edit/edited-rule.ts';

const BASE: EditedRule = { name: 'a', description: '', status: 'Active', groupId: '', pairs: [{ id: '1', x: 1 }] };
const MINE: EditedRule = { ...BASE, name: 'mine', pairs: [{ id: '1', x: 2 }] };
const EDIT = { base: BASE, mine: MINE };

test('what only one side has changed is no conflict, and neither is the same change', () => {
  expect(conflictsOf(EDIT, BASE)).toEqual([]);
  expect(conflictsOf(EDIT, { ...BASE, status: 'Inactive', description: 'theirs' })).toEqual([]);
  expect(conflictsOf(EDIT, { ...BASE, name: 'mine' })).toEqual([]);
  expect(conflictsOf(EDIT, { ...BASE, name: 'theirs', status: 'Inactive' })).toEqual(['name']);
});

test('a rebased edit has the changes of both, and of conflicts those that were chosen', () => {
  const theirs: EditedRule = { ...BASE, name: 'theirs', status: 'Inactive' };
  expect(rebased(EDIT, theirs, [])).toEqual({ base: theirs, mine: { ...MINE, name: 'theirs', status: 'Inactive' } });
  expect(rebased(EDIT, theirs, ['name'])).toEqual({ base: theirs, mine: { ...MINE, status: 'Inactive' } });
});

test('a PATCH has what was changed alone', () => {
  expect(patchOf(EDIT)).toEqual({ name: 'mine', pairs: MINE.pairs });
  expect(patchOf({ base: BASE, mine: BASE })).toEqual({});
});
