/**
 * A `db.json` of json-server answers as it does there. The answers were compared with json-server 0.17.4, request by request; only the
 * text of errors, and the type of an id that a path gives (there a text, here a number), are others.
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

test('is served from its file, and keeps what was posted while others of its resources are edited', async () => {
  const path = join(temporaryDirectory(), 'db.json');
  writeFileSync(path, JSON.stringify(DB));
  const server = await TestServer.start(['--workers', '2', '--log-level', 'warn', '--mock', path]);
  const ask = async (where: string, more: object = {}) => {
    const { status, text } = await askMock(server.mockPort, where, { mock: 'db', ...more });
    return [status, JSON.parse(text) as unknown];
  };
  const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"title":"Four"}' };
  expect(await ask('/posts', posted)).toEqual([201, { title: 'Four', id: 4 }]);
  writeFileSync(path, JSON.stringify({ ...DB, profile: { name: 'edited' } }));
  await expect.poll(() => ask('/profile'), { timeout: 20_000 }).toEqual([200, { name: 'edited' }]);
  expect(await ask('/posts/4')).toEqual([200, { title: 'Four', id: 4 }]);
  await server.end();
});
