import { describe, expect, test } from 'vitest';
import { MATH_HELPERS } from '../../../src/serving/matching/templates/helpers/math.ts';
import { callHelper } from '../../support/helper-call.ts';

const CASES: readonly [keyof typeof MATH_HELPERS, readonly unknown[], unknown][] = [
  ['add', [1, 2, 3], 6],
  ['add', ['1', ' 2 '], 3],
  ['add', [0.1, 0.2], 0.3],
  ['add', [1, 'x'], undefined],
  ['add', [1, undefined], undefined],
  ['add', [9_007_199_254_740_991, 0], 9_007_199_254_740_991],
  ['subtract', [10, 1, 2], 7],
  ['subtract', [0, 0], 0],
  ['multiply', [1.1, 3], 3.3],
  ['multiply', [1e308, 10], undefined],
  ['multiply', [0, -1], 0],
  ['divide', [10, 4], 2.5],
  ['divide', [1, 0], undefined],
  ['modulo', [7, 3], 1],
  ['modulo', [7, 0], undefined],
  ['math', [1, '+', 2], 3],
  ['math', [1, '-', 2], -1],
  ['math', [2, '*', 3], 6],
  ['math', [2, 'x', 3], 6],
  ['math', [5, '/', 2], 2.5],
  ['math', [5, '%', 2], 1],
  ['math', [5, '^', 2], undefined],
  ['round', [2.5], 3],
  ['round', ['2.4'], 2],
  ['round', [true], undefined],
  ['floor', [-1.5], -2],
  ['ceil', [1.2], 2],
  ['ceil', [-0.5], 0],
  ['toFixed', [1.005, 1], '1.0'],
  ['toFixed', [3], '3'],
  ['toFixed', [3, 1e9], `3.${'0'.repeat(100)}`],
  ['toFixed', ['x', 2], undefined],
  ['toNumber', ['12.50'], 12.5],
  ['toNumber', ['1,5'], undefined],
  ['toNumber', ['1'.repeat(1_000)], undefined],
  ['numberFormat', [1234.5, '#,##0.00'], '1,234.50'],
  ['numberFormat', [7, '000'], '007'],
  ['numberFormat', ['x', '0'], undefined],
  ['parseInt', ['42px'], 42],
  ['parseInt', [42.9], 42],
  ['parseInt', ['px'], undefined],
];

describe('helpers of math', () => {
  test.each(CASES)('%s %j is %j', (name, args, expected) => {
    expect(callHelper(MATH_HELPERS[name], args)).toBe(expected);
    // Its pattern must be a literal.
    if (name !== 'numberFormat') expect(callHelper(MATH_HELPERS[name], args, undefined, false)).toBe(expected);
  });

  test('every helper has a case', () => {
    expect(new Set(CASES.map(([name]) => name))).toEqual(new Set(Object.keys(MATH_HELPERS)));
  });
});
