/** Parsing JSON within a budget: long texts are measured before they are parsed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  markLongNumbers,
  mayHaveLongNumbers,
  measureJson,
  parseExactJson,
  parseJson,
  withNumbers,
} from '../../src/languages/json-text.ts';

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

describe('numbers that a double does not keep', () => {
  const exact = (text: string) => parseExactJson(text, plenty())?.value;
  const printed = (text: string) => withNumbers(JSON.stringify(exact(text)));

  test.each([
    ['{"a":12345678901234567}'],
    ['[-12345678901234567,1]'],
    ['[0.1000000000000000055,1e400,123456789012345]', '[0.1000000000000000055,1e+400,123456789012345]'],
    ['{"12345678901234567":"12345678901234567\\"1"}'],
    ['[true,false,null,100000000000000000000]'],
    ['{"a":"\\u0000x 123456789012345678","b":123456789012345678}'],
  ])('%s is printed with all digits', (text, expected = text) => {
    expect(printed(text)).toBe(expected);
  });

  test.each([
    ['9007199254740993', '9007199254740992', false],
    ['9007199254740993', '9007199254740993.0', true],
    ['9007199254740993', '9.007199254740993e15', true],
    ['123456789012345678901234567890', '123456789012345678901234567890', true],
    ['123456789012345678901234567890', '123456789012345678901234567891', false],
    ['0.1', '0.10', true],
    ['0.1', '0.1000000000000000055', false],
    ['275', '275.0', true],
    ['1e400', '1e401', false],
    ['1e400', '10e399', true],
  ])('%s and %s: equal %s', (one, other, isEqual) => {
    expect(exact(one) === exact(other)).toBe(isEqual);
  });

  test('other JSON is that of JSON.parse, and costs one look', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d[\d.]{15}|\d[eE]/.test(text));
        expect(markLongNumbers(text, plenty())).toBe(text);
        expect(exact(text)).toEqual(JSON.parse(text));
      }),
    );
    const budget = { work: 1_000 };
    expect(mayHaveLongNumbers('{"a":[1,2.5,"x"]}', budget)).toBe(false);
    expect(budget.work).toBeGreaterThan(985);
  });

  test('a string with millions of escapes does not overflow the stack', () => {
    const text = `{"a":12345678901234567,"b":"${'\\"'.repeat(3_400_000)}"}`;
    expect(exact(text)).toHaveProperty('b.length', 3_400_000);
  });
});
