/** The process's limit of open files: connections of mocks over it are closed, and new ones accepted when others close. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { endAll, Running } from '../support/process.ts';
import { RawConnection, rawRequest } from '../support/raw-http.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';
import { cpuSeconds } from '../support/vital-signs.ts';

afterAll(() => endAll());

// reaches DESCRIPTORS_RESERVED
test.each(['1', '2'])(
  'with %s workers, connections over what the limit of open files leaves are closed, and the rest is served',
  async (workers) => {
    const data = temporaryDirectory();
    const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
    const args = ['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--workers', workers, '--data', data];
    const server = new Running('bash', ['-c', 'ulimit -n 400; exec "$@"', 'bash', process.execPath, CLI, ...args]);
    const port = await server.ready();
    const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
    const created = await fetch(`http://127.0.0.1:${port}/v1/mocks`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'm', start: true }),
    });
    const { id } = ((await created.json()) as { data: { id: string } }).data;
    const asked = rawRequest(`GET /__mock/${id}/ HTTP/1.1`, ['Host: 127.0.0.1']);

    const connections: RawConnection[] = [];
    for (let count = 0; count < 600; count++) connections.push(await RawConnection.open(mockPort));
    const left = (): RawConnection[] => connections.filter(({ closed }) => !closed);
    await expect.poll(() => left().length, { timeout: 10_000 }).toBeLessThan(300);
    await sleep(200);
    const open = left();
    expect(open.length).toBeGreaterThan(200);
    for (const connection of open) await connection.write(asked);
    for (const connection of open) expect((await connection.answer()).status).toBe(200);

    const before = cpuSeconds(server.child.pid as number);
    await sleep(500);
    expect(cpuSeconds(server.child.pid as number) - before).toBeLessThan(0.3);

    await Promise.all(connections.map((connection) => connection.close()));
    await sleep(100);
    const again = await RawConnection.open(mockPort);
    await again.write(asked);
    expect((await again.answer()).status).toBe(200);
    await again.close();
    server.child.kill('SIGTERM');
    expect((await server.ended).status).toBe(0);
  },
  40_000,
);

test.each([
  ['hang', { fault: { kind: 'hang' } }],
  ['are late', { latency: 60_000 }],
  ['are sent over time', { body: 'x'.repeat(100), delivery: { chunks: 100, overMs: 600_000 } }],
])(
  'replies of one owner that %s hold half of the connections, and others are served; a stop, and clients that leave, make room',
  async (_name, response) => {
    const data = temporaryDirectory();
    const args = ['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--workers', '1', '--data', data];
    const server = new Running('bash', ['-c', 'ulimit -n 400; exec "$@"', 'bash', process.execPath, CLI, ...args]);
    const port = await server.ready();
    const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
    const owners = ['acme', 'other'];
    const keys = new Map<string, string>();
    for (const ownerId of owners)
      keys.set(ownerId, await createKey(data, { ownerId, userId: ownerId, role: 'editor' }));
    const post = async (ownerId: string, path: string, body: object): Promise<{ data: { id: string } }> => {
      const headers = { 'x-api-key': keys.get(ownerId) as string, 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${port}/v1/mocks${path}`;
      let answer: Response;
      // A new key is honoured within a second.
      do answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      while (answer.status === 401);
      return (await answer.json()) as { data: { id: string } };
    };
    const make = async (ownerId: string, responses: object): Promise<string> => {
      const routes = [{ method: 'GET', path: '/', responses: [responses] }];
      return (await post(ownerId, '', { name: 'm', start: true, routes })).data.id;
    };
    const holding = await make('acme', response);
    const other = await make('other', { body: 'here' });
    const askFor = (id: string): string => rawRequest(`GET /__mock/${id}/ HTTP/1.1`, ['Host: 127.0.0.1']);

    for (let round = 0; round < 3; round++) {
      const connections: RawConnection[] = [];
      for (let count = 0; count < 200; count++) {
        const connection = await RawConnection.open(mockPort);
        await connection.write(askFor(holding));
        connections.push(connection);
      }
      const open = (): number => connections.filter(({ closed }) => !closed).length;
      // Of 400 files, 128 are reserved: half of the others.
      await expect.poll(open, { timeout: 10_000 }).toBe(136);
      const beside = await RawConnection.open(mockPort);
      await beside.write(askFor(other));
      expect((await beside.answer()).body.toString()).toBe('here');
      if (round === 0) {
        await post('acme', `/${holding}/stop`, {});
        await post('acme', `/${holding}/start`, {});
      }
      await Promise.all([beside, ...connections].map((connection) => connection.close()));
    }
    server.child.kill('SIGTERM');
    expect((await server.ended).status).toBe(0);
  },
  30_000,
);

// Only there an address of the loopback network needs no set-up, and the kernel lists who is connected.
test.skipIf(process.platform !== 'linux').each([
  ['mock', '2', ''],
  ['mock', '2', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['mock', '1', rawRequest('GET / HTTP/1.1', ['Host: x'])],
  ['API', '1', ''],
])(
  'connections of one network leave room at the %s port, with %s workers, whatever they begin with: %j',
  async (plane, workers, begin) => {
    const args = [
      'serve',
      '--port',
      '0',
      '--mock-port',
      '0',
      '--no-gateway',
      '--workers',
      workers,
      '--data',
      temporaryDirectory(),
    ];
    const server = new Running('bash', ['-c', 'ulimit -n 400; exec "$@"', 'bash', process.execPath, CLI, ...args]);
    const api = (await server.ready()) as number;
    const port = plane === 'API' ? api : Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
    const held = new Set<Socket>();
    let isRepeated = false;
    const hold = (): Promise<void> =>
      new Promise((connected) => {
        const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
        held.add(socket);
        socket.on('connect', () => socket.write(begin, () => connected()));
        socket.on('error', () => connected());
        socket.on('close', () => {
          held.delete(socket);
          if (isRepeated) setTimeout(hold, 5);
        });
      });
    const expectRoom = async (): Promise<void> => {
      for (let count = 0; count < 20; count++) {
        const client = await RawConnection.open(port);
        await client.write(rawRequest('GET /healthz HTTP/1.1', ['Host: 127.0.0.1']));
        expect((await client.answer()).status).toBe(plane === 'API' ? 200 : 404);
        await client.close();
      }
    };
    // Those of a rush take the last descriptors until they are closed.
    for (const pauseMs of [0, 400, 1_500]) {
      await sleep(pauseMs);
      await Promise.all(Array.from({ length: 400 }, hold));
      await expectRoom();
    }
    isRepeated = true;
    void Promise.all(Array.from({ length: 300 }, hold));
    await sleep(1_000);
    await expectRoom();
    isRepeated = false;
    for (const socket of held) socket.destroy();
    server.child.kill('SIGTERM');
    expect((await server.ended).status).toBe(0);
  },
  30_000,
);
