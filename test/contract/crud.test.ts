/** Routes of the kind `crud`: lists with filters, search, order and pages, related items, precedence, faults, overlays. */
import { describe, expect, test } from 'vitest';
import { TwoThreads } from '../support/two-threads.ts';

const POSTS = Array.from({ length: 25 }, (_, index) => ({
  id: index + 1,
  title: `Post ${index + 1}`,
  likes: (index * 7) % 25,
  author: { name: index % 2 === 0 ? 'Ann' : 'Bob' },
  tags: index % 5 === 0 ? ['new', 'hot'] : ['old'],
  userId: (index % 3) + 1,
}));
const USERS = [
  { id: 1, name: 'Ann' },
  { id: 2, name: 'Bob' },
  { id: 3, name: 'Cem' },
];
const stores = [
  { name: 'posts', value: POSTS },
  { name: 'users', value: USERS, relations: { posts: 'userId' } },
];
const posts = { kind: 'crud', path: '/posts', store: 'posts' };
const users = { kind: 'crud', path: '/users', store: 'users' };
type Item = (typeof POSTS)[number];

describe('lists', async () => {
  const two = await TwoThreads.use();
  let made: string | undefined;
  const list = async (query: string) => {
    made ??= await two.mock([posts, users], { stores });
    const reply = await two.ask(made, `/posts${query}`);
    expect(reply.status).toBe(200);
    return { items: JSON.parse(reply.text) as Item[], headers: reply.headers };
  };
  const ids = async (query: string) => (await list(query)).items.map(({ id }) => id);
  const idsOf = (holds: (item: Item) => boolean) => POSTS.filter(holds).map(({ id }) => id);

  test.each<[string, (item: Item) => boolean]>([
    ['?id=3', ({ id }) => id === 3],
    ['?id=3&id=4', ({ id }) => id === 3 || id === 4],
    ['?id_in=3,4,x', ({ id }) => id === 3 || id === 4],
    ['?author.name=Ann', ({ author }) => author.name === 'Ann'],
    ['?author.name_ne=Ann', ({ author }) => author.name !== 'Ann'],
    ['?likes_gt=20', ({ likes }) => likes > 20],
    ['?likes_gte=20&likes_lt=22', ({ likes }) => likes >= 20 && likes < 22],
    ['?likes:lte=3', ({ likes }) => likes <= 3],
    ['?title_like=POST%201', ({ title }) => title.includes('Post 1')],
    ['?title_start=post%202', ({ title }) => title.startsWith('Post 2')],
    ['?title:endsWith=5', ({ title }) => title.endsWith('5')],
    ['?tags=hot', ({ tags }) => tags.includes('hot')],
    ['?q=bob', ({ author }) => author.name === 'Bob'],
    ['?search=Post%207&likes_gt=0', ({ title }) => title === 'Post 7'],
    ['?unknown=1&_=17', () => true],
    ['?likes_gt=x', ({ likes }) => String(likes) > 'x'],
  ])('%s', async (query, holds) => {
    expect(await ids(query)).toEqual(idsOf(holds));
  });

  test('are sorted by members, in both habits', async () => {
    const by = (compare: (one: Item, other: Item) => number) => POSTS.toSorted(compare).map(({ id }) => id);
    const down = by((one, other) => other.likes - one.likes);
    expect(await ids('?sort=-likes')).toEqual(down);
    expect(await ids('?_sort=likes&_order=desc')).toEqual(down);
    const nested = by((one, other) => one.author.name.localeCompare(other.author.name) || other.id - one.id);
    expect(await ids('?sort=author.name,-id')).toEqual(nested);
    expect(await ids('?_sort=author.name,id&_order=asc,desc')).toEqual(nested);
  });

  test('come in pages, with counts and links', async () => {
    const { items, headers } = await list('?_page=2&_limit=10&userId=1');
    expect(items).toEqual([]);
    expect(headers).toMatchObject({ 'x-total-count': '9', 'x-filtered-count': '9' });
    const page = await list('?page=2&per_page=10');
    expect(page.items.map(({ id }) => id)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    const base = `http://${made}.localhost:${two.server.mockPort}/posts`;
    expect(page.headers.link).toBe(
      [
        `<${base}?page=1&per_page=10>; rel="first"`,
        `<${base}?page=1&per_page=10>; rel="prev"`,
        `<${base}?page=3&per_page=10>; rel="next"`,
        `<${base}?page=3&per_page=10>; rel="last"`,
      ].join(', '),
    );
    expect(await ids('?_page=3')).toEqual([21, 22, 23, 24, 25]);
    expect(await ids('?_limit=2')).toEqual([1, 2]);
    expect(await ids('?_start=5&_end=7')).toEqual([6, 7]);
    expect(await ids('?_start=5&_limit=3')).toEqual([6, 7, 8]);
    expect(await ids('?offset=22')).toEqual([23, 24, 25]);
    expect((await list('')).headers).toMatchObject({ 'x-total-count': '25' });
  });

  test('have related items', async () => {
    const mock = made as string;
    const embedded = JSON.parse((await two.ask(mock, '/users/2?_embed=posts')).text) as { posts: Item[] };
    expect(embedded.posts).toEqual(POSTS.filter(({ userId }) => userId === 2));
    const expanded = JSON.parse((await two.ask(mock, '/posts?id=3&_expand=user')).text) as object[];
    expect(expanded).toEqual([{ ...POSTS[2], user: USERS[2] }]);
  });

  test('of ten thousand items with filters and a sort stay within the work of a request', async () => {
    const value = Array.from({ length: 10_000 }, (_, id) => ({ id, group: id % 10, text: `item ${id}` }));
    const mock = await two.mock([{ kind: 'crud', path: '/many', store: 'many' }], {
      stores: [{ name: 'many', value }],
    });
    const reply = await two.ask(mock, '/many?group=3&text_like=9&sort=-id&_limit=5');
    expect(JSON.parse(reply.text)).toEqual(
      value
        .filter(({ group, text }) => group === 3 && text.includes('9'))
        .toReversed()
        .slice(0, 5),
    );
    expect((await two.ask(mock, '/many/9999')).status).toBe(200);
    expect((await two.ask(mock, '/many')).status).toBe(200);
  });
});

describe('a large number is no other one', async () => {
  const two = await TwoThreads.use();
  test.each(['rest', 'json-server'])('%s', async (dialect) => {
    const items = {
      name: 'items',
      value: [
        { id: 'a', n: 2 ** 53 },
        { id: 'b', n: 5 },
      ],
    };
    const mock = await two.mock([{ kind: 'crud', path: '/items', store: 'items', dialect }], { stores: [items] });
    const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"n":9007199254740993}' };
    expect((await two.ask(mock, '/items', posted)).status).toBe(422);
    const found = async (query: string) =>
      (JSON.parse((await two.ask(mock, `/items?${query}`)).text) as { id: string }[]).map(({ id }) => id);
    expect(await found('n=9007199254740992')).toEqual(['a']);
    expect(await found('n=9007199254740993')).toEqual([]);
    expect(await found('n_gte=9007199254740993')).toEqual([]);
    expect(await found('n_lte=9007199254740993')).toEqual(['a', 'b']);
  });
});

describe('beside other routes', async () => {
  const two = await TwoThreads.use();
  const small = [{ name: 'users', value: USERS }];
  const own = (method: string, path: string, body: string, more: object = {}) => ({
    method,
    path,
    responses: [{ body, ...more }],
  });

  test('the more specific one answers, and of the same the first', async () => {
    const mock = await two.mock(
      [
        own('GET', '/users/me', 'me'),
        own('DELETE', '/users', 'no'),
        users,
        own('GET', '/users/:id', 'later'),
        own('ANY', '/*', 'rest'),
      ],
      { stores: small },
    );
    expect((await two.ask(mock, '/users/me')).text).toBe('me');
    expect((await two.ask(mock, '/users', { method: 'DELETE' })).text).toBe('no');
    expect(JSON.parse((await two.ask(mock, '/users/1')).text)).toEqual(USERS[0]);
    expect((await two.ask(mock, '/users/1', { method: 'POST' })).text).toBe('rest');
    expect((await two.ask(mock, '/users/1', { method: 'HEAD' })).text).toBe('');
    const diff = await two.data('GET', `/${mock}/staged/diff`);
    expect(diff.warnings.map(({ warning }: { warning: string }) => warning)).toEqual([
      expect.stringMatching(/^has DELETE \/users, which is shadowed by DELETE \/users \(/),
      expect.stringMatching(/^is shadowed by GET \/users\/:id \(/),
    ]);
  });

  test('further responses answer by their rules, and the last one gives headers, latency and faults', async () => {
    const responses = [
      {
        rules: [{ target: 'header', property: 'x-role', operator: 'equals', value: 'guest' }],
        status: 403,
        body: 'no',
      },
      {
        headers: [{ name: 'x-own', value: 'yes' }],
        latency: 1,
        fault: { kind: 'status', status: 503, first: 1 },
      },
    ];
    const mock = await two.mock([{ ...users, responses }], { stores: small });
    // A status in place of the answer: nothing is removed.
    expect((await two.ask(mock, '/users/1', { method: 'DELETE' })).status).toBe(503);
    const refused = await two.ask(mock, '/users', { method: 'DELETE', headers: { 'x-role': 'guest' } });
    expect([refused.status, refused.text]).toEqual([403, 'no']);
    const listed = await two.ask(mock, '/users');
    expect([listed.status, listed.headers['x-own'], JSON.parse(listed.text)]).toEqual([200, 'yes', USERS]);
  });

  test('a failure is answered by the response with its status, where the route has one', async () => {
    const missing = { status: 404, headers: [{ name: 'x-own', value: '1' }], body: 'nobody' };
    const mock = await two.mock([{ ...users, responses: [missing, {}] }], { stores: small });
    const reply = await two.ask(mock, '/users/9');
    expect([reply.status, reply.text, reply.headers['x-own']]).toEqual([404, 'nobody', '1']);
    expect((await two.ask(mock, '/users/1')).status).toBe(200);
    const { json } = await two.api('POST', '', {
      name: 'm',
      settings: { stores: small },
      routes: [{ ...users, responses: [{ ...missing, default: true }, {}] }],
    });
    expect(json.details).toEqual([
      { path: '/routes/0/responses/0/default', message: 'the last response of the kind crud must be the default' },
    ]);
  });

  test('a session changes, disables and adds such routes', async () => {
    const mock = await two.mock([users], { stores: small });
    const [{ id: routeId }] = (await two.data('GET', `/${mock}/staged`)).routes;
    const session = (
      await two.data('POST', `/${mock}/sessions`, {
        overlay: {
          responses: { [routeId]: { merge: { headers: [{ name: 'x-session', value: '1' }] } } },
          routes: [{ kind: 'crud', path: '/people', store: 'users' }],
        },
      })
    ).id;
    const ask = (path: string, more: object = {}) =>
      two.ask(mock, path, { headers: { 'x-mock-session': session, 'content-type': 'application/json' }, ...more });
    expect((await ask('/users/1')).headers['x-session']).toBe('1');
    expect((await ask('/users')).headers['x-session']).toBe('1');
    expect(JSON.parse((await ask('/people/2')).text)).toEqual(USERS[1]);
    expect((await ask('/people', { method: 'POST', body: '{"name":"Dea"}' })).status).toBe(201);
    expect(JSON.parse((await ask('/users/4')).text)).toEqual({ name: 'Dea', id: 4 });
    expect((await two.ask(mock, '/users/4')).status).toBe(404);
    await two.data('PUT', `/${mock}/sessions/${session}/overlay`, { disabled: [routeId] });
    expect((await ask('/users/1')).status).toBe(404);
  });

  test('removes what belongs to an item, where it is asked to', async () => {
    const mock = await two.mock([posts, users], { stores });
    await two.ask(mock, '/users/2?_dependent=posts', { method: 'DELETE' });
    const left = JSON.parse((await two.ask(mock, '/posts')).text) as Item[];
    expect(left).toEqual(POSTS.filter(({ userId }) => userId !== 2));
  });

  test('parameters of its path are members of the items', async () => {
    const nested = { kind: 'crud', path: '/users/:userId/posts', store: 'posts' };
    const mock = await two.mock([nested, users], { stores });
    const ids = async (path: string) => (JSON.parse((await two.ask(mock, path)).text) as Item[]).map(({ id }) => id);
    expect(await ids('/users/2/posts')).toEqual(POSTS.filter(({ userId }) => userId === 2).map(({ id }) => id));
    expect((await two.ask(mock, '/users/2/posts/2')).status).toBe(200);
    expect((await two.ask(mock, '/users/1/posts/2')).status).toBe(404);
    const made = await two.ask(mock, '/users/3/posts', { method: 'POST', body: '{"title":"new"}' });
    expect([made.status, JSON.parse(made.text)]).toEqual([201, { title: 'new', userId: 3, id: 26 }]);
  });

  test('a store that is an object is one resource', async () => {
    const mock = await two.mock([{ kind: 'crud', path: '/profile', store: 'profile' }], {
      stores: [{ name: 'profile', value: { name: 'Ann' } }],
    });
    const send = (method: string, body: string) =>
      two.ask(mock, '/profile', { method, headers: { 'content-type': 'application/json' }, body });
    expect((await send('PATCH', '{"age":3}')).text).toBe('{"name":"Ann","age":3}');
    expect((await send('PUT', '{"a":1}')).text).toBe('{"a":1}');
    expect((await two.ask(mock, '/profile')).text).toBe('{"a":1}');
    expect((await two.ask(mock, '/profile/1')).status).toBe(404);
  });
});

describe('operations of an OpenAPI document, bound to stores', async () => {
  const two = await TwoThreads.use();
  const json = (example: unknown) => ({ description: 'd', content: { 'application/json': { example } } });
  const error = json({ error: { code: 'not_found' } });
  const none = { description: 'd' };
  const document = {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/pets': {
        get: { responses: { 200: json([{ id: 7, name: 'Rex' }]) } },
        post: { responses: { 201: json({ id: 9, name: 'Tom' }), 422: error } },
        put: { responses: { 200: json({ id: 7, name: 'Rex' }) } },
      },
      '/pets/{petId}': {
        get: { responses: { 200: json({ id: 7, name: 'Rex' }), 404: error } },
        delete: { responses: { 204: none } },
      },
      '/orders': {
        get: { responses: { 200: json({ data: [{ orderNumber: 'A-1', total: 3 }], total: 1, next: null }) } },
        post: { responses: { 201: json({ data: { orderNumber: 'A-1', total: 3 } }) } },
      },
      '/orders/{orderNumber}': { patch: { responses: { 200: json({ data: { orderNumber: 'A-1', total: 3 } }) } } },
      '/users/{userId}/notes': {
        get: { responses: { 200: json([{ id: 1, user_id: 1, text: 'x' }]) } },
        post: { responses: { 201: json({ id: 1, user_id: 1, text: 'x' }) } },
      },
      '/login': { post: { responses: { 200: json({ token: 't' }) } } },
    },
  };
  const made = async (source: object, query = '') => {
    const { mocks, report } = await two.data('POST', `/import?crud=true&start=true${query}`, source);
    const mock = mocks[0].id as string;
    const ask = async (method: string, path: string, body?: object): Promise<[number, unknown]> => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const reply = await two.ask(mock, path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return [reply.status, reply.text === '' ? '' : (JSON.parse(reply.text) as unknown)];
    };
    return { mock, ask, report };
  };

  test('what was posted is listed, read, changed and deleted in the forms of the document', async () => {
    const { mock, ask, report } = await made(document);
    expect(await ask('POST', '/pets', { name: 'Ada' })).toEqual([201, { id: 10, name: 'Ada' }]);
    expect(await ask('GET', '/pets')).toEqual([
      200,
      [
        { id: 7, name: 'Rex' },
        { id: 9, name: 'Tom' },
        { name: 'Ada', id: 10 },
      ],
    ]);
    expect(await ask('GET', '/pets/10')).toEqual([200, { name: 'Ada', id: 10 }]);
    expect(await ask('PUT', '/pets', { id: 10, name: 'Eva' })).toEqual([200, { id: 10, name: 'Eva' }]);
    expect(await ask('DELETE', '/pets/10')).toEqual([204, '']);
    // A failure is answered by the response that the document has for it.
    expect(await ask('GET', '/pets/10')).toEqual([404, { error: { code: 'not_found' } }]);
    expect(await ask('POST', '/pets', [])).toEqual([422, { error: { code: 'not_found' } }]);
    expect(await ask('DELETE', '/pets/10')).toEqual([404, { message: '"pets" has no item "10"' }]);
    expect(await ask('POST', '/orders', { data: { orderNumber: 'A-2', total: 5 } })).toEqual([
      201,
      { data: { orderNumber: 'A-2', total: 5 } },
    ]);
    expect(await ask('PATCH', '/orders/A-2', { total: 6 })).toEqual([200, { data: { orderNumber: 'A-2', total: 6 } }]);
    expect(await ask('GET', '/orders')).toEqual([
      200,
      {
        data: [
          { orderNumber: 'A-1', total: 3 },
          { orderNumber: 'A-2', total: 6 },
        ],
        total: 2,
        next: null,
      },
    ]);
    expect(await ask('POST', '/users/2/notes', { text: 'mine' })).toEqual([201, { id: 2, text: 'mine', user_id: 2 }]);
    expect(await ask('GET', '/users/2/notes')).toEqual([200, [{ id: 2, text: 'mine', user_id: 2 }]]);
    expect(await ask('POST', '/login', {})).toEqual([200, { token: 't' }]);
    expect(report.entries).toEqual([]);
    const shown = await two.data('POST', `/${mock}/try`, { method: 'GET', path: '/pets/10' });
    expect(shown.response).toMatchObject({ status: 404, body: '{"error":{"code":"not_found"}}' });
    const { statuses } = await two.data('GET', `/${mock}/counts`);
    expect(statuses).toContainEqual({ status: 404, count: 2 });
  });

  test('says what is not bound, and why', async () => {
    const { report } = await made({
      ...document,
      paths: {
        '/things': {
          get: { responses: { 200: json([{ label: 'a' }]) } },
          post: { responses: { 201: none } },
          patch: { responses: { 200: json({ ok: true }) } },
        },
        '/shops/{shop}/things': { get: { responses: { 200: json([{ id: 1 }]) } }, post: { responses: { 201: none } } },
      },
    });
    expect(report.entries.map(({ code, name }: { code: string; name: string }) => `${code} ${name}`)).toEqual(
      expect.arrayContaining([
        'openapi.store-shape PATCH /things',
        'openapi.store-id GET /things',
        'openapi.store-parent GET /shops/{shop}/things',
      ]),
    );
    const nothing = await made({ ...document, paths: { '/login': document.paths['/login'] } });
    expect(nothing.report.entries.map(({ code }: { code: string }) => code)).toEqual(['openapi.no-store']);
  });

  test('begins with made-up items where it is asked to', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'string', format: 'uuid' }, name: { type: 'string' } },
    };
    const content = (of: object) => ({ description: 'd', content: { 'application/json': { schema: of } } });
    const { ask } = await made(
      {
        ...document,
        paths: {
          '/users': {
            get: { responses: { 200: content({ type: 'array', items: schema }) } },
            post: { responses: { 201: content(schema) } },
          },
          '/users/{id}': { get: { responses: { 200: content(schema) } } },
        },
      },
      '&faker=true',
    );
    const [, people] = (await ask('GET', '/users')) as [number, { id: string; name: string }[]];
    expect(people).toHaveLength(3);
    expect(await ask('GET', `/users/${people[1]?.id}`)).toEqual([200, people[1]]);
    const [status, added] = (await ask('POST', '/users', { name: 'Ada' })) as [number, { id: string }];
    expect([status, added.id]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });
});
