/** Imports that are too large or take too long, over HTTP. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IMPORT_BODY_BYTES_MAX } from '../../src/limits.ts';
import { TestServer, type Answer } from '../support/server.ts';

const ROUTE = { method: 'GET', path: '/payments/:id', responses: [{ id: 'found', bodyJson: { id: 7 } }] };
const FILE = { switchyard: 1, kind: 'mock', name: 'Payments', routes: [ROUTE] };

let server: TestServer;
let key: string;
beforeAll(async () => {
  const preload = pathToFileURL(resolve(import.meta.dirname, '../support/short-imports.mjs')).href;
  server = await TestServer.start(['--workers', '1'], undefined, { NODE_OPTIONS: `--import ${preload}` });
  key = await server.key('acme');
});
afterAll(() => server.end());

const send = (body: unknown) => server.request('POST', '/v1/mocks/import', { key, body });
const mockCount = async (): Promise<number> => (await server.request('GET', '/v1/mocks', { key })).json.total;

// reaches IMPORT_BODY_BYTES_MAX
test('a body of more than 20 MB is refused, and nothing is stored', async () => {
  const { status, json } = await send(' '.repeat(IMPORT_BODY_BYTES_MAX + 1));
  expect([status, json.details[0].message]).toEqual([
    413,
    expect.stringContaining(`more than ${IMPORT_BODY_BYTES_MAX} bytes`),
  ]);
  expect(await mockCount()).toBe(0);
});

test('a file that takes too long is refused at the limit; the API answers in the meantime, and the next file is read', async () => {
  const large = send({
    ...FILE,
    routes: Array.from({ length: 80_000 }, (_, index) => ({ ...ROUTE, path: `/a${index}` })),
  });
  let answer: Answer | undefined;
  let answered = 0;
  for (; answer === undefined; answered++) {
    expect(await mockCount()).toBe(0);
    answer = await Promise.race([large, Promise.resolve(undefined)]);
  }
  expect(answered).toBeGreaterThan(20);
  const { status, json } = answer;
  expect([status, json.details[0].message]).toEqual([400, expect.stringContaining('too complex')]);
  expect((await send(FILE)).status).toBe(200);
});
