/** Examples for schemas: what they look like, that they fit, and that no schema makes them large or slow. */
import {
  IMPORT_SAMPLES_NODES_MAX,
  IMPORT_SAMPLES_CHARS_MAX,
  IMPORT_SAMPLES_STEPS_MAX,
} from '../../src/interchange/samples/schema-sample.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sampleXml } from '../../src/interchange/samples/sample-xml.ts';
import { SampleBudget, sampleSchema, type Sample } from '../../src/interchange/samples/schema-sample.ts';
import { runs } from '../support/effort.ts';
import { cpuMs } from '../support/cpu-ms.ts';
import { SAMPLE_CHARS_MAX, SAMPLE_NODES_MAX } from '../../src/limits.ts';

type Schemas = Record<string, unknown>;

const PREFIX = '#/components/schemas/';
const ref = (name: string) => ({ $ref: `${PREFIX}${name}` });
const resolveIn =
  (schemas: Schemas) =>
  (reference: string): unknown =>
    reference.startsWith(PREFIX) && Object.hasOwn(schemas, reference.slice(PREFIX.length))
      ? schemas[reference.slice(PREFIX.length)]
      : undefined;

const sample = (schema: unknown, schemas: Schemas = {}): Sample =>
  sampleSchema(schema, resolveIn(schemas), new SampleBudget());

const object = (properties: Schemas, ...required: string[]) => ({ type: 'object', properties, required });

describe('one schema:', () => {
  test.each<[unknown, unknown]>([
    [{ type: 'string' }, 'string'],
    [{ type: 'string', minLength: 9 }, 'stringstr'],
    [{ type: 'string', maxLength: 3 }, 'str'],
    [{ type: 'string', format: 'date-time' }, '2024-01-15T09:30:00Z'],
    [{ type: 'string', format: 'date' }, '2024-01-15'],
    [{ type: 'string', format: 'email', maxLength: 8 }, 'a@b.co'],
    [{ type: 'string', format: 'uri', minLength: 24 }, 'https://example.com/aaaa'],
    [{ type: 'string', format: 'byte' }, 'dGV4dA=='],
    [{ type: 'string', format: 'password', minLength: 10 }, 'passwordpa'],
    [{ type: 'string', format: 'of-our-own' }, 'string'],
    [{ type: 'integer' }, 0],
    [{ type: 'integer', minimum: 3 }, 3],
    [{ type: 'integer', minimum: 3, exclusiveMinimum: true }, 4],
    [{ type: 'integer', exclusiveMinimum: 3 }, 4],
    [{ type: 'integer', maximum: -3 }, -3],
    [{ type: 'integer', maximum: 0, exclusiveMaximum: true }, -1],
    [{ type: 'integer', minimum: 10, multipleOf: 4 }, 12],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 1 }, 1],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', minimum: 0.3, multipleOf: 0.1 }, 0.4],
    [{ type: 'boolean' }, true],
    [{ type: 'null' }, null],
    [{ type: ['null', 'integer'] }, 0],
    [{ type: 'string', nullable: true }, 'string'],
    [{}, {}],
    [true, {}],
    [{ enum: [null, 'a'] }, 'a'],
    [{ type: 'string', enum: [1, 'b'] }, 'b'],
    [{ const: { a: 1 } }, { a: 1 }],
    [{ type: 'integer', example: 7, default: 8 }, 7],
    [{ type: 'integer', examples: [9], default: 8 }, 9],
    [{ type: 'integer', default: 8 }, 8],
    [{ type: 'integer', example: 'seven', default: 8 }, 8],
    [{ type: 'string', format: 'uuid', example: '42' }, '7b5c3f1e-8d2a-4c69-9f10-2a6b4d8e0c35'],
    [{ type: 'string', format: 'byte', example: 'ab' }, 'dGV4dA=='],
    [{ type: 'array', items: { type: 'integer' } }, [0]],
    [{ type: 'array' }, []],
    [{ type: 'array', minItems: 2 }, ['string', 'string']],
    [{ type: 'array', items: { type: 'integer' }, minItems: 4, maxItems: 5 }, [0, 0, 0, 0]],
    [{ type: 'array', items: { type: 'integer' }, maxItems: 0 }, []],
    [{ type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 3, uniqueItems: true }, [1, 2, 3]],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, uniqueItems: true }, ['a', 'b']],
    [{ type: 'array', prefixItems: [{ type: 'integer' }, { const: 'x' }], items: false }, [0, 'x']],
    [{ items: [{ type: 'integer' }], additionalItems: { type: 'boolean' }, minItems: 2 }, [0, true]],
    [{ type: 'array', contains: { const: 5 } }, [5]],
    [{ properties: { a: { type: 'integer' } } }, { a: 0 }],
    [object({ b: { type: 'integer' } }, 'a', 'b'), { b: 0, a: 'string' }],
    [{ type: 'object', additionalProperties: { type: 'integer' } }, { property1: 0 }],
    [{ type: 'object', additionalProperties: true }, {}],
    [
      { type: 'object', minProperties: 2 },
      { property1: 'string', property2: 'string' },
    ],
    [
      { ...object({ a: {}, b: {}, c: {} }, 'c'), maxProperties: 2 },
      { a: {}, c: {} },
    ],
    [{ type: 'object', patternProperties: { '^x-\\d$': { type: 'integer' } } }, { 'x-2': 0 }],
    [object({ shown: { readOnly: true }, hidden: { writeOnly: true } }, 'shown', 'hidden'), { shown: {} }],
    [{ oneOf: [{ type: 'null' }, { type: 'integer' }] }, 0],
    [{ anyOf: [false, { type: 'integer' }] }, 0],
    [{ type: 'string', anyOf: [{ type: 'integer' }, { minLength: 8 }] }, 'stringst'],
    [{ ...object({ a: {}, b: {} }), oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: {} }],
    [{ allOf: [{ type: 'integer', minimum: 1, maximum: 9 }, { minimum: 5 }] }, 5],
    [{ allOf: [object({ a: { maxLength: 3 } }, 'a'), object({ a: { type: 'string' }, b: {} })] }, { a: 'str', b: {} }],
    [{ allOf: [{ ...object({ a: {} }), example: { a: 'shown' } }, object({ b: {} })] }, { a: 'shown', b: {} }],
    [
      JSON.parse('{"type": "object", "properties": {"__proto__": {"const": 1}, "constructor": {"const": 2}}}'),
      {
        ['__proto__']: 1,
        constructor: 2,
      },
    ],
  ])('%j', (schema, value) => {
    expect(sample(schema)).toEqual({ value });
  });

  test.each([
    ['^[A-Z]{3}-\\d{4}$', 'ABC-4567'],
    ['^(foo|bar)+$', 'foo'],
    ['^[a-z][a-z0-9_]*$', 'string'],
    ['^[^a-z]$', 'A'],
    ['^\\u0041\\x42$', 'AB'],
    ['^(?=.*\\d)x\\d+$', undefined],
    ['^(a)\\1$', undefined],
    ['^#[0-9a-fA-F]{6}$', '#bcdefA'],
    ['^v\\d+(\\.\\d+)?$', 'v1'],
    ['\\.(png|jpe?g)$', '.png'],
  ])('the pattern %s', (pattern, expected) => {
    const { value, problem } = sample({ type: 'string', pattern });
    expect(problem === undefined ? value : undefined).toBe(expected);
    if (expected !== undefined) expect(value).toMatch(new RegExp(pattern));
  });

  test('a pattern is repeated as often as the length asks', () => {
    expect(sample({ type: 'string', pattern: '^[a-c]+$', minLength: 7, maxLength: 7 }).value).toMatch(/^[a-c]{7}$/);
  });

  test.each<[unknown, RegExp]>([
    [false, /^no value fits/],
    [{ allOf: [{ type: 'string' }, { type: 'integer' }] }, /^no value fits/],
    [{ type: 'integer', minimum: 1, maximum: 2, multipleOf: 5 }, /^no known number/],
    [{ $ref: 'https://example.com/x' }, /^the reference https:\/\/example.com\/x leads nowhere/],
    [object({ a: { $ref: '#/x' } }, 'a'), /^the reference #\/x leads nowhere/],
    [object({ a: { $ref: '#/x' } }), /^the reference #\/x leads nowhere/],
    [
      { type: 'array', items: { type: 'null' }, minItems: 2, uniqueItems: true },
      /^the items of an array must be unique/,
    ],
    [{ type: 'string', not: { const: 'string' } }, /^the sample does not fit/],
  ])('%j has a problem', (schema, problem) => {
    expect(sample(schema).problem).toMatch(problem);
  });

  test('what is not required is left out where it cannot be shown', () => {
    expect(sample(object({ a: { $ref: '#/x' }, b: { type: 'integer' } })).value).toEqual({ b: 0 });
  });

  // reaches SAMPLE_DEPTH_MAX
  test('twelve levels are shown, and what is below is left out', () => {
    let schema: unknown = object({});
    for (let level = 0; level < 20; level++) schema = object({ a: schema });
    const { value, problem } = sample(schema);
    expect(problem).toBe('the schema is nested too deeply');
    expect(JSON.stringify(value)).toBe(`${'{"a":'.repeat(11)}{}${'}'.repeat(11)}`);
  });
});

describe('references:', () => {
  test.each<[string, Schemas, unknown]>([
    [
      'a tree ends with no children',
      { Root: object({ name: {}, children: { type: 'array', items: ref('Root') } }, 'children') },
      { name: {}, children: [] },
    ],
    [
      'a list ends where its next may be missing',
      { Root: object({ value: { type: 'integer' }, next: ref('Root') }) },
      { value: 0 },
    ],
    [
      'a list ends where its next may be null',
      { Root: object({ next: { anyOf: [ref('Root'), { type: 'null' }] } }, 'next') },
      { next: null },
    ],
    [
      'another alternative is taken',
      { Root: { oneOf: [{ type: 'array', items: ref('Root'), minItems: 1 }, { type: 'integer' }] } },
      0,
    ],
    [
      'a base of several is no circle',
      {
        Base: object({ id: { type: 'integer' } }),
        Root: { allOf: [ref('Base'), object({ part: { allOf: [ref('Base'), object({ x: {} })] } })] },
      },
      { id: 0, part: { id: 0, x: {} } },
    ],
    ['a schema that takes itself in', { Root: { allOf: [ref('Root'), object({ a: { type: 'integer' } })] } }, { a: 0 }],
    [
      'a discriminator with its mapping',
      {
        Root: {
          oneOf: [ref('Cat'), ref('Dog')],
          discriminator: { propertyName: 'kind', mapping: { cat: `${PREFIX}Cat` } },
        },
        Cat: object({ kind: { type: 'string' } }, 'kind'),
        Dog: object({ kind: { type: 'string' }, barks: { type: 'boolean' } }, 'kind', 'barks'),
      },
      { kind: 'cat' },
    ],
    [
      'a discriminator of a base',
      {
        Pet: { ...object({ kind: { type: 'string' } }, 'kind'), discriminator: { propertyName: 'kind' } },
        Root: { allOf: [ref('Pet'), object({ lives: { type: 'integer' } })] },
      },
      { kind: 'Root', lives: 0 },
    ],
  ])('%s', (_what, schemas, value) => {
    expect(sample(ref('Root'), schemas)).toEqual({ value });
  });

  test('a schema that requires itself is shown without', () => {
    const schemas = { Root: object({ id: { type: 'integer' }, parent: ref('Root') }, 'parent') };
    expect(sample(ref('Root'), schemas)).toEqual({ value: { id: 0 }, problem: 'the schema requires itself' });
  });
});

describe('bombs end early:', () => {
  const wide = (levels: number, isRequired: boolean): Schemas => {
    const names = Array.from('abcdefgh');
    const schemas: Schemas = { Level0: { type: 'string' } };
    for (let level = 1; level <= levels; level++) {
      const members = Object.fromEntries(names.map((name) => [name, ref(`Level${level - 1}`)]));
      schemas[`Level${level}`] = object(members, ...(isRequired ? names : []));
    }
    return schemas;
  };
  const chain = (count: number, keyword: string, isRing: boolean): Schemas =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => {
        const next = at + 1 < count ? ref(`S${at + 1}`) : isRing ? ref('S0') : { type: 'integer' };
        return [`S${at}`, keyword === '$ref' ? next : { [keyword]: [next] }];
      }),
    );
  const many = Array.from({ length: 50_000 }, (_, at) => at);
  const manyNames = Object.fromEntries(many.map((at) => [`x-${at}`, at]));
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `S${at}`,
      at === 39 ? false : { oneOf: [ref(`S${at + 1}`), { allOf: [ref(`S${at + 1}`)] }] },
    ]),
  );

  test.each<[string, unknown, Schemas]>([
    ['8^7 properties', ref('Level7'), wide(7, false)],
    // reaches SAMPLE_NODES_MAX
    ['8^7 required properties', ref('Level7'), wide(7, true)],
    ['three million items', { type: 'array', minItems: 3e6 }, {}],
    [
      'three million items that differ',
      { type: 'array', items: { type: 'integer' }, minItems: 3e6, uniqueItems: true },
      {},
    ],
    ['three million members', { type: 'object', minProperties: 3e6 }, {}],
    // reaches SAMPLE_CHARS_MAX
    ['a text of fifty million characters', object({ a: { type: 'string', minLength: 5e7 } }), {}],
    ['a required text of fifty million characters', object({ a: { type: 'string', minLength: 5e7 } }, 'a'), {}],
    // reaches SAMPLE_REFERENCES_MAX
    ['a ring of 1,000 references', ref('S0'), chain(1_000, '$ref', true)],
    ['a ring of 1,000 allOf', ref('S0'), chain(1_000, 'allOf', true)],
    ['a ring of 1,000 anyOf', ref('S0'), chain(1_000, 'anyOf', true)],
    // reaches SAMPLE_SCHEMAS_MAX
    ['a chain of 100,000 alternatives', ref('S0'), chain(100_000, 'oneOf', false)],
    ['an allOf of itself alone', ref('S'), { S: { allOf: [ref('S'), ref('S')] } }],
    ['a reference to itself', ref('S'), { S: ref('S') }],
    ['a pattern of ten million characters', { type: 'string', pattern: '(a{9999}){999}' }, {}],
    ['a pattern of ten million of nothing', { type: 'string', pattern: '((){999}){999}b' }, {}],
    [
      'a pattern that takes long to match',
      { type: 'string', pattern: '^(a|a?)+$', minLength: 3_000, maxLength: 3_000 },
      {},
    ],
    // reaches SAMPLE_STEPS_MAX
    ['alternatives of which none fits, nested', ref('S0'), doubled],
    ...Object.entries({
      enum: many,
      examples: many,
      type: Array.from(many, () => 'string'),
      required: many.map(String),
      allOf: Array.from(many, () => ({})),
      anyOf: Array.from(many, () => ({})),
      oneOf: Array.from(many, () => ({})),
      prefixItems: many,
      properties: Object.fromEntries(many.map((at) => [`p${at}`, {}])),
      patternProperties: Object.fromEntries(many.map((at) => [`p${at}`, {}])),
      dependentRequired: Object.fromEntries(many.map((at) => [`p${at}`, []])),
      'x-names': {},
    }).map(([keyword, value]): [string, unknown, Schemas] => [
      `50,000 of ${keyword}, time and again`,
      { type: 'array', minItems: 15_000, items: { allOf: [ref('S'), ref('T')], anyOf: [{}] } },
      { S: { [keyword]: value }, T: { [keyword]: value, ...(keyword === 'x-names' && manyNames) } },
    ]),
  ])('%s', (_what, schema, schemas) => {
    const resolve = resolveIn(schemas);
    sampleSchema(schema, resolve, new SampleBudget());
    let value: unknown;
    const ms = cpuMs(() => {
      ({ value } = sampleSchema(schema, resolve, new SampleBudget()));
    });
    expect(ms).toBeLessThan(500);
    expect(JSON.stringify(value).length).toBeLessThan(2 * SAMPLE_CHARS_MAX);
    expect(countOf(value)).toBeLessThanOrEqual(SAMPLE_NODES_MAX);
  });

  // reaches IMPORT_SAMPLES_NODES_MAX, IMPORT_SAMPLES_CHARS_MAX, IMPORT_SAMPLES_STEPS_MAX
  test('all samples of an import have one allowance', () => {
    const budget = new SampleBudget();
    const schema = object({ a: { type: 'string' } }, 'a');
    expect(sampleSchema(schema, () => undefined, budget)).toEqual({ value: { a: 'string' } });
    expect(IMPORT_SAMPLES_NODES_MAX - budget.nodes).toBe(2);
    expect(IMPORT_SAMPLES_CHARS_MAX - budget.chars).toBe(2 + 'a'.length + 3 + 'string'.length);
    expect(IMPORT_SAMPLES_STEPS_MAX - budget.steps).toBeGreaterThan(5);
    for (const used of ['nodes', 'chars', 'steps'] as const) {
      const little = Object.assign(new SampleBudget(), { [used]: 1 });
      const problem = 'the sample would be too large';
      expect(sampleSchema(schema, () => undefined, little).problem).toBe(problem);
      expect(sampleSchema(schema, () => undefined, little).problem).toBe(problem);
      expect(Math.min(little.nodes, little.chars, little.steps)).toBeGreaterThanOrEqual(0);
    }
  });

  function countOf(value: unknown): number {
    if (typeof value !== 'object' || value === null) return 1;
    return Object.values(value).reduce((sum: number, child) => sum + countOf(child), 1);
  }
});

describe('a sample without a problem fits its schema:', () => {
  const NAMES = ['A', 'B', 'C'];
  const bounds = (low: string, high: string, max: number): fc.Arbitrary<object> =>
    fc.record({ [low]: fc.nat(max), [high]: fc.integer({ min: max, max: 2 * max }) }, { requiredKeys: [] });
  const text = fc
    .tuple(
      bounds('minLength', 'maxLength', 12),
      fc.record(
        {
          format: fc.constantFrom('date', 'date-time', 'email', 'uuid', 'uri', 'ipv4', 'byte', 'hostname', 'password'),
          pattern: fc.constantFrom('^[a-z]+$', '^\\d{2,9}$', '^(ab|c)*$', '[A-F]{3}', '^.{4,}$'),
          example: fc.constantFrom('ab', 'abcdef', 5),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([length, { format, pattern, example }]) => ({
      type: 'string',
      ...length,
      ...(pattern === undefined ? format !== undefined && { format } : { pattern }),
      ...(example !== undefined && { example }),
    }));
  const number = fc
    .record(
      {
        minimum: fc.integer({ min: -20, max: 20 }),
        exclusiveMaximum: fc.integer({ min: -10, max: 40 }),
        multipleOf: fc.constantFrom(1, 3, 0.5, 0.25),
      },
      { requiredKeys: [] },
    )
    .chain((each) => fc.constantFrom('integer', 'number').map((type) => ({ type, ...each })));
  const leaf = fc.oneof(
    text,
    number,
    fc.constantFrom({ type: 'boolean' }, { type: ['string', 'null'] }, { enum: ['x', 1] }, { const: null }, {}, true),
    fc.constantFrom(...NAMES).map(ref),
  );
  const { schema } = fc.letrec<{ schema: unknown; object: object }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      tie('object'),
      fc
        .tuple(bounds('minItems', 'maxItems', 3), tie('schema'), fc.boolean())
        .map(([size, items, uniqueItems]) => ({ type: 'array', ...size, items, uniqueItems })),
      fc.record({
        prefixItems: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
        items: fc.constantFrom(false, true),
      }),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
      fc.array(tie('object'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
    ),
    object: fc
      .tuple(
        fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('schema'), { maxKeys: 4 }),
        fc.subarray(['a', 'b', 'c', 'e']),
        fc.record(
          {
            additionalProperties: fc.oneof(fc.boolean(), leaf),
            minProperties: fc.nat(3),
            maxProperties: fc.integer({ min: 3, max: 5 }),
          },
          { requiredKeys: [] },
        ),
      )
      .map(([properties, required, more]) => ({ type: 'object', properties, required, ...more })),
  }));

  test('generated schemas, by an independent validator', () => {
    const tried = runs(200);
    let complete = 0;
    fc.assert(
      fc.property(schema, fc.tuple(schema, schema, schema), (root, components) => {
        const schemas = Object.fromEntries(NAMES.map((name, at) => [name, components[at]]));
        const found = sample(root, schemas);
        expect(sample(root, schemas)).toEqual(found);
        if (found.problem !== undefined) return;
        const errors = errorsOf(root, schemas, found.value);
        if (errors === undefined) return;
        complete++;
        expect(errors, JSON.stringify(found.value)).toEqual([]);
      }),
      { numRuns: tried },
    );
    expect(complete).toBeGreaterThan(tried / 4);
  });

  /** @returns undefined for circles without a value between them, which the validator does not end on. */
  function errorsOf(root: unknown, schemas: Schemas, value: unknown): unknown {
    const ajv = new Ajv2020({ strict: false, logger: false });
    formats.default(ajv);
    try {
      const validate = ajv.compile({ ...(typeof root === 'object' ? root : {}), components: { schemas } });
      return validate(value) ? [] : validate.errors;
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
});

describe('XML:', () => {
  const xml = (name: string, value: unknown, schema?: unknown, schemas: Schemas = {}) =>
    sampleXml(name, value, schema, resolveIn(schemas)).replace(/^<\?xml .*\n/, '');

  test.each<[unknown, unknown, string]>([
    [{ id: 1, name: 'a<b & "c"\u0001' }, undefined, '<pet><id>1</id><name>a&lt;b &amp; &quot;c&quot;</name></pet>'],
    [{ tags: ['x', 'y'], none: null }, undefined, '<pet><tags>x</tags><tags>y</tags><none/></pet>'],
    [['x', 'y'], undefined, '<pet><pet>x</pet><pet>y</pet></pet>'],
    ['x', { xml: { name: 'Pet', namespace: 'urn:x', prefix: 'p' } }, '<p:Pet xmlns:p="urn:x">x</p:Pet>'],
    [{ id: 1, a: 'b' }, object({ id: { xml: { attribute: true } } }), '<pet id="1"><a>b</a></pet>'],
    [
      { tags: [1] },
      object({ tags: { xml: { name: 'list', wrapped: true }, items: { xml: { name: 'tag' } } } }),
      '<pet><list><tag>1</tag></list></pet>',
    ],
    [{ tags: [{ n: 1 }] }, object({ tags: { items: { xml: { name: 'tag' } } } }), '<pet><tag><n>1</n></tag></pet>'],
    [{ '1 2': true }, undefined, '<pet><_1_2>true</_1_2></pet>'],
  ])('%j with %j', (value, schema, text) => {
    expect(xml('pet', value, schema)).toBe(text);
  });

  test('names are found through references and allOf', () => {
    const schemas = { Pet: { ...object({ id: { xml: { name: 'ID' } } }), xml: { name: 'Pet' } } };
    expect(xml('x', { id: 1 }, { allOf: [ref('Pet')] }, schemas)).toBe('<Pet><ID>1</ID></Pet>');
  });
});
