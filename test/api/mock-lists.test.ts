/** Lists of mocks over HTTP: filters, order, pages; docs/mocks-fields.md, "Many mocks". */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const ids: string[] = [];

const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, { key, ...(body === undefined ? {} : { body }) });
const listed = async (query: string): Promise<string[]> => {
  const { status, json } = await send('GET', query);
  expect({ status, json }).toMatchObject({ status: 200 });
  return json.data.map(({ name }: { name: string }) => name);
};

beforeAll(async () => {
  const mocks = [
    { name: 'payments', start: true },
    { name: 'Search', description: 'finds Payments too' },
    { name: 'accounts', start: true },
    { name: 'Zürich' },
    { name: 'Accounts' },
  ];
  for (const body of mocks) ids.push((await send('POST', '', body)).json.data.id);
  // Changed last, and in this order.
  await send('POST', `/${ids[3]}/start`);
  await send('PUT', `/${ids[1]}`, { name: 'Search', description: 'finds Payments, too' });
  await send('PUT', `/${ids[0]}/staged`, { settings: { cors: false } });
  await send('POST', `/${ids[4]}/staged/routes`, { method: 'GET', path: '/x', responses: [{}] });
});

describe('a list of mocks', () => {
  test.each([
    ['?q=payments', ['payments', 'Search']],
    ['?q=Z%C3%9CRICH', ['Zürich']],
    ['?q=nothing', []],
    ['?state=running', ['payments', 'accounts', 'Zürich']],
    ['?state=stopped', ['Search', 'Accounts']],
    ['?unsaved=true', ['payments', 'Accounts']],
    ['?unsaved=false', ['Search', 'accounts', 'Zürich']],
    ['?state=running&unsaved=false&q=a', ['accounts']],
    ['?sort=name', ['accounts', 'Accounts', 'payments', 'Search', 'Zürich']],
    ['?sort=-name', ['Zürich', 'Search', 'payments', 'accounts', 'Accounts']],
    ['?sort=creationDate', ['payments', 'Search', 'accounts', 'Zürich', 'Accounts']],
    ['?sort=-creationDate', ['Accounts', 'Zürich', 'accounts', 'Search', 'payments']],
    ['?sort=modificationDate', ['payments', 'accounts', 'Accounts', 'Zürich', 'Search']],
    ['?sort=-modificationDate&state=running', ['Zürich', 'accounts', 'payments']],
    ['?sort=name&q=counts', ['accounts', 'Accounts']],
  ])('%s is %j', async (query, expected) => {
    expect(await listed(query)).toEqual(expected);
  });

  test.each(['', '&sort=-name', '&q=c&sort=name', '&state=running'])('page by page (%s) is the same', async (query) => {
    const all = await listed(`?pageSize=75${query}`);
    const seen: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { json }: Answer = await send('GET', `?pageSize=2&offset=${offset}${query}`);
      expect(json.total).toBe(all.length);
      seen.push(...json.data.map(({ name }: { name: string }) => name));
      offset = json.nextOffset;
    }
    expect(seen).toEqual(all);
  });

  test.each([
    ['state=on', 'state', 'expected one of running, stopped; got "on"'],
    ['unsaved=1', 'unsaved', 'expected one of true, false; got "1"'],
    [
      'sort=version',
      'sort',
      'expected one of creationDate, -creationDate, modificationDate, -modificationDate, name, -name; got "version"',
    ],
    ['State=running', 'State', 'is unknown: did you mean state?'],
  ])('?%s is refused with what would do', async (query, path, message) => {
    const { status, json } = await send('GET', `?${query}`);
    expect([status, json.details]).toEqual([400, [{ path, message }]]);
  });

  test('has no mocks of another owner, whatever is asked', async () => {
    const stranger = await server.key(newOwner());
    for (const query of ['', '?q=a', '?state=running', '?sort=name', '?unsaved=false']) {
      const { json } = await server.request('GET', `/v1/mocks${query}`, { key: stranger });
      expect([json.total, json.data]).toEqual([0, []]);
    }
  });
});
