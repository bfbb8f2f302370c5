/** Requests that wait for another node hold no more than their owner's half of a thread's connections. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { newDatabase } from '../support/new-database.ts';
import { endAll, Running } from '../support/process.ts';
import { RawConnection, rawRequest } from '../support/raw-http.ts';
import { CLI, type TestServer } from '../support/server.ts';
import { askAt, SECRET, startNode } from './support/cluster.ts';
import { PostgresServer } from './support/postgres-server.ts';

const OPEN_FILES = 400;
/** Of these, 128 are reserved; half of the others, on two threads. */
const HELD = 136;

let postgres: PostgresServer;
let home: TestServer;
/** A node with a lower limit of open files. */
let otherPort: number;
beforeAll(async () => {
  postgres = await PostgresServer.shared();
  const store = await newDatabase(postgres.url());
  home = await startNode(store, 'n1');
  const internal = ['--node-id', 'n2', '--internal-listen', `127.0.0.1:${await freePort()}`];
  const args = ['serve', '--port', '0', '--mock-port', '0', '--workers', '2', '--store', store, ...internal];
  const limited = ['-c', `ulimit -n ${OPEN_FILES}; exec "$@"`, 'bash', process.execPath, CLI, ...args];
  const other = new Running('bash', limited, { env: SECRET });
  await other.ready();
  otherPort = Number(/mocks .*:(\d+)/.exec(other.stdout)?.[1]);
});
afterAll(async () => {
  await home.end('SIGKILL');
  await endAll();
});

test('what waits for another node counts in the half of its owner, and a stop of the mock ends it', async () => {
  const key = await home.key('acme');
  const routes = [
    { method: 'GET', path: '/', responses: [{ body: 'here' }] },
    { method: 'GET', path: '/hang', responses: [{ fault: { kind: 'hang' } }] },
  ];
  const made = await home.request('POST', '/v1/mocks', { key, body: { name: 'm', start: true, routes } });
  const id = made.json.data.id as string;
  expect((await askAt(home, id, '/')).text).toBe('here');
  const connections: RawConnection[] = [];
  for (let count = 0; count < 200; count++) {
    const connection = await RawConnection.open(otherPort);
    await connection.write(rawRequest(`GET /__mock/${id}/hang HTTP/1.1`, ['Host: x']));
    connections.push(connection);
  }
  const open = (): RawConnection[] => connections.filter(({ closed }) => !closed);
  await expect.poll(() => open().length, { timeout: 10_000 }).toBe(HELD);
  for (const connection of connections.filter(({ closed }) => closed)) {
    expect((await connection.answer()).json).toMatchObject({ message: 'Too many waiting replies' });
  }
  expect((await home.request('POST', `/v1/mocks/${id}/stop`, { key })).status).toBe(200);
  // Those that had not reached the home yet are answered that the mock is stopped.
  await Promise.all(open().map((connection) => connection.until(() => connection.rest.length > 0)));
  await Promise.all(connections.map((connection) => connection.close()));
  expect((await fetch(`http://127.0.0.1:${otherPort}/__mock/${id}/`)).status).toBe(503);
});
