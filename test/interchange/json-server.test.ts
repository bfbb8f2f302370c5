/**
 * A `db.json` of json-server answers as it does there. test/prove/oracles/json-server.ts asks both the same; here are the answers of json-server 0.17.4 as they are written down.
 */
import { expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askMock } from '../support/ask-mock.ts';
import { imported, notesOf } from '../support/imports.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';
import { TwoThreads } from '../support/two-threads.ts';

const DB = {
  posts: [
    { id: 1, title: 'One', author: { name: 'ann' }, views: 10, tags: ['a', 'b'] },
    { id: 2, title: 'Two', author: { name: 'bob' }, views: 9 },
    { id: 3, title: 'Three', views: 100 },
  ],
  comments: [
    { id: 1, body: 'first', postId: 1 },
    { id: 2, body: 'second', postId: 1 },
    { id: 3, body: 'third', postId: 2 },
  ],
  profile: { name: 'typicode' },
};
const two = await TwoThreads.use();

async function mockOfFile(): Promise<string> {
  const { mocks } = await two.data('POST', '/import?format=json-server&start=true', DB);
  return mocks[0].id;
}

test('answers each request as json-server does', async () => {
  const mock = await mockOfFile();
  const ask = async (method: string, path: string, body?: object) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const { status, text } = await two.ask(mock, path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return [status, JSON.parse(text) as unknown];
  };
  const ids = async (path: string) => ((await ask('GET', path))[1] as { id: number }[]).map(({ id }) => id);
  expect(await ask('GET', '/db')).toEqual([200, DB]);
  expect(await ask('GET', '/posts/9')).toEqual([404, {}]);
  for (const [query, expected] of [
    ['id=1&id=2', [1, 2]],
    ['author.name_ne=ann', [2]],
    ['views_gte=10', [1, 3]],
    ['title_gte=Three', [2, 3]],
    ['title_like=^t', [2, 3]],
    ['q=BOB', [2]],
    ['tags=a', []],
    ['tags=a,b', [1]],
    ['unknown=3', [1, 2, 3]],
    ['_sort=views&_order=desc', [3, 1, 2]],
    ['_sort=author.name,views&_order=desc,asc', [3, 2, 1]],
    ['_page=2&_limit=2', [3]],
    ['_start=1', [1, 2, 3]],
    ['_start=1&_limit=1', [2]],
    ['unknown_gte=3', []],
    ['author.name=null', []],
    ['title_ne=One&title_ne=Two', [3]],
    ['_sort=-views', [1, 2, 3]],
    ['_page=x&_limit=2', [1, 2]],
    ['_page=2&_limit=x', []],
    ['_limit=x', []],
    ['_start=-1&_end=9', [3]],
    ['author[name]=ann', []],
    ['q=0', [1, 3]],
  ] as const) {
    expect([query, await ids(`/posts?${query}`)]).toEqual([query, expected]);
  }
  const page = await two.ask(mock, '/posts?_page=1&_limit=2');
  expect(page.headers['x-total-count']).toBe('3');
  expect(String(page.headers.link).match(/rel="\w+"/g)).toEqual(['rel="first"', 'rel="next"', 'rel="last"']);
  expect((await two.ask(mock, '/posts')).headers['x-total-count']).toBe(undefined);
  expect(await ask('GET', '/comments/3?_expand=post')).toEqual([200, { ...DB.comments[2], post: DB.posts[1] }]);
  expect(await ids('/posts/1/comments')).toEqual([1, 2]);
  expect(await ask('POST', '/posts', { title: 'Four' })).toEqual([201, { title: 'Four', id: 4 }]);
  expect(await ask('POST', '/posts', { id: 'abc' })).toEqual([201, { id: 'abc' }]);
  expect(await ask('POST', '/posts', {})).toEqual([201, { id: 5 }]);
  expect((await ask('POST', '/posts', { id: 4 }))[0]).toBe(500);
  expect(await ask('PUT', '/posts/4', { id: 77, title: '4' })).toEqual([200, { id: 4, title: '4' }]);
  expect(await ask('PATCH', '/posts/99', {})).toEqual([404, {}]);
  expect(await ask('POST', '/posts/2/comments', { body: 'below' })).toEqual([
    201,
    { body: 'below', postId: '2', id: 4 },
  ]);
  expect(await ask('GET', '/posts/2/comments?_limit=1')).toEqual([200, [DB.comments[2]]]);
  expect(await ask('GET', '/nothing/2/posts?_limit=1')).toEqual([200, [DB.posts[0]]]);
  expect(await ask('DELETE', '/comments/4')).toEqual([200, {}]);
  expect((await ask('GET', '/posts?_sort=views&_sort=id'))[0]).toBe(500);
  expect((await ask('GET', '/posts?title_like=('))[0]).toBe(500);
  expect(await ask('DELETE', '/posts/1')).toEqual([200, {}]);
  expect(await ids('/comments')).toEqual([3]);
  expect(await ask('DELETE', '/posts')).toEqual([404, {}]);
  expect(await ask('DELETE', '/profile')).toEqual([404, {}]);
  expect(await ask('PATCH', '/profile', { age: 3 })).toEqual([200, { name: 'typicode', age: 3 }]);
  expect(await ask('POST', '/profile', { y: 1 })).toEqual([201, { y: 1 }]);
  expect(await ask('POST', '/posts', { id: true, title: 'of true' })).toEqual([201, { id: true, title: 'of true' }]);
  expect(await ask('POST', '/comments', [{ body: 'of a list' }])).toEqual([201, [{ body: 'of a list' }]]);
  expect(await ask('POST', '/comments', { postId: 2 })).toEqual([201, { postId: 2, id: 5 }]);
});

test('of version 1 answers as 0.17, and the report says so of each route', async () => {
  const posts = [{ id: 1, views: 9 }];
  const source = { $schema: './node_modules/json-server/schema.json', posts, имена: [], profile: {} };
  const { mocks, report } = await two.data('POST', '/import?format=json-server&start=true', source);
  expect(report.classes).toMatchObject([
    { code: 'json-server.version-1', level: 'approximated', count: 3, message: expect.stringContaining('`_per_page`') },
  ]);
  expect([report.entries, report.items.routes]).toEqual([[], { exact: 0, approximated: 3, dropped: 0 }]);
  const { routes } = await two.data('GET', `/${mocks[0].id}/staged`);
  expect(routes.map(({ path, dialect }: Record<string, unknown>) => [path, dialect])).toEqual([
    ['/posts', 'json-server'],
    ['/%D0%B8%D0%BC%D0%B5%D0%BD%D0%B0', 'json-server'],
    ['/profile', 'json-server'],
  ]);
  const texts = [{ id: '1', views: 9 }];
  for (const [query, items] of [
    ['views_gte=9&_page=1&_limit=1', texts],
    ['views:gte=10&_per_page=0&_where={}', texts],
    ['views_gte=10', []],
  ] as const)
    expect([query, JSON.parse((await two.ask(mocks[0].id, `/posts?${query}`)).text)]).toEqual([query, items]);
});

test('a callback gets what is answered', async () => {
  const mock = await mockOfFile();
  const typed = { 'content-type': 'text/javascript; charset=utf-8', 'x-content-type-options': 'nosniff' };
  for (const [path, json] of [
    ['/profile?callback=a.b[0](', '{"name":"typicode"}'],
    ['/posts/9?callback=a.b[0]', '{}'],
  ] as const) {
    const { text, headers } = await two.ask(mock, path);
    expect([text, headers]).toMatchObject([`/**/ typeof a.b[0] === 'function' && a.b[0](${json});`, typed]);
  }
  expect((await two.ask(mock, '/db?callback=f')).text).toBe(
    `/**/ typeof f === 'function' && f(${(await two.ask(mock, '/db')).text});`,
  );
});

test('a routes.json beside it has resources below a path, and its other rules are reported', async () => {
  const rules = { '/api/v1/*': '/$1', '/:resource/:id/show': '/:resource/:id' };
  const files = [
    { path: 'db.json', text: JSON.stringify(DB) },
    { path: 'routes.json', text: JSON.stringify(rules) },
  ];
  const { mocks, report } = await two.data('POST', '/import?start=true', { files, entry: 'db.json' });
  expect(report.entries).toMatchObject([{ code: 'json-server.rewrite', name: '/:resource/:id/show' }]);
  for (const path of ['/posts/2', '/api/v1/posts/2'])
    expect(JSON.parse((await two.ask(mocks[0].id, path)).text)).toEqual(DB.posts[1]);
  expect(JSON.parse((await two.ask(mocks[0].id, '/api/v1/posts/2/comments')).text)).toEqual([DB.comments[2]]);
});

test('removes what refers to no item, and ends a request that a null stops', async () => {
  const comments = [
    { id: 1, postId: 9 },
    { id: 2, postId: 1 },
    { id: 3, postId: null },
  ];
  for (const [source, status, left] of [
    [{ posts: [{ id: 1 }], comments: comments.slice(0, 2) }, 404, [2]],
    [{ posts: [{ id: 1 }], comments }, 500, [1, 2, 3]],
  ] as const) {
    const { mocks } = await two.data('POST', '/import?format=json-server&start=true', source);
    expect((await two.ask(mocks[0].id, '/posts/7', { method: 'DELETE' })).status).toBe(status);
    const { text } = await two.ask(mocks[0].id, '/comments');
    expect((JSON.parse(text) as { id: number }[]).map(({ id }) => id)).toEqual(left);
  }
});

test('reports what is no resource', () => {
  const found = imported(
    {
      posts: [{ id: 1 }, { id: 1 }],
      version: 3,
      'a.b': [],
      a_b: [],
      книги: [],
      big: Array.from({ length: 10_001 }, () => 1),
    },
    { format: 'json-server' },
  );
  expect(notesOf(found)).toEqual([
    'json-server.ids /posts',
    'json-server.value /version',
    'json-server.store /a_b',
    'json-server.name /книги',
    'json-server.store /big',
  ]);
});

test('is recognised by the name of the file alone', () => {
  expect(imported(DB, { fileName: 'db.json' }).report.format).toBe('json-server');
  expect(() => imported(DB, { fileName: 'data.json' })).toThrow('unknown format');
});

/** The requests of ra-data-json-server and @refinedev/simple-rest, from a page of another origin. */
async function runFrontEnd(port: number): Promise<void> {
  const origin = { origin: 'http://localhost:5173' };
  const ask = async (method: string, path: string, body?: object) => {
    const headers: Record<string, string> = {
      ...origin,
      accept: 'application/json',
      'content-type': 'application/json',
    };
    // What a browser asks before it sends these.
    const preflight = await askMock(port, path, {
      mock: 'db',
      method: 'OPTIONS',
      headers: { ...origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
    });
    expect([200, 204]).toContain(preflight.status);
    expect(listed(preflight.headers['access-control-allow-methods'])).toContain(method.toLowerCase());
    expect(listed(preflight.headers['access-control-allow-headers'])).toContain('content-type');
    const reply = await askMock(port, path, {
      mock: 'db',
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const { headers: got } of [preflight, reply])
      expect(['*', origin.origin]).toContain(got['access-control-allow-origin']);
    const isRead = (name: string) => listed(reply.headers['access-control-expose-headers']).includes(name);
    const total = isRead('*') || isRead('x-total-count') ? reply.headers['x-total-count'] : undefined;
    return { status: reply.status, data: JSON.parse(reply.text) as unknown, total };
  };
  const [one, second, third] = DB.posts;
  const first = await ask('GET', '/posts?_sort=title&_order=ASC&_start=0&_end=2');
  expect(first).toEqual({ status: 200, data: [one, third], total: '3' });
  expect(await ask('GET', '/posts?_start=2&_end=4&_sort=title,id&_order=desc,asc')).toMatchObject({
    data: [one],
    total: '3',
  });
  expect(await ask('GET', '/posts?title_like=t&views_gte=50&_start=0&_end=10')).toMatchObject({
    data: [third],
    total: '1',
  });
  expect((await ask('GET', '/posts?id=1&id=2')).data).toEqual([one, second]);
  const related = await ask('GET', '/comments?postId=1&_sort=id&_order=DESC&_start=0&_end=1');
  expect(related).toEqual({ status: 200, data: [DB.comments[1]], total: '2' });
  expect((await ask('GET', '/posts/1')).data).toEqual(one);
  expect(await ask('POST', '/comments', { body: 'new', postId: 3 })).toMatchObject({ status: 201, data: { id: 4 } });
  expect((await ask('PUT', '/comments/4', { id: 4, body: 'put', postId: 3 })).data).toEqual({
    id: 4,
    body: 'put',
    postId: 3,
  });
  expect((await ask('PATCH', '/comments/4', { body: 'patched' })).data).toMatchObject({ body: 'patched', postId: 3 });
  expect((await ask('DELETE', '/comments/4')).status).toBe(200);
  expect((await ask('GET', '/comments/4')).status).toBe(404);
}

function listed(header: unknown): string[] {
  return String(header).toLowerCase().split(/, */);
}

test('is served from its file, and keeps what was posted while others of its resources are edited', async () => {
  const path = join(temporaryDirectory(), 'db.json');
  writeFileSync(path, JSON.stringify(DB));
  const server = await TestServer.start(['--workers', '2', '--log-level', 'warn', '--mock', path]);
  const ask = async (where: string, more: object = {}) => {
    const { status, text } = await askMock(server.mockPort, where, { mock: 'db', ...more });
    return [status, JSON.parse(text) as unknown];
  };
  await runFrontEnd(server.mockPort);
  const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"Four"}' };
  expect(await ask('/posts', posted)).toEqual([201, { title: 'Four', id: 4 }]);
  writeFileSync(path, JSON.stringify({ ...DB, profile: { name: 'edited' } }));
  await expect.poll(() => ask('/profile'), { timeout: 20_000 }).toEqual([200, { name: 'edited' }]);
  expect(await ask('/posts/4')).toEqual([200, { title: 'Four', id: 4 }]);
  await server.end();
});
