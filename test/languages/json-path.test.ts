/** JSONPaths that lead to one value directly are evaluated without the library, with the same result. */
import fc from 'fast-check';
import { jsonpath, type JSONValue } from 'json-p3';
import { expect, test } from 'vitest';
import { compileJsonPath } from '../../src/languages/json-path.ts';
import { runs } from '../support/effort.ts';

const name = fc.constantFrom('a', 'length', '0', 'toString', '__proto__', 'é');
const step = fc.oneof(
  name.map((text) => `['${text}']`),
  fc.integer({ min: -3, max: 3 }).map((index) => `[${index}]`),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom('text', 1, null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('a path of names and indexes finds what the library finds', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 4 }), value, (steps, drawn) => {
      const text = `$${steps.join('')}`;
      const json = JSON.parse(JSON.stringify(drawn)) as JSONValue;
      const path = compileJsonPath(text);
      expect(path).not.toBeTypeOf('string');
      if (typeof path === 'string') return;
      expect(path.looks).toBe(0);
      expect(path.find(json, { work: 0 })).toStrictEqual(jsonpath.query(text, json).nodes.map((node) => node.value));
    }),
    { numRuns: runs(2_000) },
  );
});
