/** Strict JSON: accepts values that can be stored exactly, refuses those that would change. Includes random values. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonProblem, numberProblem, parseStrictJson } from '../../src/base/strict-json.ts';
import { runs } from '../support/effort.ts';

const parse = (text: string) => parseStrictJson(Buffer.from(text), 32);
const isRefused = (text: string): boolean => isJsonProblem(parse(text));

test('accepts every value that JSON.stringify writes, unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      fc.pre(!text.includes('__proto__') && text.isWellFormed() && !/\\ud[89a-f]/i.test(text));
      expect(parse(text)).toEqual({ value: JSON.parse(text) });
    }),
    { numRuns: runs(2000) },
  );
});

test('agrees with JSON.parse on invalid JSON', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:0123456789.eE+-truefalsn \\u"/')) }),
      (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        return valid || isRefused(text);
      },
    ),
    { numRuns: runs(5000) },
  );
});

test('accepts a number exactly when printing it again gives the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(isRefused(String(number))).toBe(false);
      expect(isRefused(number.toExponential())).toBe(false);
    }),
    { numRuns: runs(2000) },
  );
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
      // A double holds it, or a neighbour prints shorter: what counts is that the digits come back.
      const kept =
        BigInt(Number(integer)) === integer &&
        BigInt(Number(integer).toLocaleString('en', { useGrouping: false, maximumFractionDigits: 0 })) === integer;
      if (Number.isSafeInteger(Number(integer))) expect(isRefused(String(integer))).toBe(!kept);
    }),
    { numRuns: runs(2000) },
  );
});

test('a number beyond 2^53 that a double changes is found, in texts only numbers', () => {
  const found = (text: string) => numberProblem(text, { work: Infinity });
  for (const text of [
    '[0.1000000000000000055,1e300,9007199254740992]',
    '{"9007199254740993":"\\"9007199254740993"}',
    '-',
  ])
    expect(found(text), text).toBeUndefined();
  for (const text of ['9007199254740993', '{"a\\\\":[1,-9007199254740992.5]}', '1E400', `["\\"",${'9'.repeat(400)}]`])
    expect(found(text), text).toContain('cannot be represented exactly');
  fc.assert(
    fc.property(fc.jsonValue(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }), (value, integer) => {
      const text = JSON.stringify([value, 0]).replace(/0]$/, `${integer}]`);
      expect(found(JSON.stringify(value))).toBeUndefined();
      expect(found(text) === undefined).toBe(!isRefused(String(integer)));
    }),
    { numRuns: runs(1000) },
  );
});

describe('refuses', () => {
  test.each([
    '9007199254740993',
    '12345678901234567890',
    '1e400',
    '-1e400',
    '1e-400',
    '0.1000000000000000055511151231257827',
    '[1, 99999999999999999]',
    '{"a": 1.00000000000000001}',
  ])('the number in %s', (text) => {
    expect(parse(text)).toMatchObject({ problem: expect.stringContaining('cannot be represented exactly') });
  });

  test.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '[{"b":{"c":1,"c":1}}]', '{"":1,"":1}', '{"1":1,"1":1}'])(
    'equal keys in %s',
    (text) => {
      expect(parse(text)).toMatchObject({ problem: expect.stringContaining('same key twice') });
    },
  );

  test.each(['{"__proto__":1}', '{"a":[{"__proto__":{}}]}', '{"\\u005f_proto__":1}'])('the key in %s', (text) => {
    expect(parse(text)).toMatchObject({ problem: expect.stringContaining('__proto__') });
  });

  test.each(['"\\ud800"', '"\\udc00\\ud800"', '{"\\udfff":1}', '["ok","\\uD83D x"]'])(
    'the lone surrogate in %s',
    (text) => {
      expect(parse(text)).toMatchObject({ problem: expect.stringContaining('surrogate') });
    },
  );

  test('bytes that are not UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      expect(parseStrictJson(Buffer.from(bytes), 32)).toMatchObject({ problem: expect.stringContaining('UTF-8') });
    }
  });

  test('values nested deeper than the bound, of any kind', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      expect(isRefused(open.repeat(32) + '1' + close.repeat(32))).toBe(false);
      expect(isRefused(open.repeat(33) + '1' + close.repeat(33))).toBe(true);
      expect(isRefused(open.repeat(400_000))).toBe(true);
    }
  });
});

describe('accepts', () => {
  test.each([
    ['0.1', 0.1],
    ['1.0', 1],
    ['1.50', 1.5],
    ['-0', -0],
    ['1e3', 1000],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740992', -9007199254740992],
    ['100000000000000000000', 1e20],
    ['5e-324', 5e-324],
    ['0.000', 0],
    ['0e99999', 0],
  ])('the number %s', (text, value) => {
    expect(parse(text)).toEqual({ value });
  });

  test.each([
    '"\\ud83d\\ude00"',
    '"\u{1f600}"',
    '"\\\\ud800"',
    '"a: {[1e400"',
    '"\\""',
    '{"constructor":{"prototype":1}}',
  ])('%s', (text) => {
    expect(parse(text)).toEqual({ value: JSON.parse(text) });
  });
});
