/**
 * CRUD routes of Mockoon answer as its own tests of CRUD routes, filters and data buckets expect (those of its repository at 9.x), once they
 * are imported.
 */
import { describe, expect, test } from 'vitest';
import { TwoThreads } from '../support/two-threads.ts';
import { environment, response, route } from './whole/mockoon-parts.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown as string;
const PEOPLE = [
  { id: 1, name: 'peter', age: 30, address: { city: 'New York' }, hobbies: ['reading', 'swimming'] },
  { id: 2, name: 'nina', age: 25, address: { city: 'Chicago' }, hobbies: ['dancing'] },
  { id: 3, name: 'marta', age: 35, address: { city: 'Boston' }, hobbies: [] },
  { id: 4, name: 'paula', age: 40, address: { city: 'New York' }, hobbies: ['swimming'] },
  { id: 5, name: 'laura', age: 2, address: { city: 'Paris' }, hobbies: ['reading', 'dancing'] },
  ...[6, 7, 8, 9, 10, 11].map((id) => ({ id, name: `x${id}`, age: 20, address: { city: 'Rome' }, hobbies: [] })),
];
const VALUES = [
  { id: 1, v: 18 },
  { id: 2, v: '18' },
  { id: 3, v: true },
  { id: 4, v: false },
  { id: 5, v: null },
  { id: 6, v: '' },
  { id: 7, v: 0 },
  { id: 8, v: '0' },
  { id: 9, v: 2 },
  { id: 10, v: '2' },
];
const BUCKETS = [
  { name: 'users', value: [{ id: 'abcd', name: 'john' }] },
  { name: 'numeric', value: [{ id: 5, name: 'peter' }] },
  { name: 'people', value: PEOPLE },
  { name: 'values', value: VALUES },
  { name: 'misc', value: true },
  { name: 'texts', value: ['aaa', 'bbb', 'ccc'] },
];
const ENVIRONMENT = environment(
  BUCKETS.map(({ name }) =>
    route(` ${name}`, [response('', { bodyType: 'DATABUCKET', databucketID: name, default: true })], { type: 'crud' }),
  ),
  {
    data: BUCKETS.map(({ name, value }) => ({
      uuid: name,
      id: name,
      name,
      documentation: '',
      value: JSON.stringify(value),
    })),
  },
);

/** In turn; each list begins with the first values. */
type Call = readonly [method: string, path: string, body: unknown, status: number, answer: unknown];
const john = { id: 'abcd', name: 'john' };
const CALLS: Readonly<Record<string, readonly Call[]>> = {
  'reads items and lists': [
    ['GET', '/users', undefined, 200, [john]],
    ['GET', '/users/abcd', undefined, 200, john],
    ['GET', '/users/abcde', undefined, 404, {}],
  ],
  'creates with and without an id': [
    ['POST', '/users', {}, 201, { id: UUID }],
    ['POST', '/users', { test: 'hello' }, 201, { test: 'hello', id: UUID }],
    ['POST', '/users', { id: 'own', test: 'hello' }, 201, { id: 'own', test: 'hello' }],
    ['GET', '/users/own', undefined, 200, { id: 'own', test: 'hello' }],
  ],
  'replaces an item': [
    ['PUT', '/users/abcde', {}, 404, {}],
    ['PUT', '/users/abcd', { test: 'hello' }, 200, { test: 'hello', id: 'abcd' }],
    ['GET', '/users', undefined, 200, [{ id: 'abcd', test: 'hello' }]],
  ],
  'replaces all': [
    ['PUT', '/users', [{ id: 'efgh', test: 'hello' }], 200, [{ id: 'efgh', test: 'hello' }]],
    ['GET', '/users', undefined, 200, [{ id: 'efgh', test: 'hello' }]],
  ],
  'merges an item': [
    ['PATCH', '/users/abcde', {}, 404, {}],
    ['PATCH', '/users/abcd', {}, 200, john],
    ['PATCH', '/users/abcd', { test: 'hello' }, 200, { ...john, test: 'hello' }],
    ['GET', '/users', undefined, 200, [{ ...john, test: 'hello' }]],
  ],
  'merges all': [
    ['PATCH', '/users', [{ id: 'efgh', test: 'hello' }], 200, [john, { id: 'efgh', test: 'hello' }]],
    ['GET', '/users', undefined, 200, [john, { id: 'efgh', test: 'hello' }]],
  ],
  'removes an item': [
    ['DELETE', '/users/abcde', undefined, 404, {}],
    ['DELETE', '/users/abcd', undefined, 200, {}],
    ['GET', '/users', undefined, 200, []],
  ],
  'removes all': [
    ['DELETE', '/users', undefined, 200, {}],
    ['DELETE', '/misc', undefined, 200, {}],
    ['POST', '/users', { id: 'x' }, 201, { id: 'x' }],
    ['GET', '/users', undefined, 200, { id: 'x' }],
  ],
  'counts ids that are numbers': [
    ['POST', '/numeric', { test: 'a' }, 201, { test: 'a', id: 6 }],
    ['POST', '/numeric', { id: 'new', test: 'b' }, 201, { id: 'new', test: 'b' }],
    ['POST', '/numeric', { test: 'c' }, 201, { test: 'c', id: 7 }],
    ['DELETE', '/numeric/5', undefined, 200, {}],
    ['DELETE', '/numeric/6', undefined, 200, {}],
    ['DELETE', '/numeric/7', undefined, 200, {}],
    ['DELETE', '/numeric/new', undefined, 200, {}],
    ['POST', '/numeric', { id: 3, test: 'd' }, 201, { id: 3, test: 'd' }],
    ['POST', '/numeric', { test: 'e' }, 201, { test: 'e', id: 4 }],
  ],
  'a single value': [
    ['POST', '/misc', false, 201, false],
    ['PUT', '/misc', true, 200, true],
    ['POST', '/misc', 51, 201, 51],
    ['GET', '/misc', undefined, 200, 51],
    ['POST', '/misc', { test: 'hello' }, 201, { test: 'hello' }],
    ['PUT', '/misc', { two: 2 }, 200, { two: 2 }],
    ['PATCH', '/misc', { three: 3 }, 200, { two: 2, three: 3 }],
    ['GET', '/misc', undefined, 200, { two: 2, three: 3 }],
  ],
  'a list of texts, by index': [
    ['GET', '/texts', undefined, 200, ['aaa', 'bbb', 'ccc']],
    ['GET', '/texts/2', undefined, 200, 'ccc'],
    ['GET', '/texts/3', undefined, 404, {}],
    ['POST', '/texts', 'ddd', 201, 'ddd'],
    ['PUT', '/texts/3', 'eee', 200, 'eee'],
    ['GET', '/texts', undefined, 200, ['aaa', 'bbb', 'ccc', 'eee']],
    ['PUT', '/texts', [10, 20, 30], 200, [10, 20, 30]],
    ['PATCH', '/texts/2', 40, 200, 40],
    ['PATCH', '/texts', [50], 200, [10, 20, 40, 50]],
    ['DELETE', '/texts/0', undefined, 200, {}],
    ['GET', '/texts', undefined, 200, [20, 40, 50]],
  ],
};

/** Texts are answered as they are. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

describe('CRUD routes of Mockoon', async () => {
  const two = await TwoThreads.use();
  let made: string | undefined;
  const mock = async () => (made ??= (await two.data('POST', '/import?start=true', ENVIRONMENT)).mocks[0].id as string);
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return two.ask(await mock(), path, { method, headers, ...sent });
  };

  test.each(Object.entries(CALLS))('%s', async (_name, calls) => {
    await two.data('DELETE', `/${await mock()}/requests`);
    for (const [method, path, body, status, answer] of calls) {
      const reply = await ask(method, path, body);
      const got = [method, path, reply.status, parsed(reply.text)];
      expect(got).toEqual([method, path, status, answer]);
    }
  });

  test.each<[query: string, ids: readonly number[], filtered: number]>([
    ['', PEOPLE.map(({ id }) => id), 11],
    ['limit=5', [1, 2, 3, 4, 5], 11],
    ['page=1', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 11],
    ['page=2&limit=5', [6, 7, 8, 9, 10], 11],
    ['page=9', [], 11],
    ['sort=name&limit=5', [5, 3, 2, 4, 1], 11],
    ['sort=name&order=desc&page=3&limit=5', [5], 11],
    ['sort=id&order=desc&page=2&limit=5', [6, 5, 4, 3, 2], 11],
    ['sort=id&order=other&limit=2', [1, 2], 11],
    ['search=peter', [1], 1],
    ['search=PETER', [1], 1],
    ['search=New%20York', [1, 4], 2],
    ['search=swimming&sort=name&order=desc', [1, 4], 2],
    ['search=dancing&page=1&limit=1', [2], 2],
    ['search=nothing', [], 0],
    ['search=&limit=1', [1], 11],
    ['search=35', [3], 1],
    ['name_eq=peter', [1], 1],
    ['age_ne=20', [1, 2, 3, 4, 5], 5],
    ['age_gt=35', [4], 1],
    ['age_gte=35', [3, 4], 2],
    ['age_lt=5', [5], 1],
    ['age_lte=2', [5], 1],
    ['name_like=la', [4, 5], 2],
    ['name_start=P', [1, 4], 2],
    ['name_end=TA', [3], 1],
    ['address.city_eq=New%20York', [1, 4], 2],
    ['hobbies.0_eq=reading', [1, 5], 2],
    ['age_gt=1&age_lt=25&id_lt=7', [5, 6], 2],
    ['invalid=filter&name_eq=peter', [1], 1],
    ['search=york&age_gt=35&sort=name&limit=1', [4], 1],
  ])('GET /people?%s', async (query, ids, filtered) => {
    const { text, headers } = await ask('GET', `/people?${query}`);
    expect((JSON.parse(text) as { id: number }[]).map(({ id }) => id)).toEqual(ids);
    expect(headers).toMatchObject({ 'x-total-count': '11', 'x-filtered-count': String(filtered) });
  });

  test.each<[query: string, ids: readonly number[]]>([
    ['v_eq=18', [1, 2]],
    ['v_eq=true', [3]],
    ['v_eq=false', [4]],
    ['v_eq=null', [5]],
    ['v_eq=', [6]],
    ['v_eq=0', [7, 8]],
    ['v_start=1', [1, 2]],
    ['v_end=8', [1, 2]],
  ])('GET /values?%s', async (query, ids) => {
    const { text } = await ask('GET', `/values?${query}`);
    expect((JSON.parse(text) as { id: number }[]).map(({ id }) => id)).toEqual(ids);
  });
});
