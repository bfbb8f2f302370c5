/** How a server stops: it finishes requests in flight, refuses new ones, and leaves nothing but the store. */
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';

const STORE_FILES = ['switchyard.mdb', 'switchyard.mdb-lock'];

let server: TestServer;
afterEach(async () => {
  await server.end('SIGKILL');
  await endAll();
});

/** Whether a disk that hangs can be had. */
const canTrace = process.getuid?.() === 0 && spawnSync('strace', ['--version']).error === undefined;

function rule(name: string): Record<string, unknown> {
  return { name, ruleType: 'Cancel', pairs: [{ source: { key: 'Url', operator: 'Contains', value: name } }] };
}

/** What the stopped server has left of an owner on the disk, as the next start reads it. */
async function storedNames(ownerId: string): Promise<string[]> {
  const store = LmdbStore.open(server.data);
  const { rules } = (await store.loadOwner(ownerId)).state;
  await store.close();
  return [...rules.ordered()].map(({ name }) => name);
}

/** A connection that shows what has come back on it. */
class Connection {
  received = '';
  closed = false;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.closed = true));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)));
      socket.on('error', reject);
    });
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** One request, and the answer to it. */
  async ask(text: string): Promise<string> {
    this.received = '';
    this.write(text);
    await eventually(() => this.closed || /\r\n\r\n[^]*\}$/.test(this.received));
    return this.received;
  }
}

/** A POST in two parts: the server waits for the second. */
function halves(key: string, payload: Record<string, unknown>): [string, string] {
  const body = JSON.stringify(payload);
  const head = `POST /v1/rules HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return [head + body.slice(0, 10), body.slice(10)];
}

test.each([
  ['SIGTERM', 120],
  ['SIGINT', 40],
] as const)(
  '%s under load exits with 0; what was answered is stored, what was not has had no effect',
  async (signal, writerCount) => {
    server = await TestServer.start(['--no-bootstrap', '--log-level', 'warn']);
    const owners = ['a', 'b', 'c', 'd'];
    const keys = await Promise.all(owners.map((owner) => server.key(owner)));
    const answered: string[][] = keys.map(() => []);
    const lost: string[][] = keys.map(() => []);
    const lastStatuses: number[] = [];

    let count = 0;
    const writers = Array.from({ length: writerCount }, async (_, index) => {
      const owner = index % keys.length;
      for (let turn = 0; ; turn++) {
        const name = `w${index}-${turn}`;
        try {
          const { status, headers } = await server.request('POST', '/v1/rules', {
            key: keys[owner],
            body: rule(name),
          });
          if (status === 200) {
            answered[owner]?.push(name);
            count++;
            continue;
          }
          if (status === 503) expect(headers.get('retry-after')).toMatch(/^\d+$/);
          lastStatuses.push(status);
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
        }
        lost[owner]?.push(name);
        return;
      }
    });
    expect(await eventually(() => count > writerCount * 2, 20_000)).toBe(true);
    const ending = server.end(signal);
    await Promise.all(writers);
    expect(await ending).toBe(0);
    expect(server.stderr).toBe('');
    expect(lastStatuses.filter((status) => status !== 503)).toEqual([]);
    expect(readdirSync(server.data).toSorted()).toEqual(STORE_FILES);

    for (const [owner, ownerId] of owners.entries()) {
      const stored = await storedNames(ownerId);
      expect(stored.toSorted()).toEqual(answered[owner]?.toSorted());
      expect(lost[owner]?.filter((name) => stored.includes(name))).toEqual([]);
    }
  },
);

test('a stop waits for a request in flight; meanwhile new ones are refused with 503 and Retry-After', async () => {
  server = await TestServer.start(['--no-bootstrap']);
  const key = await server.key('o');
  const [first, second] = halves(key, rule('slow'));
  const slow = await Connection.open(server.port);
  const idle = await Connection.open(server.port);
  const read = `GET /v1/rules HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`;
  expect(await idle.ask(read)).toMatch(/^HTTP\/1\.1 200 /);
  slow.write(first);
  await sleep(100);

  const ending = server.end('SIGTERM');
  // From now on nobody can connect; who is connected is refused.
  expect(
    await eventually(() =>
      Connection.open(server.port).then(
        () => false,
        () => true,
      ),
    ),
  ).toBe(true);
  const refused = await idle.ask(read);
  expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused).toMatch(/\r\nretry-after: \d+\r\n/);
  expect(refused).toContain('{"success":false,"message":"Service draining"}');
  expect(await eventually(() => idle.closed)).toBe(true);
  expect(slow.closed).toBe(false);

  expect(await slow.ask(second)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ending).toBe(0);
  expect(await storedNames('o')).toEqual(['slow']);
});

test('the last request in flight gets its answer, also when it is refused at once', async () => {
  server = await TestServer.start(['--no-bootstrap']);
  const key = await server.key('o');
  // The owner is in memory, so that the refusal waits for nothing.
  expect((await server.request('GET', '/v1/rules', { key })).status).toBe(200);
  const [first, second] = halves(key, { ...rule('slow'), name: 1 });
  const slow = await Connection.open(server.port);
  slow.write(first);
  await sleep(100);
  const ending = server.end('SIGTERM');
  await sleep(200);
  expect(await slow.ask(second)).toMatch(/^HTTP\/1\.1 400 /);
  expect(await ending).toBe(0);
});

// reaches BACKPRESSURE_BYTES
test('an answer that its client is still reading is sent to its end', async () => {
  server = await TestServer.start(['--no-bootstrap', '--log-level', 'warn']);
  const key = await server.key('o');
  const routes = Array.from({ length: 10 }, (_each, index) => ({
    method: 'GET',
    path: `/${index}`,
    responses: [{ body: 'b'.repeat(950_000) }],
  }));
  const made = await server.request('POST', '/v1/mocks', { key, body: { name: 'large', routes } });
  expect(made.status).toBe(200);
  const socket = connect(server.port, '127.0.0.1');
  socket.write(`GET /v1/mocks/${made.json.data.id}/staged HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n\r\n`);
  let head = '';
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    if (head === '') {
      head = chunk.toString('latin1').split('\r\n\r\n')[0] as string;
      // The rest stays with the server until it has been asked to stop.
      socket.pause();
    }
    bytes += chunk.length;
  });
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => undefined));
  expect(await eventually(() => head !== '')).toBe(true);
  await sleep(200);
  const ending = server.end('SIGTERM');
  await sleep(200);
  socket.resume();
  await closed;
  const contentBytes = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
  expect(contentBytes).toBeGreaterThan(9_000_000);
  expect(bytes - head.length - 4).toBe(contentBytes);
  expect(await ending).toBe(0);
});

test.each([
  ['SIGTERM', 'SIGTERM'],
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGINT'],
] as const)('%s and then %s ends it at once, with an error, and loses nothing', async (signal, again) => {
  server = await TestServer.start(['--no-bootstrap']);
  const key = await server.key('o');
  expect((await server.request('POST', '/v1/rules', { key, body: rule('answered') })).status).toBe(200);
  const slow = await Connection.open(server.port);
  slow.write(halves(key, rule('slow'))[0]);
  await sleep(100);
  process.kill(server.pid, signal);
  // The same signal, as npm passes it on to a group that has got it: it ends nothing.
  process.kill(server.pid, signal);
  await sleep(500);
  expect(server.isRunning).toBe(true);
  const asked = performance.now();
  expect(await server.end(again)).toBe(1);
  expect(performance.now() - asked).toBeLessThan(1_000);
  expect(await storedNames('o')).toEqual(['answered']);
});

test.skipIf(!canTrace)(
  'a second signal ends the server at once, also while a commit waits for a disk that hangs',
  async () => {
    server = await TestServer.start(['--no-bootstrap']);
    const key = await server.key('o');
    expect((await server.request('POST', '/v1/rules', { key, body: rule('answered') })).status).toBe(200);
    const what = ['-e', 'trace=fdatasync', '-e', 'inject=fdatasync:delay_enter=25000000'];
    const file = join(server.data, 'switchyard.mdb');
    const strace = new Running('strace', ['-f', '-o', '/dev/null', ...what, '-P', file, '-p', String(server.pid)]);
    expect(await eventually(() => strace.stderr.includes('attached'), 10_000)).toBe(true);
    const hanging = server.request('POST', '/v1/rules', { key, body: rule('hanging') }).catch(() => undefined);
    await sleep(500);
    process.kill(server.pid, 'SIGTERM');
    await sleep(500);
    const ending = server.end('SIGTERM');
    await sleep(1_000);
    // What delays a thread also holds it when it is killed: the end is seen once that is gone. An exit would have had its own status.
    await endAll();
    expect(await ending).toBe('SIGKILL');
    await hanging;
    expect(server.stdout).toContain('stopping');
    await server.start();
    const { json } = await server.request('GET', '/v1/rules', { key });
    expect((json.data as { name: string }[]).map(({ name }) => name)).toContain('answered');
  },
);

test('a server without requests stops within a second despite idle connections, and leaves the store and earlier files, no socket and no temporary file', async () => {
  const data = temporaryDirectory();
  writeFileSync(join(data, 'README.md'), 'what this folder is for');
  server = await TestServer.start([], data);
  const key = await server.key('o');
  await server.request('POST', '/v1/rules', { key, body: rule('a') });
  expect(readdirSync(data).toSorted()).toEqual(['README.md', 'server.sock', ...STORE_FILES]);
  const idle = await Connection.open(server.port);
  expect(await idle.ask('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  const asked = performance.now();
  expect(await server.end()).toBe(0);
  expect(performance.now() - asked).toBeLessThan(1_000);
  expect(await eventually(() => idle.closed)).toBe(true);
  expect(readdirSync(data).toSorted()).toEqual(['README.md', ...STORE_FILES]);
});
