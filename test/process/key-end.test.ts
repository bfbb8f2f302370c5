/** The text of `keys create --expires`. */
import { InvalidArgumentError } from 'commander';
import { describe, expect, test } from 'vitest';
import { keyEnd } from '../../src/cli/key-end.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('the end of a key is', () => {
  test.each([
    ['30m', NOW + 30 * 60_000],
    ['12h', NOW + 12 * 3_600_000],
    ['90d', NOW + 90 * 86_400_000],
    ['2026-01-02', Date.UTC(2026, 0, 2)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
    ['2026-12-31T18:00:00Z', Date.UTC(2026, 11, 31, 18)],
    ['2026-12-31T18:00+02:00', Date.UTC(2026, 11, 31, 16)],
    ['2026-12-31T18:00:00.250-01:30', Date.UTC(2026, 11, 31, 19, 30, 0, 250)],
  ])('%s', (text, end) => {
    expect(keyEnd(text, NOW)).toBe(end);
  });
});

describe('refused, with what is expected instead:', () => {
  test.each([
    ['', 'such as'],
    ['30', 'such as'],
    ['30s', 'such as'],
    ['-1d', 'such as'],
    ['1.5h', 'such as'],
    ['tomorrow', 'such as'],
    ['2026-12-31T18:00', 'such as'],
    ['2026-13-01', 'such as'],
    ['2026-02-30', 'such as'],
    ['2026-12-31T25:00Z', 'such as'],
    ['0d', 'in the future'],
    ['2026-01-01', 'in the future'],
    ['1999-12-31T00:00:00Z', 'in the future'],
    ['9999999d', 'year 10000'],
  ])('%j', (text, said) => {
    expect(() => keyEnd(text, NOW)).toThrow(InvalidArgumentError);
    expect(() => keyEnd(text, NOW)).toThrow(said);
  });
});
