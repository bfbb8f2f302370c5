/** How JSON values are compared, and that it is paid for. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesJson } from '../../src/languages/json-compare.ts';
import { RULE_WORK_MAX } from '../../src/limits.ts';

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

test.each([
  ['equal items', () => 1, () => 1],
  ['items in the opposite order', (index: number) => index, (index: number) => 999_999 - index],
])('a long array of %s takes no longer than its work', (_, item, expected) => {
  const items = Array.from({ length: 1_000_000 }, (_item, index) => item(index));
  const wanted = Array.from({ length: 5_000 }, (_item, index) => expected(index));
  const budget = { work: RULE_WORK_MAX };
  const start = performance.now();
  matchesJson(items, wanted, SETS, budget);
  // A unit is 10 ns on a quiet machine.
  const charged = (RULE_WORK_MAX - budget.work) / 100_000;
  expect(performance.now() - start).toBeLessThan(20 + 8 * charged);
});
