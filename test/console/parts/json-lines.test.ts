/** JSON in lines that can be compared. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonLines } from '../../../src/console/parts/json-lines.ts';

const long = 'x'.repeat(120);

test('one member a line; numbers, escapes and empty values stay as they are written', () => {
  expect(jsonLines(`{"a":1.0, "b":[1,{ }],"c":[ ],"d":"\\u0041, {\\"${long}"}`)).toBe(
    [
      '{',
      '  "a": 1.0,',
      '  "b": [',
      '    1,',
      '    {}',
      '  ],',
      '  "c": [],',
      `  "d": "\\u0041, {\\"${long}"`,
      '}',
    ].join('\n'),
  );
});

test('nothing is made of short lines, of no JSON, and of no object or array', () => {
  expect(jsonLines('{"a":1}')).toBeUndefined();
  expect(jsonLines(`{"a":${long}}`)).toBeUndefined();
  expect(jsonLines(`"${long}"`)).toBeUndefined();
});

test('it is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify({ long, value });
      const lines = jsonLines(text) as string;
      expect(JSON.parse(lines)).toEqual(JSON.parse(text));
      expect(lines).toBe(JSON.stringify(JSON.parse(text), null, 2));
    }),
  );
});
