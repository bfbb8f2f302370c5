import fc from 'fast-check';
import { Compile } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { compileJsonSchema } from '../../src/languages/json-schema.ts';
import { runs } from '../support/effort.ts';

function fits(schema: unknown, value: unknown, work = 1_000_000): boolean {
  const compiled = compileJsonSchema(JSON.stringify(schema));
  if (typeof compiled === 'string') throw new Error(compiled);
  return compiled.fits(value, { work });
}

const TREE = { type: 'object', properties: { next: { $ref: '#' }, id: { type: 'integer' } }, required: ['id'] };

test.each<[unknown, unknown, boolean]>([
  [TREE, { id: 1, next: { id: 2, next: { id: 3 } } }, true],
  [TREE, { id: 1, next: { id: 2, next: {} } }, false],
  [{ const: { a: [1] } }, { a: [1] }, true],
  [{ enum: ['a', 1, null] }, null, true],
  [{ additionalProperties: false, properties: { a: {} }, patternProperties: { '^x-': {} } }, { a: 1, 'x-b': 2 }, true],
  [{ additionalProperties: false, properties: { a: {} } }, { b: 1 }, false],
  [{ if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } }, { a: 1, b: 1 }, true],
  [{ if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } }, {}, false],
  [{ contains: { type: 'string' }, maxContains: 1 }, ['a', 'b'], false],
  [{ contains: { type: 'string' }, minContains: 0 }, [], true],
  [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1, 2], true],
  [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], false],
  [{ items: [{ type: 'string' }], additionalItems: false }, ['a', 1], false],
  [
    { uniqueItems: true },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    false,
  ],
  [{ multipleOf: 0.1 }, 0.3, true],
  [{ multipleOf: 2 }, 3, false],
  [{ maxLength: 1 }, '😀', true],
  [{ format: 'email' }, 'a@b.example', true],
  [{ format: 'date-time' }, 'yesterday', false],
  [{ dependentRequired: { a: ['b'] } }, { a: 1 }, false],
  [{ required: ['toString'] }, {}, false],
  [{ properties: { constructor: { type: 'string' } } }, {}, true],
  [{ not: {} }, 1, false],
])('%j on %j: %s', (schema, value, expected) => {
  expect(fits(schema, value)).toBe(expected);
});

describe('schemas of unbounded cost', () => {
  test('stop with the budget', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `d${index}`,
        { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
      ]),
    );
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, d60: {} } };
    expect(fits(schema, 1)).toBe(false);
    expect(fits({ ...schema, $ref: undefined, not: { $ref: '#/$defs/d0' } }, 1)).toBe(false);
  });

  // reaches SCHEMA_REFERENCES_MAX
  test('stop when they only reference themselves', () => {
    expect(fits({ $ref: '#' }, 1)).toBe(false);
    expect(fits({ anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1)).toBe(false);
  });

  test('do not match values nested too deeply for the stack', () => {
    const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000)) as unknown;
    expect(fits({ uniqueItems: true }, [deep, deep])).toBe(false);
    expect(fits({ const: [[1]] }, deep)).toBe(false);
    expect(fits(TREE, deep)).toBe(false);
  });
});

test('agrees with typebox on simple schemas', () => {
  const leaf = fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', 'boolean') }),
    fc.record({ minimum: fc.integer({ min: -3, max: 3 }) }),
    fc.record({ minLength: fc.nat(2) }),
    fc.record({ maxItems: fc.nat(2) }),
    fc.record({ required: fc.constantFrom(['a'], ['a', 'b']) }),
    fc.record({ enum: fc.constantFrom([1, 'a'], [null, [], {}]) }),
    fc.record({ pattern: fc.constantFrom('^a', 'b$') }),
    fc.boolean(),
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('schema') }),
      fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
      fc.record({ properties: fc.record({ a: tie('schema') }), additionalProperties: tie('schema') }),
      fc.record({ propertyNames: tie('schema') }),
      fc.record({ items: tie('schema') }),
      fc.record({ contains: tie('schema') }),
    ),
  }));
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, 1, -2, 1.5, '', 'a', 'ab'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(schema, value, (given, each) => {
      // The rule requires an object at the top.
      const whole = { allOf: [given] };
      expect(fits(whole, each)).toBe(Compile(whole as never).Check(each));
    }),
    { numRuns: runs(1_000) },
  );
});
