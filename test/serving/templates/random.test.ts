import { describe, expect, test } from 'vitest';
import { draws } from '../../../src/base/seeded-draw.ts';
import { RANDOM_HELPERS } from '../../../src/serving/matching/templates/helpers/random.ts';
import { callHelper, named, newRun } from '../../support/helper-call.ts';

type Name = keyof typeof RANDOM_HELPERS;

/** @param random What each draw is. */
function drawn(name: Name, values: readonly unknown[], random?: number, literal = true): unknown {
  const run = newRun();
  if (random !== undefined) run.random = () => random;
  return callHelper(RANDOM_HELPERS[name], values, run, literal);
}

const NEARLY_ONE = 1 - 2 ** -53;

/** With the least draw, and with the greatest. */
const CASES: readonly [Name, readonly unknown[], unknown, unknown][] = [
  ['randomInt', [1, 6], 1, 6],
  ['randomInt', [6, 1], 1, 6],
  ['randomInt', ['1', 6], 1, 6],
  ['randomInt', [named({ lower: 3, upper: 4 })], 3, 4],
  ['randomInt', [], -(2 ** 31), 2 ** 31 - 1],
  ['randomInt', ['x', 3], undefined, undefined],
  ['randomDecimal', [], 0, NEARLY_ONE],
  ['randomDecimal', [2, 4], 2, 4],
  ['randomDecimal', [named({ lower: 3, upper: 4 })], 3, 4],
  ['randomDecimal', [undefined, 'x'], undefined, undefined],
  ['pickRandom', ['a', 'b', 'c'], 'a', 'c'],
  ['pickRandom', [['a', 'b']], 'a', 'b'],
  ['pickRandom', [[]], undefined, undefined],
  ['pickRandom', ['a'], 'a', 'a'],
  ['oneOf', [['a', 'b']], 'a', 'b'],
  ['oneOf', ['[1,2]'], 1, 2],
  ['oneOf', ['a'], undefined, undefined],
  ['oneOf', [[]], undefined, undefined],
  ['someOf', [['a', 'b', 'c'], 1, 3], ['a'], ['c', 'a', 'b']],
  ['someOf', [['a', 'b'], 2, 2], ['a', 'b'], ['b', 'a']],
  ['someOf', [['a', 'b'], 5, 9], ['a', 'b'], ['b', 'a']],
  ['someOf', [['a'], 'x', 'y'], [], []],
  ['someOf', ['a', 1, 2], undefined, undefined],
];

describe('helpers of chance', () => {
  test.each(CASES)('%s %j is from %j to %j', (name, values, least, most) => {
    const before = structuredClone(values);
    for (const literal of [true, false]) {
      expect(drawn(name, values, 0, literal)).toEqual(least);
      expect(drawn(name, values, NEARLY_ONE, literal)).toEqual(most);
    }
    expect(values).toEqual(before);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{}, /^[a-z0-9]{36}$/],
    [{ length: 5 }, /^[a-z0-9]{5}$/],
    [{ length: '5', type: 'ALPHABETIC' }, /^[a-z]{5}$/],
    [{ length: 2.9, type: 'NUMERIC' }, /^\d{2}$/],
    [{ length: 40, type: 'HEXADECIMAL', uppercase: true }, /^[0-9A-F]{40}$/],
    [{ length: 50, type: 'ALPHANUMERIC_AND_SYMBOLS' }, /^[!-~]{50}$/],
    [{ type: 'UUID' }, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/],
    [{ length: 4, type: 'constructor' }, /^[a-z0-9]{4}$/],
    [{ length: -1 }, /^$/],
    [{ length: 'x' }, /^undefined$/],
    [{ length: 1e12 }, /^[a-z0-9]{10000}$/],
  ])('randomValue %j', (values, expected) => {
    expect(String(drawn('randomValue', [named(values)]))).toMatch(expected);
  });

  test('draws everything, each as often as the others', () => {
    const run = newRun();
    run.random = draws(1, 1, 1);
    const counts = new Map<string, number>();
    for (let turn = 0; turn < 6_000; turn++) {
      const some = callHelper(RANDOM_HELPERS.someOf, [['a', 'b', 'c'], 2, 2], run) as string[];
      counts.set(some.join(''), (counts.get(some.join('')) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(['ab', 'ac', 'ba', 'bc', 'ca', 'cb']);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  test('uuid without a seed differs, and with the same draws does not', () => {
    expect(drawn('uuid', [])).not.toBe(drawn('uuid', []));
    const made = [1, 1].map(() => drawn('randomValue', [named({ type: 'UUID' })], 0.25));
    expect(made[0]).toBe(made[1]);
  });
});
