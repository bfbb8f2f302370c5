/** How values are stored, by what their schemas say of each member. */
import { expect, test } from 'vitest';
import { defaultsOf, normaliser } from '../../src/model/normalise.ts';
import { LAST, Type } from '../../src/model/schema-type.ts';

const line = Type.Object({ name: Type.String(), value: Type.Optional(Type.String()) });
const schema = Type.Object(
  {
    late: Type.Optional(Type.Integer()),
    status: Type.Default(Type.Integer({ default: 200 })),
    lines: Type.Default(Type.Array(line), () => []),
    seed: Type.Default(Type.Nullable(Type.Integer({ default: null }))),
    kind: Type.Implicit(Type.Enum(['plain', 'other'], { default: 'plain' })),
    more: Type.Implicit(Type.Array(line)),
    ms: Type.Documented(Type.Integer({ default: 7 })),
    step: Type.Optional(Type.Union([line, Type.Array(line)])),
    text: Type.Optional(Type.Custom<string>(Type.String(), (text) => text.toUpperCase())),
  },
  { [LAST]: ['late'] },
);
const FILLED = { status: 200, lines: [], seed: null };

test.each([
  ['fills what has a default, and leaves out the rest', {}, FILLED],
  ['keeps what was sent', { status: 404, kind: 'other', ms: 7 }, { ...FILLED, status: 404, kind: 'other', ms: 7 }],
  ['leaves out implicit defaults and empty lists', { kind: 'plain', more: [] }, FILLED],
  [
    'orders members at any depth',
    { step: [{ value: 'b', name: 'a' }], late: 1, lines: [{ value: 'd', name: 'c' }] },
    { status: 200, lines: [{ name: 'c', value: 'd' }], seed: null, step: [{ name: 'a', value: 'b' }], late: 1 },
  ],
  ['takes one of several forms', { step: { value: 'b', name: 'a' } }, { ...FILLED, step: { name: 'a', value: 'b' } }],
  ['applies the function of a schema', { text: 'a' }, { ...FILLED, text: 'A' }],
])('%s', (_what, sent, stored) => {
  // As texts: the order counts.
  expect(JSON.stringify(normaliser(schema)(sent))).toBe(JSON.stringify(stored));
});

test('two values share no default that is a list', () => {
  const normalise = normaliser(schema);
  expect(normalise({}).lines).not.toBe(normalise({}).lines);
});

test('defaults that are documented alone are read from the schema', () => {
  expect(defaultsOf(schema).ms).toBe(7);
});
