/** What the palette finds for what is typed, and in which order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rank, ranked } from '../../../src/console/palette/rank.ts';

const order = (query: string, texts: readonly string[]): readonly string[] => ranked(query, texts, (text) => text);

test('nothing typed leaves everything as it is', () => {
  expect(order(' ', ['b', 'a'])).toEqual(['b', 'a']);
});

test('the beginning of a word comes before its midst, the whole before letters', () => {
  expect(order('set', ['reset', 'Settings', 'Same text'])).toEqual(['Settings', 'reset', 'Same text']);
});

test('first letters find', () => {
  expect(order('nm', ['Rename', 'New mock', 'Mocks'])[0]).toBe('New mock');
  expect(rank('mn', 'New mock')).toBeUndefined();
});

test('every text is found by any of its letters in order', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.array(fc.boolean()), (text, keep) => {
      const lower = text.toLowerCase();
      fc.pre(lower.length === text.length && !/\s/.test(text));
      const letters = Array.from(lower, (letter, index) => (keep[index] ? letter : '')).join('');
      expect(ranked(letters, [text], String)).toEqual([text]);
    }),
  );
});
