/** Small texts: when a key ends, and words for a shell. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { endsIn, endsSoon } from '../../../src/console/state/key-end.ts';
import { shellWord } from '../../../src/languages/shell-word.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');
const MINUTE_MS = 60_000;
const after = (minutes: number): string => new Date(NOW + minutes * MINUTE_MS).toISOString();

describe('the end of a key', () => {
  test.each([
    [-1, 'now'],
    [0.5, 'in less than a minute'],
    [24.9, 'in 24 min'],
    [121, 'in 2 hours'],
    [24 * 60 - 1, 'in 23 hours'],
    [30 * 24 * 60, 'in 30 days'],
  ])('%d minutes from now is %s', (minutes, words) => {
    expect(endsIn(after(minutes), NOW)).toBe(words);
  });

  test('is soon within an hour; a key without an end never ends', () => {
    expect([after(59), after(61), null, undefined].map((end) => endsSoon(end, NOW))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

test.each(['plain', '', "it's", '$(touch harm) `x` "y" \\ !\n*', '-n; --', 'é ü'])(
  'a shell gets %j as it is',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);
