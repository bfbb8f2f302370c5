/**
 * A `db.json` of json-server answers as it does there. The answers were compared with json-server 0.17.4, request by request: only the text of errors, and the type of an id that a path gives (there a text, here a number), are others.
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
  expect(await ask('DELETE', '/posts/1')).toEqual([200, {}]);
  expect(await ids('/comments')).toEqual([3]);
  expect(await ask('DELETE', '/posts')).toEqual([404, {}]);
  expect(await ask('PATCH', '/profile', { age: 3 })).toEqual([200, { name: 'typicode', age: 3 }]);
  expect(await ask('POST', '/profile', { y: 1 })).toEqual([201, { y: 1 }]);
});

test('of version 1 answers as 0.17, and the report says so of each route', async () => {
  const source = { $schema: './node_modules/json-server/schema.json', posts: [{ id: '1', views: 9 }], profile: {} };
  const { mocks, report } = await two.data('POST', '/import?format=json-server&start=true', source);
  expect(report.classes).toMatchObject([
    { code: 'json-server.version-1', level: 'approximated', count: 2, message: expect.stringContaining('`_per_page`') },
  ]);
  expect([report.entries, report.items.routes]).toEqual([[], { exact: 1, approximated: 2, dropped: 0 }]);
  const { routes } = await two.data('GET', `/${mocks[0].id}/staged`);
  expect(routes.map(({ path, dialect }: Record<string, unknown>) => [path, dialect])).toEqual([
    ['/posts', 'json-server'],
    ['/profile', 'json-server'],
    ['/db', undefined],
  ]);
  for (const [query, items] of [
    ['views_gte=9&_page=1&_limit=1', source.posts],
    ['views:gte=10&_per_page=0&_where={}', source.posts],
    ['views_gte=10', []],
  ] as const)
    expect([query, JSON.parse((await two.ask(mocks[0].id, `/posts?${query}`)).text)]).toEqual([query, items]);
});

test('reports what is no resource', () => {
  const found = imported(
    { posts: [{ id: 1 }, { id: 1 }], version: 3, 'a.b': [], big: Array.from({ length: 10_001 }, () => 1) },
    { format: 'json-server' },
  );
  expect(notesOf(found)).toEqual([
    'json-server.ids /posts',
    'json-server.value /version',
    'json-server.store /a.b',
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
    for (const { headers: got } of [preflight, reply]) expect(got['access-control-allow-origin']).toBe('*');
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
