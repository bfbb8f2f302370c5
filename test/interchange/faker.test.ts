/** `faker`: bodies that are made from schemas vary, fit their schema, and have the ids that are in the path. */
import { expect, test } from 'vitest';
import { fits } from '../../src/interchange/samples/fits.ts';
import { SampleRun } from '../../src/interchange/samples/run.ts';
import { SampleBudget } from '../../src/interchange/samples/schema-sample.ts';
import { definitionOf, imported, notesOf } from '../support/imports.ts';
import { explainedAnswer, request } from '../support/mocks.ts';

const RUNS = 25;

const documentOf = (schema: object, path = '/users/{id}', more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Users', version: '1' },
  paths: { [path]: { get: { responses: { 200: { description: 'd', content: { 'application/json': { schema } } } } } } },
  ...more,
});

function answers(schema: object, target: string, path?: string): readonly string[] {
  const definition = definitionOf(imported(documentOf(schema, path), { faker: true }));
  return Array.from({ length: RUNS }, () => {
    const answer = explainedAnswer(definition, request('GET', target));
    return Buffer.from(answer?.body ?? '').toString();
  });
}

function isFitting(schema: object, text: string): boolean {
  return fits(new SampleRun(() => undefined, new SampleBudget(), false), schema, JSON.parse(text));
}

const object = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

const USER = object({
  id: { type: 'integer', minimum: 1, example: 10 },
  name: { type: 'string' },
  email: { type: 'string', format: 'email' },
  token: { type: 'string', format: 'uuid' },
  born: { type: 'string', format: 'date' },
  seenAt: { type: 'string', format: 'date-time' },
  opensAt: { type: 'string', format: 'time' },
  site: { type: 'string', format: 'uri' },
  host: { type: 'string', format: 'hostname' },
  v4: { type: 'string', format: 'ipv4' },
  v6: { type: 'string', format: 'ipv6' },
  secret: { type: 'string', format: 'password' },
  price: { type: 'number', exclusiveMinimum: 0, maximum: 9.5 },
  step: { type: 'integer', multipleOf: 5, minimum: 5, exclusiveMaximum: 30 },
  below: { type: 'integer', maximum: -3 },
  kind: { type: 'string', enum: ['a', "b's", 'c', null] },
  level: { enum: [1, 2.5, 3] },
  active: { type: 'boolean' },
  code: { type: 'string', minLength: 2, maxLength: 4 },
  plate: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$' },
  title: { type: 'string', maxLength: 20 },
  description: { type: 'string' },
  phone: { type: 'string' },
  city: { type: 'string' },
  countryCode: { type: 'string', minLength: 2, maxLength: 2 },
  tags: { type: 'array', items: { type: 'string' } },
  codes: { type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 2 },
  orders: {
    type: 'array',
    items: object({
      id: { type: 'string', format: 'uuid' },
      name: { type: 'string', example: 'doggie' },
      total: { type: 'number' },
    }),
  },
  fixed: { const: 'x' },
  either: {
    oneOf: [
      { type: 'integer', maximum: 5 },
      { type: 'integer', minimum: 3 },
    ],
  },
  pet: { oneOf: [object({ kind: { enum: ['cat', 'both'] } }), object({ kind: { enum: ['dog', 'both'] } })] },
  never: { type: 'string', not: { const: 'lorem' } },
});

test('bodies vary and fit their schema', () => {
  const texts = answers(USER, '/users/7');
  for (const text of texts) expect(isFitting(USER, text), text).toBe(true);
  const bodies = texts.map((text) => JSON.parse(text));
  const varied = ['name', 'email', 'token', 'born', 'seenAt', 'price', 'step', 'below', 'kind', 'level', 'active'];
  for (const name of [...varied, 'code', 'title', 'phone', 'city', 'site'])
    expect(new Set(bodies.map((body) => body[name])).size, name).toBeGreaterThan(1);
  expect(new Set(bodies.map(({ id }) => id))).toEqual(new Set([7]));
});

test('items of a list differ, the first as its author states it', () => {
  const [text = ''] = answers(USER, '/users/7');
  const { orders } = JSON.parse(text);
  expect(orders).toHaveLength(3);
  expect(new Set(orders.map(({ id }: { id: string }) => id)).size).toBe(3);
  expect(orders[0].name).toBe('doggie');
  expect(orders[1].name).not.toBe('doggie');
});

test.each<[what: string, schema: object, path: string, target: string, name: string, value: unknown]>([
  ['a number', { type: 'integer' }, '/users/{id}', '/users/42', 'id', 42],
  ['a number, by another name', { type: 'integer' }, '/users/{user_id}', '/users/42', 'id', 42],
  ['a number, by its own name', { type: 'integer' }, '/users/{user_id}', '/users/42', 'userId', 42],
  ['a text', { type: 'string' }, '/users/{id}', '/users/a-b', 'id', 'a-b'],
  ['a text that fits', { type: 'string', minLength: 3, maxLength: 3 }, '/u/{id}', '/u/abc', 'id', 'abc'],
  ['one of another record', { type: 'integer' }, '/u/{userId}/orders/{id}', '/u/5/orders/9', 'userId', 5],
])('the path says the id: %s', (_, schema, path, target, name, value) => {
  for (const text of answers(object({ [name]: schema }), target, path))
    expect(JSON.parse(text)).toEqual({ [name]: value });
});

test.each([
  ['a text in the place of a number', { type: 'integer' }, '/users/{id}', '/users/x'],
  ['a number that is too small', { type: 'integer', minimum: 1 }, '/users/{id}', '/users/0'],
  ['a number that is too large', { type: 'integer', exclusiveMaximum: 9 }, '/users/{id}', '/users/9'],
  ['what is not a UUID', { type: 'string', format: 'uuid' }, '/users/{id}', '/users/x'],
  ['what does not match', { type: 'string', pattern: '^[a-z]+$' }, '/users/{id}', '/users/X1'],
  ['a pattern that templates cannot match', { type: 'string', pattern: '^(?=a)[a-z]+$' }, '/users/{id}', '/users/abc'],
  ['the id of a record further up', { type: 'string', format: 'uuid' }, '/users/{id}/orders', '/users/x/orders'],
])('a body fits its schema whatever the path says: %s', (_, schema, path, target) => {
  const whole = object({ id: schema });
  for (const text of answers(whole, target, path)) expect(isFitting(whole, text), text).toBe(true);
});

test('examples stay, and the report says what is made up', () => {
  const stated = imported(documentOf({ ...USER, example: { id: 1 } }), { faker: true });
  expect(definitionOf(stated).routes[0]?.responses[0]).toMatchObject({ templated: false, body: '{"id":1}' });
  const found = imported(documentOf(USER), { faker: true });
  expect(definitionOf(found).routes[0]?.responses[0]?.templated).toBe('json');
  expect(notesOf(found).map((note) => note.split(' ', 1)[0])).toEqual(['openapi.faked']);
  const plain = imported(documentOf(USER));
  expect(definitionOf(plain).routes[0]?.responses[0]?.templated).toBe(false);
});
