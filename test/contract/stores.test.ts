/** Stores of a mock and of a session: what requests write, later requests read, whichever thread receives them. */
import { describe, expect, test } from 'vitest';
import { TARGETS, TwoThreads } from '../support/two-threads.ts';
import { untilClosed } from '../support/raw-http.ts';
import { TestServer } from '../support/server.ts';

const USERS = [
  { id: 1, name: 'Ann', age: 30, tags: ['a', 'b'] },
  { id: 2, name: 'Bob', age: 25, tags: ['b'] },
];
const users = { name: 'users', value: USERS };
const JSON_TYPE = { 'content-type': 'application/json' };
const crud = { kind: 'crud', path: '/users', store: 'users' };

const post = (body: unknown, method = 'POST') => ({ method, headers: JSON_TYPE, body: JSON.stringify(body) });

describe.each(TARGETS)('%s', async (target) => {
  const two = await TwoThreads.use(target);
  const json = async (mock: string, path: string, ask: Parameters<TwoThreads['ask']>[2] = {}) => {
    const { status, text } = await two.ask(mock, path, ask);
    return { status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  const stored = async (mock: string, rest = '') =>
    (await two.data('GET', `${two.scope(mock)}/stores/users${rest}`)).value;

  test('what it answers, failures too, has the headers of the settings', async () => {
    const mock = await two.mock([crud], { stores: [users], headers: [{ name: 'x-all', value: '1' }] });
    for (const path of ['/users', '/users/1', '/users/9']) {
      expect((await two.ask(mock, path)).headers, path).toMatchObject({ 'x-all': '1' });
    }
    expect(await two.ask(mock, '/users', post({ id: 1 }))).toMatchObject({ status: 409, headers: { 'x-all': '1' } });
  });

  test('what was posted comes back by GET', async () => {
    const mock = await two.mock([crud], { stores: [users] });
    expect(await json(mock, '/users')).toEqual({ status: 200, body: USERS });
    const made = await two.ask(mock, '/users', post({ name: 'Cem' }));
    expect(made.status).toBe(201);
    expect(JSON.parse(made.text)).toEqual({ id: 3, name: 'Cem' });
    expect(made.headers.location).toMatch(/\/users\/3$/);
    expect(made.headers['content-type']).toBe('application/json; charset=utf-8');
    for (let index = 0; index < 4; index++) {
      expect(await json(mock, '/users/3')).toEqual({ status: 200, body: { id: 3, name: 'Cem' } });
    }
    expect(await json(mock, '/users/3', post({ age: 4 }, 'PATCH'))).toMatchObject({ body: { name: 'Cem', age: 4 } });
    expect(await json(mock, '/users/3', post({ id: 9, age: 5 }, 'PUT'))).toEqual({
      status: 200,
      body: { id: 3, age: 5 },
    });
    expect(await json(mock, '/users/3', { method: 'DELETE' })).toEqual({ status: 200, body: { id: 3, age: 5 } });
    expect(await json(mock, '/users/3')).toEqual({ status: 404, body: { message: '"users" has no item "3"' } });
    expect(await json(mock, '/users', { method: 'DELETE' })).toEqual({ status: 200, body: [] });
    expect(await json(mock, '/users')).toEqual({ status: 200, body: [] });
    expect(await json(mock, '/users', post([{ id: 'x' }, { name: 'no id' }], 'PUT'))).toMatchObject({ status: 200 });
    expect(await stored(mock)).toHaveLength(2);
  });

  test('bad input gets the status that users of REST expect, and changes nothing', async () => {
    const mock = await two.mock([crud], { stores: [users] });
    const status = async (path: string, ask: Parameters<TwoThreads['ask']>[2]) =>
      (await two.ask(mock, path, ask)).status;
    expect(await status('/users', { method: 'POST', headers: JSON_TYPE, body: '{' })).toBe(400);
    expect(await status('/users', { method: 'POST' })).toBe(400);
    expect(
      await status('/users', { method: 'POST', headers: { 'content-type': 'application/xml' }, body: '<a/>' }),
    ).toBe(415);
    expect(await status('/users', post([1]))).toBe(422);
    expect(await status('/users', post({ id: {} }))).toBe(422);
    expect(await status('/users', post({ id: '1' }))).toBe(409);
    expect(await status('/users/9', post({}, 'PUT'))).toBe(404);
    expect(await status('/users/9', { method: 'PUT', headers: JSON_TYPE, body: '{' })).toBe(404);
    expect(await status('/users/1', post({}))).toBe(404);
    expect(await stored(mock)).toEqual(USERS);
    const { statuses } = await two.data('GET', `/${mock}/counts`);
    expect(statuses).toEqual(
      expect.arrayContaining([
        { status: 400, count: 2 },
        { status: 409, count: 1 },
        { status: 415, count: 1 },
        { status: 422, count: 2 },
      ]),
    );
  });

  test('ids beside 2^53 never repeat, and a number that no double holds, or what is too deep, is refused', async () => {
    const values = [{ id: 1 }, { id: '2' }];
    const set = "{{storeSet 'set' 'users' '0' (body)}}";
    const step = { op: 'create', name: 'users', value: '{"id": {{body \'id\'}}}' };
    const count = "{{storeSet 'inc' 'counter' 'n'}}{{store 'counter' 'n'}}";
    const mock = await two.mock(
      [
        crud,
        { method: 'POST', path: '/set', responses: [{ templated: true, body: set }] },
        { method: 'POST', path: '/step', responses: [{ store: step }] },
        { method: 'GET', path: '/count', responses: [{ templated: true, body: count }] },
      ],
      {
        stores: [
          { name: 'users', value: values },
          { name: 'counter', value: { n: 2 ** 53 - 2 } },
          { name: 'drawn', value: '[{"id": 9007199254740993}]', templated: true },
        ],
      },
    );
    const deep = `{"id":7,"a":${'['.repeat(64)}${']'.repeat(64)}}`;
    for (const [method, path, body] of [
      ['POST', '/users', '{"id":9007199254740993}'],
      ['POST', '/users', '{"id":7,"b":["9007199254740993",-9007199254740992.5]}'],
      ['PUT', '/users', '[{"id":1e400}]'],
      ['PATCH', '/users', '[{"id":1,"ref":9.007199254740993e15}]'],
      ['PATCH', '/users/1', '{"ref":9007199254740993}'],
      ['POST', '/step', '{"id":9007199254740993}'],
      ['POST', '/set', '{"id":9007199254740993}'],
      ['POST', '/users', deep],
      ['POST', '/set', deep],
      ['POST', '/step', `{"id":${deep}}`],
    ] as const)
      expect((await two.ask(mock, path, { method, headers: JSON_TYPE, body })).status, `${method} ${body}`).toBe(422);
    expect(await stored(mock)).toEqual(values);
    expect((await two.data('GET', `${two.scope(mock)}/stores/drawn`)).value).toBeNull();
    expect(await json(mock, '/users', post({}))).toEqual({ status: 201, body: { id: 3 } });
    expect(await json(mock, '/users', post({ id: 2 ** 53 - 2 }))).toMatchObject({ status: 201 });
    expect(await json(mock, '/users', post({ price: 1 / 3 }))).toMatchObject({ body: { id: 2 ** 53 - 1 } });
    expect(await json(mock, '/users', post({}))).toEqual({
      status: 422,
      body: { message: 'no id can follow the highest id of "users", 9007199254740991: give the item an id' },
    });
    expect(await json(mock, '/users', post({ id: 1e300 }))).toMatchObject({ status: 201, body: { id: 1e300 } });
    expect(await stored(mock)).toHaveLength(6);
    const counts = [await two.ask(mock, '/count'), await two.ask(mock, '/count')];
    expect(counts.map(({ status }) => status)).toEqual([200, 422]);
    expect((await two.data('GET', `${two.scope(mock)}/stores/counter`)).value).toEqual({ n: 2 ** 53 - 1 });
  });

  test('templates read and write stores, and conditions look into them', async () => {
    const mock = await two.mock(
      [
        {
          method: 'POST',
          path: '/orders',
          responses: [
            {
              templated: true,
              status: 201,
              body: "{{storeSet 'push' 'orders' '' (body)}}{{storeSet 'inc' 'totals' 'count'}}{{globalSet 'last' (body 'what')}}{{store 'orders' 'length'}}",
            },
          ],
        },
        {
          method: 'GET',
          path: '/orders',
          responses: [
            {
              rules: [{ target: 'store', property: 'totals.count', operator: 'gte', value: '2' }],
              templated: 'json',
              body: "{\"orders\": {{store 'orders'}}, \"last\": {{global 'last'}}, \"whats\": {{store 'orders' '$[*].what'}}}",
            },
            { rules: [{ target: 'global', property: 'last', operator: 'equals', value: 'tea' }], body: 'tea' },
            { body: 'too few' },
          ],
        },
      ],
      {
        stores: [
          { name: 'orders', value: [] },
          { name: 'totals', value: { count: 0 } },
        ],
      },
    );
    expect((await two.ask(mock, '/orders')).text).toBe('too few');
    expect((await two.ask(mock, '/orders', post({ what: 'tea' }))).text).toBe('1');
    expect((await two.ask(mock, '/orders')).text).toBe('tea');
    expect((await two.ask(mock, '/orders', post({ what: 'milk' }))).text).toBe('2');
    expect(await json(mock, '/orders')).toEqual({
      status: 200,
      body: { orders: [{ what: 'tea' }, { what: 'milk' }], last: 'milk', whats: ['tea', 'milk'] },
    });
    const requests = await two.api('GET', `/${mock}/requests`);
    expect(requests.json.data.map(({ path, status }: { path: string; status: number }) => `${path} ${status}`)).toEqual(
      ['/orders 200', '/orders 201', '/orders 200', '/orders 201', '/orders 200'],
    );
  });

  test('a response with a step answers with its result', async () => {
    const mock = await two.mock(
      [
        {
          method: 'GET',
          path: '/find/:who',
          responses: [{ store: { op: 'get', name: 'users', id: "{{urlParam 'who'}}", missing: 410 } }],
        },
        {
          method: 'POST',
          path: '/sign-up',
          responses: [
            {
              status: 202,
              templated: 'json',
              store: { op: 'create', name: 'users', value: '{"name": {{body \'user.name\'}}}' },
              body: "{\"made\": {{objectPath (var 'result') 'id'}}}",
            },
          ],
        },
      ],
      { stores: [users] },
    );
    expect(await json(mock, '/find/2')).toEqual({ status: 200, body: USERS[1] });
    expect((await two.ask(mock, '/find/3')).status).toBe(410);
    expect(await json(mock, '/sign-up', post({ user: { name: 'Cem' } }))).toEqual({ status: 202, body: { made: 3 } });
    expect(await json(mock, '/find/3')).toEqual({ status: 200, body: { id: 3, name: 'Cem' } });
  });

  test('the API reads and sets stores, and a reset sets their first values', async () => {
    const mock = await two.mock([crud], { stores: [users, { name: 'flags', value: { on: true } }] });
    const at = `${two.scope(mock)}/stores`;
    expect(
      (await two.data('GET', at)).map(({ name, count }: { name: string; count: number }) => [name, count]),
    ).toEqual([
      ['users', 2],
      ['flags', 1],
    ]);
    const before = await two.data('GET', `${at}/users`);
    expect(await two.data('PUT', `${at}/users/3`, { value: { name: 'Cem' } })).toMatchObject({
      count: 3,
      value: { id: 3, name: 'Cem' },
    });
    expect(await json(mock, '/users/3')).toMatchObject({ status: 200 });
    const stale = await two.api('PUT', `${at}/users`, { value: [] }, { 'if-match': before.etag });
    expect(stale.status).toBe(412);
    await two.data('PATCH', `${at}/users/3`, { value: { name: 'Dea' } });
    expect(await json(mock, '/users/3')).toEqual({ status: 200, body: { id: 3, name: 'Dea' } });
    await two.data('PATCH', `${at}/flags`, { value: { off: 1 } });
    expect((await two.data('GET', `${at}/flags`)).value).toEqual({ on: true, off: 1 });
    await two.data('DELETE', `${at}/users/3`);
    expect((await two.ask(mock, '/users/3')).status).toBe(404);
    expect((await two.api('GET', `${at}/users/3`)).status).toBe(404);
    expect((await two.api('GET', `${at}/other`)).status).toBe(404);
    await two.data('PUT', `${at}/users`, { value: [{ id: 'a' }] });
    expect(await json(mock, '/users')).toEqual({ status: 200, body: [{ id: 'a' }] });
    expect((await two.data('DELETE', `${at}/users`)).value).toEqual(USERS);
    await two.ask(mock, '/users', post({ name: 'Cem' }));
    await two.api('DELETE', `/${mock}/requests`);
    expect(await stored(mock)).toEqual(USERS);
  });

  test('a store is bounded: beyond it the request gets 507, which is recorded, and nothing is changed', async () => {
    const mock = await two.mock(
      [
        crud,
        {
          method: 'POST',
          path: '/notes',
          responses: [{ templated: true, body: "{{storeSet 'push' 'notes' '' (body)}}ok" }],
        },
      ],
      {
        stores: [
          { name: 'users', value: Array.from({ length: 10_000 }, (_, id) => ({ id })) },
          { name: 'notes', value: [] },
        ],
      },
    );
    // reaches STORE_ITEMS_MAX
    const full = await two.ask(mock, '/users', post({}));
    expect([full.status, JSON.parse(full.text)]).toEqual([
      507,
      { message: 'the store "users" would have more than 10000 items' },
    ]);
    // reaches STORE_BYTES_MAX
    const note = { text: 'x'.repeat(1_500_000) };
    const statuses: number[] = [];
    for (let index = 0; index < 3; index++) statuses.push((await two.ask(mock, '/notes', post(note))).status);
    expect(statuses).toEqual([200, 200, 507]);
    const [last] = (await two.api('GET', `/${mock}/requests?limit=1`)).json.data;
    expect(last.status).toBe(507);
  });

  test('each of many posts at once gets an id of its own, and all come back', async () => {
    const mock = await two.mock([crud], { stores: [{ name: 'users', value: [] }] });
    const made = await Promise.all(Array.from({ length: 60 }, (_, index) => json(mock, '/users', post({ index }))));
    const ids = made.map(({ body }) => (body as { id: number }).id);
    expect(ids.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
    expect(await stored(mock)).toHaveLength(60);
    const { total } = await two.data('GET', `/${mock}/counts`);
    expect(total).toBe(60);
  });

  test('a dry run shows what would change, and changes nothing', async () => {
    const mock = await two.mock(
      [
        crud,
        {
          method: 'GET',
          path: '/hit',
          responses: [{ templated: true, body: "{{storeSet 'inc' 'totals' 'hits'}}{{store 'totals' 'hits'}}" }],
        },
      ],
      { stores: [users, { name: 'totals', value: { hits: 4 } }] },
    );
    await two.ask(mock, '/users/2', { method: 'DELETE' });
    await two.ask(mock, '/hit');
    const dry = (method: string, path: string, body?: unknown) =>
      two.data('POST', `/${mock}/try`, { method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const made = await dry('POST', '/users', { name: 'Cem' });
    expect(made.response).toMatchObject({ status: 201, body: '{"name":"Cem","id":2}' });
    // Without a host there is no origin to name.
    expect(made.response.headers).toContainEqual({ name: 'location', value: '/users/2' });
    expect(made.explanation.stores).toEqual([{ path: 'users.1', after: { id: 2, name: 'Cem' } }]);
    const hit = await dry('GET', '/hit');
    expect(hit.response.body).toBe('6');
    expect(hit.explanation.stores).toEqual([{ path: 'totals.hits', before: 5, after: 6 }]);
    const missing = await dry('GET', '/users/2');
    expect(missing.response.status).toBe(404);
    expect(missing.explanation.stores).toBe(undefined);
    expect(missing.route).toMatchObject({ params: { id: '2' } });
    expect(await json(mock, '/users')).toMatchObject({ body: [{ id: 1 }] });
    expect((await two.ask(mock, '/hit')).text).toBe('6');
  });

  test('streams and latency go with rules on stores', async () => {
    const mock = await two.mock(
      [
        {
          method: 'GET',
          path: '/feed',
          responses: [
            {
              rules: [{ target: 'store', property: 'flags.on', operator: 'equals', value: 'true' }],
              stream: { events: [{ data: 'one' }] },
            },
            { latency: 5, templated: true, body: "{{store 'flags' 'on'}}" },
          ],
        },
      ],
      { stores: [{ name: 'flags', value: { on: true } }] },
    );
    for (let index = 0; index < 3; index++) expect((await two.ask(mock, '/feed')).text).toBe('data: one\n\n');
    await two.data('PUT', `${two.scope(mock)}/stores/flags`, { value: { on: false } });
    for (let index = 0; index < 3; index++) expect((await two.ask(mock, '/feed')).text).toBe('false');
    const { total } = await two.data('GET', `/${mock}/counts`);
    expect(total).toBe(6);
  });
});

describe('sessions', async () => {
  const two = await TwoThreads.use();

  test('each has its own copy, and may begin with other values', async () => {
    const mock = await two.mock([crud], { stores: [users], seed: 7 });
    const names = ['one', 'two', 'three'];
    for (const id of names) {
      const stores = id === 'three' ? { users: [{ id: 5, name: 'Eve' }] } : undefined;
      await two.data('POST', `/${mock}/sessions`, { id, ...(stores && { stores }) });
    }
    const inSession = (session: string, path: string, ask = {}) =>
      two.ask(mock, path, { ...ask, headers: { ...JSON_TYPE, 'x-mock-session': session } });
    expect(JSON.parse((await inSession('three', '/users')).text)).toEqual([{ id: 5, name: 'Eve' }]);
    await inSession('one', '/users', { method: 'POST', body: '{"name":"only one"}' });
    await inSession('two', '/users/1', { method: 'DELETE' });
    await two.ask(mock, '/users', post({ name: 'base' }));
    const count = async (session: string) =>
      (JSON.parse((await inSession(session, '/users')).text) as unknown[]).length;
    expect([await count('one'), await count('two'), await count('three')]).toEqual([3, 1, 1]);
    expect(JSON.parse((await two.ask(mock, '/users')).text)).toHaveLength(3);
    await two.data('POST', `/${mock}/sessions/one/reset`);
    expect([await count('one'), await count('two')]).toEqual([2, 1]);
    await two.data('PUT', `/${mock}/sessions/two/overlay`, {
      settings: { stores: [{ name: 'users', value: [] }] },
    });
    expect(await count('two')).toBe(0);
  });

  test('fifty at once see their own items alone; metrics count them, and an end hands them back', async () => {
    const mock = await two.mock([crud], { stores: [users] });
    const figures = async (): Promise<readonly number[]> => {
      const text = await two.server.metrics();
      return ['items', 'bytes', 'requests', 'full'].map((name) =>
        Number(new RegExp(`^switchyard_mock_store_${name} (\\d+)$`, 'm').exec(text)?.[1]),
      );
    };
    const [items = 0, , requests = 0, refused = 0] = await figures();
    const suite = async (index: number) => {
      const { id } = await two.data('POST', `/${mock}/sessions`, {});
      const headers = { ...JSON_TYPE, 'x-mock-session': id as string };
      const own: object[] = [...USERS];
      for (let call = 0; call < 3; call++) {
        const made = await two.ask(mock, '/users', { method: 'POST', headers, body: JSON.stringify({ index, call }) });
        own.push(JSON.parse(made.text) as object);
      }
      expect(own.slice(2)).toEqual([0, 1, 2].map((call) => ({ index, call, id: call + 3 })));
      expect(JSON.parse((await two.ask(mock, '/users', { headers })).text)).toEqual(own);
      return { id: id as string, own };
    };
    const SUITES = 50;
    const suites = await Promise.all(Array.from({ length: SUITES }, (_, index) => suite(index)));
    const [allItems = 0, bytes = 0, allRequests = 0, full = 0] = await figures();
    expect([allItems - items, allRequests - requests, full - refused]).toEqual([5 * SUITES, 4 * SUITES, 0]);
    expect(bytes).toBeGreaterThan(0);
    for (const { id, own } of suites) {
      const end = await two.data('DELETE', `/${mock}/sessions/${id}?stores=true`);
      expect(end).toMatchObject({ counts: { total: 4 }, stores: { users: own }, globals: {} });
    }
    expect(JSON.parse((await two.ask(mock, '/users')).text)).toEqual(USERS);
    expect((await figures())[0]).toBe(items + 2);
  });

  test('a save, and a start, begin anew; a session goes on with what begins the same', async () => {
    const mock = await two.mock([crud], { stores: [users] });
    const session = (await two.data('POST', `/${mock}/sessions`, {})).id;
    const inSession = { 'x-mock-session': session };
    await two.ask(mock, '/users', post({ name: 'base' }));
    await two.ask(mock, '/users', { ...post({ name: 'own' }), headers: { ...JSON_TYPE, ...inSession } });
    await two.save(mock, [crud], { stores: [users], latency: 1 });
    expect(JSON.parse((await two.ask(mock, '/users')).text)).toHaveLength(2);
    expect(JSON.parse((await two.ask(mock, '/users', { headers: inSession })).text)).toHaveLength(3);
  });

  test('the same seed begins with the same data, and makes the same ids', async () => {
    const value = '[{"id": {{uuid}}, "name": {{faker \'person.firstName\'}}}]';
    const make = async () => {
      const mock = await two.mock([crud], { stores: [{ name: 'users', templated: 'json', value }], seed: 11 });
      const first = JSON.parse((await two.ask(mock, '/users')).text) as unknown;
      const made = JSON.parse((await two.ask(mock, '/users', post({ name: 'x' }))).text) as unknown;
      return [first, made];
    };
    const one = await make();
    expect(await make()).toEqual(one);
    expect(one[0]).toMatchObject([{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  });
});

describe('what is defined', async () => {
  const two = await TwoThreads.use();
  const refused = async (settings: object, routes: readonly object[] = [crud]) => {
    const { status, json } = await two.api('POST', '', { name: 'm', routes, settings });
    expect(status, JSON.stringify(json)).toBe(400);
    return json.details[0];
  };

  test('has bounds', async () => {
    // reaches STORES_MAX
    const many = Array.from({ length: 17 }, (_, index) => ({ name: `s${index}`, value: 1 }));
    expect(await refused({ stores: many })).toMatchObject({ path: '/settings/stores' });
    // reaches STORE_VALUE_BYTES_MAX
    expect(await refused({ stores: [{ name: 'users', value: 'x'.repeat(1_048_576) }] })).toEqual({
      path: '/settings/stores/0/value',
      message: 'must have at most 1048576 bytes as JSON',
    });
  });

  test('names its mistakes', async () => {
    expect(await refused({ stores: [users, users] })).toMatchObject({ message: '"users" is a duplicate' });
    expect(await refused({ stores: [{ name: 'a.b', value: 1 }] })).toMatchObject({ path: '/settings/stores/0/name' });
    expect(await refused({ stores: [{ name: 'users', value: [{ id: 1 }, { id: '1' }] }] })).toMatchObject({
      message: 'has several items with the id "1"',
    });
    expect(await refused({ stores: [{ name: 'users', templated: 'json', value: '{{#repeat 2}}' }] })).toMatchObject({
      path: '/settings/stores/0/value',
    });
    expect(await refused({}, [{ ...crud, store: undefined }])).toEqual({
      path: '/routes/0/store',
      message: 'is required by the kind crud',
    });
    for (const dialect of ['json-server-1', 'mocoon']) {
      expect(await refused({}, [{ ...crud, dialect }])).toEqual({
        path: '/routes/0/dialect',
        message: `expected one of rest, json-server, mockoon; got ${JSON.stringify(dialect)}`,
      });
    }
    expect(await refused({}, [{ ...crud, responses: [{ body: 'x' }] }])).toMatchObject({
      path: '/routes/0/responses/0/body',
    });
    expect(await refused({}, [{ method: 'GET', path: '/', store: 'users', responses: [{}] }])).toMatchObject({
      path: '/routes/0/store',
      message: 'is only for the kind crud',
    });
    const streaming = { templated: true, stream: { events: [{ data: "{{store 'users'}}" }] } };
    expect(await refused({}, [{ method: 'GET', path: '/', responses: [streaming] }])).toMatchObject({
      path: '/routes/0/responses/0/stream',
    });
  });

  test('warns of what looks like a mistake', async () => {
    const read = { method: 'GET', path: '/', responses: [{ templated: true, body: "{{store 'other'}}" }] };
    const { json } = await two.api('POST', '', {
      name: 'm',
      routes: [crud, read],
      settings: { stores: [users, { name: 'spare', value: 1 }] },
    });
    expect(json.warnings.map(({ warning }: { warning: string }) => warning)).toEqual([
      'names the store "other", which the settings lack',
      'have the store "spare", which no route uses',
    ]);
  });

  test('bounds items, too', async () => {
    const mock = await two.mock([crud], { stores: [users] });
    // reaches ITEM_ID_CHARS_MAX
    expect((await two.ask(mock, '/users', post({ id: 'x'.repeat(1_001) }))).status).toBe(422);
    // reaches STORE_DEPTH_MAX
    const deep = `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`;
    const answer = await two.ask(mock, '/users', { method: 'POST', headers: JSON_TYPE, body: deep });
    expect([answer.status, answer.text]).toEqual([
      422,
      '{"message":"the store \\"users\\" cannot store the value: it is nested more than 64 levels deep"}',
    ]);
  });
});

test('saves while items are posted in a session: none is lost or made twice', async () => {
  const two = await TwoThreads.use('of a session');
  const mock = await two.mock([crud], { stores: [users] });
  const over = new AbortController();
  const posting = Array.from({ length: 6 }, async () => {
    let made = 0;
    for (; !over.signal.aborted; made++) expect((await two.ask(mock, '/users', post({ name: 'x' }))).status).toBe(201);
    return made;
  });
  for (let save = 0; save < 8; save++) {
    await two.save(mock, [crud, { method: 'GET', path: `/s${save}`, responses: [{}] }], { stores: [users] });
  }
  over.abort();
  const made = (await Promise.all(posting)).reduce((sum, each) => sum + each, 0);
  const { text } = await two.ask(mock, '/users?limit=1000');
  expect((JSON.parse(text) as unknown[]).length - USERS.length).toBe(made);
});

test('a single thread answers at once, so that pipelined requests are answered in their order', async () => {
  const server = await TestServer.start(['--workers', '1', '--log-level', 'warn']);
  try {
    const key = await server.key('acme', 'ann');
    const made = await server.request('POST', '/v1/mocks', {
      key,
      body: { name: 'm', start: true, routes: [crud], settings: { stores: [users] } },
    });
    const head = (method: string, path: string): string =>
      `${method} /__mock/${made.json.data.id}${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n`;
    const body = '{"name":"Cem"}';
    const create = `${head('POST', '/users')}content-length: ${body.length}\r\n\r\n${body}`;
    const text = await untilClosed(server.mockPort, `${create}${head('GET', '/users/3')}connection: close\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
    expect(text).toContain(`location: http://127.0.0.1/__mock/${made.json.data.id}/users/3\r\n`);
  } finally {
    await server.end();
  }
});
