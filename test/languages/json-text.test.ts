/** Parsing JSON within a budget: long texts are measured before they are parsed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureJson, parseJson, quoteLongNumbers } from '../../src/languages/json-text.ts';

const plenty = () => ({ work: 1e12 });

test('the contents are counted: values, names that repeat, names that do not', () => {
  const text = '[{"a":1,"b":[2,"x"]},{"a":3,"b":[]},{"b":4,"a":{"c":5}}]';
  expect(measureJson(text, plenty())).toMatchObject({ values: 14, knownNames: 2, newNames: 5 });
});

test('a text that costs more than is left is not parsed, and the budget is then used up', () => {
  const text = `[${'{},'.repeat(500_000)}0]`;
  const budget = { work: 1_000_000 };
  expect(parseJson(text, budget)).toBeUndefined();
  expect(budget.work).toBeLessThan(0);
  expect(parseJson(text, plenty())?.value).toHaveLength(500_001);
});

test('a text nested too deeply is not JSON, and costs no more than the scan', () => {
  const budget = { work: 10_000_000 };
  expect(parseJson('['.repeat(5_000_000), budget)).toBeUndefined();
  expect(budget.work).toBeGreaterThan(0);
});

describe('long whole numbers become strings:', () => {
  test.each([
    ['{"a":12345678901234567}', '{"a":"12345678901234567"}'],
    ['[-12345678901234567,1]', '["-12345678901234567",1]'],
    ['[1234567890123456.5,1e300,123456789012345]', '[1234567890123456.5,1e300,123456789012345]'],
    ['{"12345678901234567":"12345678901234567\\"1"}', '{"12345678901234567":"12345678901234567\\"1"}'],
    ['[true,false,null,1E20]', '[true,false,null,1E20]'],
  ])('%s', (text, expected) => {
    expect(quoteLongNumbers(text, plenty())).toBe(expected);
  });

  test('and nothing else changes, for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(quoteLongNumbers(text, plenty()).replace(/"(-?\d{15,})"/g, '$1')).toBe(
          text.replace(/"(-?\d{15,})"/g, '$1'),
        );
      }),
    );
  });

  test('a string with millions of escapes does not overflow the stack', () => {
    const text = `{"a":12345678901234567,"b":"${'\\"'.repeat(3_400_000)}"}`;
    expect(quoteLongNumbers(text, plenty())).toHaveLength(text.length + 2);
  });
});
