/** Signing keys of several nodes: what one signs, the others verify; the keys lie in the database under seal. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import type { TestServer } from '../support/server.ts';
import { askAt, startNodes } from './support/cluster.ts';
import { PostgresServer } from './support/postgres-server.ts';

let postgres: PostgresServer;
let store: string;
let nodes: TestServer[];

beforeAll(async () => {
  postgres = await PostgresServer.shared();
  store = await newDatabase(postgres.url());
  nodes = await startNodes(store, 2, ['--workers', '1']);
});

afterAll(() => Promise.all(nodes.map((node) => node.end())));

test('mocks at different nodes sign with keys of one secret, whichever node makes them first', async () => {
  const [first, second] = nodes as [TestServer, TestServer];
  const key = await first.key('acme');
  const response = (body: string) => [{ responses: [{ templated: true, body }], method: 'GET', path: '/' }];
  const made = await Promise.all(
    nodes.map((node) =>
      node.request('POST', '/v1/mocks', {
        key,
        body: {
          name: 'm',
          start: true,
          settings: { signing: {} },
          routes: response("{{objectPath (jwks) 'keys.0.n'}}"),
        },
      }),
    ),
  );
  const moduli = await Promise.all(
    made.flatMap(({ json }) =>
      [first, second].map(async (node) => (await askAt(node, json.data.id as string, '/')).text),
    ),
  );
  expect(new Set(moduli).size).toBe(1);
  expect(moduli[0]).toMatch(/^[\w-]{300,}$/);
  const rows = await postgres.query<{ readonly sealed: Buffer }>(
    'select sealed from gateway_authority where number < 0',
    store.split('/').at(-1),
  );
  expect(rows).toHaveLength(1);
  expect(Buffer.from(rows[0]?.sealed ?? '').toString('latin1')).not.toMatch(/PRIVATE|BEGIN/);
});
