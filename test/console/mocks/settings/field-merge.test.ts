/** Fields that two people edit. */
import { expect, test } from 'vitest';
import {
  afterWrite,
  conflicts,
  keepMine,
  touch,
  unsent,
  without,
} from '../../../../src/console/mocks/settings/field-merge.ts';

interface Fields {
  readonly seed: number | null;
  readonly cors: boolean;
  readonly latency: number | { readonly min: number; readonly max: number };
}

const SERVER: Fields = { seed: null, cors: true, latency: 0 };

test('a field is compared with what it was when it was touched first', () => {
  const typed = touch(touch(undefined, SERVER, { seed: 1 }), { ...SERVER, seed: 2, cors: false }, { seed: 12 });
  expect(typed).toEqual({ base: { seed: null }, mine: { seed: 12 } });
  expect(conflicts(typed, { ...SERVER, seed: 2 })).toEqual(['seed']);
});

test('a field that somebody else has changed is in conflict only when it was touched, and is another', () => {
  const typed = touch(undefined, SERVER, { seed: 1, latency: { min: 1, max: 2 } });
  expect(unsent(typed, SERVER)).toEqual(['seed', 'latency']);
  expect(conflicts(typed, { ...SERVER, cors: false })).toEqual([]);
  expect(conflicts(typed, { ...SERVER, seed: 1 })).toEqual([]);
  expect(conflicts(typed, { ...SERVER, latency: { min: 1, max: 3 } })).toEqual(['latency']);
});

test('a choice of mine is no conflict any more, one of theirs is no edit', () => {
  const typed = touch(undefined, SERVER, { seed: 1, cors: false });
  const theirs = { ...SERVER, seed: 2 };
  expect(conflicts(keepMine(typed, theirs, 'seed'), theirs)).toEqual([]);
  expect(unsent(keepMine(typed, theirs, 'seed'), theirs)).toEqual(['seed', 'cors']);
  expect(without(typed, ['seed'])).toEqual({ base: { cors: true }, mine: { cors: false } });
  expect(without(typed, ['seed', 'cors'])).toBeUndefined();
});

test('what is typed while the first of it is written is an edit of what was written', () => {
  const first = touch<Fields>(undefined, SERVER, { latency: 20 });
  const later = touch<Fields>(first, SERVER, { latency: { min: 20, max: 50 }, seed: 7 });
  const written = { ...SERVER, latency: 20 };
  const left = afterWrite(later, first.mine, written);
  expect(left).toEqual({ base: { latency: 20, seed: null }, mine: { latency: { min: 20, max: 50 }, seed: 7 } });
  expect(conflicts(left as never, written)).toEqual([]);
  expect(afterWrite(first, first.mine, written)).toBeUndefined();
});
