/** Lists end a page at 4 MB, with at least one record, and say where to go on; whole definitions are never cut. Over HTTP. */
import { describe, expect, test } from 'vitest';
import { PAGE_BYTES_MAX } from '../../src/limits.ts';
import { TestServer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server } = await useOwnServer(['--body-max', '16000000', '--name-max', '100000', '--log-level', 'warn']);

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly total: number;
  readonly nextOffset: number | null;
}

async function page(key: string, path: string): Promise<{ bytes: number; json: Page }> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { 'x-api-key': key } });
  expect(answer.status).toBe(200);
  const body = Buffer.from(await answer.arrayBuffer());
  return { bytes: body.length, json: JSON.parse(body.toString()) as Page };
}

/** @returns The ids of every page, and the bytes of each. */
async function walk(key: string, path: string, total: number): Promise<{ pages: string[][]; bytes: number[] }> {
  const pages: string[][] = [];
  const bytes: number[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { bytes: pageBytes, json } = await page(key, `${path}pageSize=75&offset=${offset}`);
    expect(json.total).toBe(total);
    expect(json.data.length).toBeGreaterThan(0);
    pages.push(json.data.map(({ id }) => id));
    bytes.push(pageBytes);
    offset = json.nextOffset;
  }
  return { pages, bytes };
}

async function make(key: string, resource: string, body: object): Promise<string> {
  const { status, json } = await server.request('POST', `/v1/${resource}`, { key, body });
  expect(status).toBe(200);
  return json.data.id;
}

const rule = (value: string): object => ({
  name: 'large',
  ruleType: 'Response',
  pairs: [{ type: 'static', value }],
});

describe('a page of rules', () => {
  // reaches PAGE_BYTES_MAX
  test('ends early at 4 MB of UTF-8, and whoever reads on gets all of them once', async () => {
    const key = await server.key('pages');
    // One, two and three bytes a character, and characters that JSON escapes.
    const values = [
      'v'.repeat(990_000),
      'é'.repeat(495_000),
      '漢'.repeat(330_000),
      '"'.repeat(450_000),
      'v漢'.repeat(9),
    ];
    const ids: string[] = [];
    for (let index = 0; index < 15; index++) {
      ids.push(await make(key, 'rules', rule(values[index % values.length] as string)));
    }
    for (const path of ['/v1/rules?', '/v1/rules?q=large&']) {
      const { pages, bytes } = await walk(key, path, ids.length);
      expect(pages.flat()).toEqual(ids);
      expect(pages.map(({ length }) => length)).toEqual([5, 5, 5]);
      for (const each of bytes) expect(each).toBeLessThanOrEqual(PAGE_BYTES_MAX);
    }
    const { json } = await page(key, '/v1/rules?pageSize=2&offset=1');
    expect(json).toMatchObject({ data: [{ id: ids[1] }, { id: ids[2] }], nextOffset: 3 });
    // What is read twice at a time is not mixed up.
    const both = await Promise.all([page(key, '/v1/rules?pageSize=75'), page(key, '/v1/rules?pageSize=75&offset=5')]);
    expect(both.map(({ json: { data } }) => data.map(({ id }) => id))).toEqual([ids.slice(0, 5), ids.slice(5, 10)]);
  });

  test('has a record that is larger than that by itself', async () => {
    const key = await server.key('records');
    const ids: string[] = [];
    for (const value of ['v', 'é'.repeat(3_000_000), 'v']) ids.push(await make(key, 'rules', rule(value)));
    const { pages, bytes } = await walk(key, '/v1/rules?', 3);
    expect(pages).toEqual(ids.map((id) => [id]));
    expect(bytes[1]).toBeGreaterThan(6_000_000);
  });
});

test('a rule of 15 MB can be read alone where memory is short, by itself and in a list', async () => {
  const { NODE_OPTIONS } = process.env;
  process.env.NODE_OPTIONS = '--max-old-space-size=120';
  const small = await TestServer.start(['--body-max', '16000000', '--workers', '1', '--log-level', 'warn']);
  if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = NODE_OPTIONS;
  const key = await small.key('acme');
  const made = await small.request('POST', '/v1/rules', { key, body: rule('v'.repeat(15_000_000)) });
  expect(made.status).toBe(200);
  for (const path of [`/v1/rules/${made.json.data.id}`, '/v1/rules', `/v1/rules/${made.json.data.id}`]) {
    const read = await small.request('GET', path, { key });
    expect(read.status, path).toBe(200);
    const { etag: _listed, ...data } = [read.json.data].flat()[0];
    expect(data).toEqual(made.json.data);
  }
  await small.end();
});

test.each(['groups', 'mocks'])('a page of %s ends early at 4 MB', async (resource) => {
  const key = await server.key(resource);
  const ids: string[] = [];
  for (let index = 0; index < 45; index++) ids.push(await make(key, resource, { name: 'é'.repeat(100_000) }));
  const { pages, bytes } = await walk(key, `/v1/${resource}?`, ids.length);
  expect(pages.flat()).toEqual(ids);
  expect(pages.map(({ length }) => length)).toEqual([19, 19, 7]);
  for (const each of bytes) expect(each).toBeLessThanOrEqual(PAGE_BYTES_MAX);
});

test('definitions and versions of 9 MB come whole, to many readers at once', async () => {
  const key = await server.key('definitions');
  const routes = Array.from({ length: 10 }, (_each, index) => ({
    method: 'GET',
    path: `/${index}`,
    responses: [{ body: String(index).repeat(900_000) }],
  }));
  const id = await make(key, 'mocks', { name: 'large', routes });
  const paths = ['staged', 'versions/1', 'staged', 'versions/1', 'staged/diff', 'counts'];
  const answers = await Promise.all(paths.map((path) => server.request('GET', `/v1/mocks/${id}/${path}`, { key })));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  for (const { json } of answers.slice(0, 4)) {
    expect(json.data.routes.map((each: (typeof routes)[0]) => each.responses[0]?.body)).toEqual(
      routes.map(({ responses }) => responses[0]?.body),
    );
  }
  const { json } = await server.request('GET', `/v1/mocks/${id}/versions/2`, { key });
  expect(json.message).toBe('Version not found');
}, 30_000);
