/** An edit goes together with what others have changed, member by member. */
import { expect, test } from 'vitest';
import { byMember, differing, isSame, type Merge } from '../../../src/console/state/merge.ts';

interface Settings {
  readonly name: string;
  readonly seed?: number | undefined;
  readonly cors: boolean;
  readonly pairs: readonly object[];
}

const BASE: Settings = { name: 'a', cors: true, pairs: [{ id: '1', x: 1 }] };
const MINE: Settings = { ...BASE, name: 'mine', pairs: [{ id: '1', x: 2 }] };
const { differences, merged } = byMember as unknown as Merge<Settings>;
const fieldsOf = (mine: Settings, theirs: Settings) => differences(BASE, mine, theirs).map(({ field }) => field);

test('what only one side has changed is no conflict, and neither is the same change', () => {
  expect(fieldsOf(MINE, BASE)).toEqual([]);
  expect(fieldsOf(MINE, { ...BASE, cors: false, seed: 4 })).toEqual([]);
  expect(fieldsOf(MINE, { ...BASE, name: 'mine' })).toEqual([]);
  expect(fieldsOf(MINE, { ...BASE, name: 'theirs', cors: false })).toEqual(['name']);
});

test('a merge has the changes of both, and of conflicts mine unless theirs are chosen', () => {
  const theirs: Settings = { ...BASE, name: 'theirs', cors: false, seed: 4 };
  expect(merged(BASE, MINE, theirs, () => undefined)).toEqual({ ...MINE, cors: false, seed: 4 });
  expect(merged(BASE, MINE, theirs, () => 'theirs')).toMatchObject({ name: 'theirs', cors: false, seed: 4 });
});

test('a member that one side has removed is removed', () => {
  const base = { ...BASE, seed: 4 };
  expect(merged(base, BASE, { ...base, cors: false }, () => undefined)).toEqual({ ...BASE, cors: false });
  expect(merged(base, { ...base, cors: false }, BASE, () => undefined)).toEqual({ ...BASE, cors: false });
});

test('values are the same whatever the order of their members', () => {
  expect(isSame({ a: 1, b: [{ c: 2, d: null }] }, { b: [{ d: null, c: 2 }], a: 1, e: undefined })).toBe(true);
  for (const [one, other] of [
    [
      [1, 2],
      [2, 1],
    ],
    [[1], { 0: 1 }],
    [{}, null],
    [{ a: '1' }, { a: 1 }],
  ]) {
    expect(isSame(one, other)).toBe(false);
  }
  expect(differing(BASE, { ...MINE, seed: 1 })).toEqual(['name', 'pairs', 'seed']);
});
