/** How JSON values are compared, and that it is paid for. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesJson } from '../../src/languages/json-compare.ts';
import { RULE_WORK_MAX } from '../../src/limits.ts';
import { cpuMs } from '../support/cpu-ms.ts';

const SETS = { ignoreOrder: true, isPart: true };

test('arrays as sets take each item once, also of many equal ones', () => {
  const text = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (items, expected) => {
      const left = [...items];
      const isPart = expected.every((each) => {
        const at = left.indexOf(each);
        if (at !== -1) left.splice(at, 1);
        return at !== -1;
      });
      expect(matchesJson(items, expected, SETS, { work: 1_000_000 })).toBe(isPart);
      expect(matchesJson(items, expected, { ...SETS, isPart: false }, { work: 1_000_000 })).toBe(
        isPart && left.length === 0,
      );
    }),
  );
});

/** Judges by trying every choice: whether each expected item can have an item of its own. */
function isAmong(value: unknown, expected: unknown): boolean {
  if (!Array.isArray(expected)) {
    if (typeof expected !== 'object' || expected === null) return value === expected;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.entries(expected).every(
      ([name, each]) => Object.hasOwn(value, name) && isAmong((value as Record<string, unknown>)[name], each),
    );
  }
  if (!Array.isArray(value)) return false;
  const [first, ...others] = expected as unknown[];
  if (expected.length === 0) return true;
  return value.some((item, at) => isAmong(item, first) && isAmong(value.toSpliced(at, 1), others));
}

test('a part in any order is found whenever each expected item can have an item of its own', () => {
  const { value: list } = fc.letrec<{ value: unknown[] }>((tie) => ({
    value: fc.array(
      fc.oneof(
        { depthSize: 'small', maxDepth: 3 },
        fc.constantFrom(1, 2),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, 2), { maxKeys: 3 }),
        tie('value'),
      ),
      { maxLength: 5 },
    ),
  }));
  /** Leaves out items and members at every depth. */
  const thinned = (value: unknown, drops: (() => boolean) | undefined): unknown => {
    if (Array.isArray(value)) return value.flatMap((each) => (drops?.() ? [] : [thinned(each, drops)])).toReversed();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).filter(() => !drops?.()));
  };
  let held = 0;
  fc.assert(
    fc.property(list, list, fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), (items, others, choices) => {
      let drawn = 0;
      const part = thinned(items, () => choices[drawn++ % choices.length] as boolean);
      for (const expected of [others, part]) {
        const isPart = isAmong(items, expected);
        if (isPart) held++;
        expect(matchesJson(items, expected, SETS, { work: 10_000_000 })).toBe(isPart);
      }
    }),
    { numRuns: 3_000 },
  );
  expect(held).toBeGreaterThan(1_000);
});

test('a long chain of items that must all be given to others is found within the work of one request', () => {
  // Each expected item fits its own and the next; the last one fits the first alone.
  const count = 150;
  const items = Array.from({ length: count }, (_, index) => ({ [`m${index}`]: 1, [`m${(index + 1) % count}`]: 1 }));
  const expected: object[] = Array.from({ length: count - 1 }, (_, index) => ({ [`m${index + 1}`]: 1 }));
  expected.push({ m0: 1, m1: 1 });
  expect(matchesJson(items, expected, SETS, { work: RULE_WORK_MAX })).toBe(true);
  expect(matchesJson(items, [...expected.slice(0, -1), { m0: 1, m2: 1 }], SETS, { work: RULE_WORK_MAX })).toBe(false);
});

test.each([
  ['that are given one after the other', () => ({ a: 1, b: 1 }), () => ({ a: 1 })],
  [
    'of which hundreds move to others',
    (index: number) => (index < 300 ? { a: 1, b: 1 } : { a: 1 }),
    (index: number) => (index < 250 ? { a: 1 } : { b: 1 }),
  ],
  [
    'that hundreds are looked for in vain',
    (index: number) => (index < 300 ? { a: 1, b: 1 } : { a: 1 }),
    (index: number) => (index < 250 ? { a: 1 } : index < 549 ? { b: 1 } : { a: 1, b: 1 }),
  ],
])('many objects %s take no longer than their work', (_, item, expected) => {
  const items = Array.from({ length: 3_000 }, (_item, index) => item(index));
  const wanted = Array.from({ length: 600 }, (_item, index) => expected(index));
  const budget = { work: RULE_WORK_MAX };
  const ms = cpuMs(() => void matchesJson(items, wanted, SETS, budget));
  const charged = (RULE_WORK_MAX - budget.work) / 100_000;
  expect(ms).toBeLessThan(20 + 8 * charged);
});

test.each([
  ['equal items', () => 1, () => 1],
  ['items in the opposite order', (index: number) => index, (index: number) => 999_999 - index],
])('a long array of %s takes no longer than its work', (_, item, expected) => {
  const items = Array.from({ length: 1_000_000 }, (_item, index) => item(index));
  const wanted = Array.from({ length: 5_000 }, (_item, index) => expected(index));
  const budget = { work: RULE_WORK_MAX };
  const ms = cpuMs(() => void matchesJson(items, wanted, SETS, budget));
  // A unit is 10 ns on a quiet machine.
  const charged = (RULE_WORK_MAX - budget.work) / 100_000;
  expect(ms).toBeLessThan(20 + 8 * charged);
});
