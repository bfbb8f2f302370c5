/**
 * A `db.json` of json-server answers as it does there. The answers were compared with json-server 0.17.4 and 1.0.0-beta.15, request by
 * request. In 0.17 only the text of errors, and the type of an id that a path gives (there a text, here a number), are others.
 */
import { describe, expect, test } from 'vitest';
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

describe('of version 1', () => {
  const FIRST = {
    $schema: './node_modules/json-server/schema.json',
    posts: [
      { id: 1, title: 'One', author: { name: 'ann' }, views: 10, tags: ['a', 'b'], open: true },
      { id: 2, title: 'Two', author: { name: 'bob' }, views: 9, open: false },
      { id: 'x3', title: 'three', views: 100, note: null, code: '12' },
    ],
    comments: [
      { id: 1, body: 'first', postId: '1' },
      { id: 2, body: 'second', postId: '1' },
      { id: 3, body: 'third', postId: '2' },
    ],
    profile: { name: 'typicode' },
  };
  let made: string | undefined;
  const send = async (method: string, path: string, body?: object) => {
    made ??= (await two.data('POST', '/import?format=json-server&start=true', FIRST)).mocks[0].id as string;
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    return two.ask(made, path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const ask = async (method: string, path: string, body?: object): Promise<[number, unknown]> => {
    const { status, text } = await send(method, path, body);
    return [status, JSON.parse(text) as unknown];
  };
  const where = (condition: unknown): string => `_where=${encodeURIComponent(JSON.stringify(condition))}`;

  test.each<[query: string, ids: string]>([
    ['', '1 2 x3'],
    ['id=x3', 'x3'],
    ['id:in=x3,zz', 'x3'],
    // Values are read as JSON: this is the number 1.
    ['id=1', ''],
    ['views=10', '1'],
    ['views:gte=10', '1 x3'],
    ['views_gte=10', '1 x3'],
    ['views:lt=x', ''],
    ['views:gt=', '1 2 x3'],
    ['views=10&views=9', '2'],
    ['views:gte=10&views:lt=50', '1'],
    ['views:in=9,10', '1 2'],
    ['views:unknown=3', '1 2 x3'],
    ['title:gt=Three', '2 x3'],
    ['title:contains=T', '2 x3'],
    ['title:startsWith=t', '2 x3'],
    ['title:endsWith=O', '2'],
    ['title:in=One, Two', '1 2'],
    ['open=true', '1'],
    ['open:ne=true', '2'],
    ['note=null', 'x3'],
    ['code=12', ''],
    ['code:gte=12', 'x3'],
    ['tags=a', ''],
    ['tags:contains=a', ''],
    ['unknown=3', ''],
    ['unknown:ne=3', ''],
    ['q=ann', ''],
    // An item without the object passes, as it does there.
    ['author.name=ann', '1 x3'],
    ['author.name:ne=ann', '2 x3'],
    ['author=x', ''],
    ['_limit=1', ''],
    ['_per_page=1', '1 2 x3'],
    ['_page=x', '1 2 x3'],
    ['_sort=views', '2 1 x3'],
    ['_sort=-views', 'x3 1 2'],
    ['_sort=title', '1 x3 2'],
    ['_sort=-title', '2 x3 1'],
    ['_sort=author.name', '1 2 x3'],
    ['_sort=-author.name,views', 'x3 2 1'],
    [where({ or: [{ views: { gt: 50 } }, { author: { name: { lt: 'b' } } }] }), '1 x3'],
    [where({ views: { gt: 9, lt: 100 } }), '1'],
    [where({ title: 'One' }), ''],
    [where({ title: { x: 1 } }), '1 2 x3'],
    [where({ or: [] }), ''],
    [where([]), '1 2 x3'],
    [where({ id: { in: ['1'] } }), '1'],
    [where({ views: { in: 9 } }), '2'],
    [where({ or: [{ views: { eq: 9 } }], title: { startsWith: 't' } }), '2'],
    [`${where({ title: { contains: 'e' } })}&views=9`, '1 x3'],
    ['_where=no JSON&views=9', '2'],
    [where(Array.from({ length: 400 }).reduce<object>((inner) => ({ or: [inner] }), { views: { eq: 9 } })), '2'],
  ])('%s', async (query, ids) => {
    const [status, items] = await ask('GET', `/posts?${query.replaceAll(' ', '%20')}`);
    expect([status, (items as { id: string }[]).map(({ id }) => id).join(' ')]).toEqual([200, ids]);
  });

  test.each<[query: string, numbers: readonly unknown[], ids: string]>([
    ['_page=1&_per_page=2', [1, null, 2, 2, 2, 3], '1 2'],
    ['_page=2&_per_page=2', [1, 1, null, 2, 2, 3], 'x3'],
    ['_page=9&_per_page=2', [1, 1, null, 2, 2, 3], 'x3'],
    ['_page=-1', [1, null, null, 1, 1, 3], '1 2 x3'],
    ['_page=1&_per_page=0', [1, null, 2, 3, 3, 3], '1'],
    ['_page=1&_per_page=x', [1, null, null, 1, 1, 3], '1 2 x3'],
    ['_page=1&_per_page=1.5', [1, null, 2, 3, 3, 3], '1'],
    ['_page=1&views:gt=1000', [1, null, null, 1, 1, 0], ''],
  ])('%s', async (query, [first, prev, next, last, pages, items], ids) => {
    const reply = await send('GET', `/posts?${query}`);
    const { data, ...numbers } = JSON.parse(reply.text) as { data: { id: string }[] };
    expect(numbers).toEqual({ first, prev, next, last, pages, items });
    expect(data.map(({ id }) => id).join(' ')).toBe(ids);
    expect([reply.headers['x-total-count'], reply.headers.link]).toEqual([undefined, undefined]);
  });

  test('answers each request as json-server 1 does', async () => {
    const missing = [404, { error: 'Not Found' }];
    const [one] = FIRST.posts.map((post) => ({ ...post, id: String(post.id) }));
    const [first, second] = FIRST.comments.map((comment) => ({ ...comment, id: String(comment.id) }));
    expect(await ask('GET', '/posts/1')).toEqual([200, one]);
    expect(await ask('GET', '/posts/1?_embed=comments')).toEqual([200, { ...one, comments: [first, second] }]);
    expect(await ask('GET', '/comments/1?_embed=post')).toEqual([200, { ...first, post: one }]);
    for (const path of ['/posts/9', '/profile/1']) expect(await ask('GET', path)).toEqual(missing);
    for (const path of ['/db', '/posts/1/comments']) expect((await send('GET', path)).status).toBe(404);
    const [status, added] = await ask('POST', '/posts', { id: 'zz', title: 'Four' });
    expect([status, added]).toEqual([201, { id: expect.stringMatching(/^.{8,}$/), title: 'Four' }]);
    expect((added as { id: string }).id).not.toBe('zz');
    const invalid = [400, { error: 'Body must be a JSON object' }];
    expect(await ask('POST', '/posts', [])).toEqual(invalid);
    expect(await ask('PUT', '/posts/2', [])).toEqual(invalid);
    expect(await ask('POST', '/posts')).toEqual([201, { id: expect.any(String) }]);
    expect(await ask('PUT', '/posts/2', { id: 77, title: '2' })).toEqual([200, { id: '2', title: '2' }]);
    expect(await ask('PATCH', '/posts/2', { id: 5, views: 1 })).toEqual([200, { id: '2', title: '2', views: 1 }]);
    for (const method of ['PUT', 'PATCH']) expect(await ask(method, '/posts/9', {})).toEqual(missing);
    expect(await ask('PUT', '/posts', {})).toEqual(missing);
    expect(await ask('DELETE', '/posts')).toEqual(missing);
    expect(await ask('POST', '/profile', { x: 1 })).toEqual(missing);
    expect(await ask('DELETE', '/profile')).toEqual(missing);
    expect(await ask('PUT', '/profile', { y: 1 })).toEqual([200, { y: 1 }]);
    expect(await ask('PATCH', '/profile', { z: 1 })).toEqual([200, { y: 1, z: 1 }]);
    // What belonged to a removed item belongs to none, or goes along where that is asked for.
    expect(await ask('DELETE', '/posts/2')).toEqual([200, { id: '2', title: '2', views: 1 }]);
    expect(await ask('GET', '/comments/3')).toEqual([200, { id: '3', body: 'third', postId: null }]);
    expect(await ask('DELETE', '/posts/1?_dependent=comments')).toEqual([200, one]);
    expect(await ask('GET', '/comments')).toEqual([200, [{ id: '3', body: 'third', postId: null }]]);
    expect(await ask('DELETE', '/posts/1')).toEqual(missing);
  });
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
