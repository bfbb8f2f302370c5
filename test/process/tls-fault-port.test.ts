/** `serve --tls-fault-port`: connections that are reset or late by host name, and all others as at the port of HTTPS. docs/guide-https.md. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createKey } from '../../src/cli/keys.ts';
import { createClient } from '../../src/client/index.ts';
import { runLine } from '../support/command-lines.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';
import { dataPlanePid } from '../support/vital-signs.ts';

const run = promisify(execFile);
const data = temporaryDirectory();
const server = await TestServer.start(['--log-level', 'warn', '--tls-fault-port', '0', '--https-port', '0'], data);
afterAll(() => server.end());
const port = Number(/TLS faults https:\/\/<mock_id>\.localhost:(\d+)/.exec(server.stdout)?.[1]);
const httpsPort = Number(/HTTPS https:\/\/<mock_id>\.localhost:(\d+)/.exec(server.stdout)?.[1]);
const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const trust = join(data, 'gateway-ca.pem');
await client.mocks.create({
  id: 'orders',
  name: 'Orders',
  start: true,
  routes: [
    { method: 'GET', path: '/', responses: [{ templated: true, body: "hi {{header 'host'}}" }] },
    { method: 'GET', path: '/large', responses: [{ body: 'x'.repeat(1_000_000) }] },
    { kind: 'ws', method: 'GET', path: '/socket', responses: [{ when: 'open', body: 'hello' }] },
  ],
});

/** @returns What curl has received, or why nothing. */
async function curl(host: string, { at = port, path = '/', more = [] as string[] } = {}): Promise<string> {
  const args = [
    '-sS',
    ...more,
    '--cacert',
    trust,
    '--resolve',
    `${host}:${at}:127.0.0.1`,
    `https://${host}:${at}${path}`,
  ];
  return run('curl', args, { maxBuffer: 10_000_000 }).then(
    ({ stdout }) => stdout,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

test('a connection is reset for every client, and leaves no request', async () => {
  const host = 'tls-reset--orders.localhost';
  expect(await curl(host)).toMatch(/reset by peer/i);
  const code = `import ssl, socket\nssl.create_default_context(cafile=${JSON.stringify(trust)}).wrap_socket(socket.create_connection(("127.0.0.1", ${port})), server_hostname="${host}")`;
  await expect(run('python3', ['-c', code])).rejects.toThrow(/ConnectionResetError/);
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
    connect({ host: '127.0.0.1', port, servername: host, ca: readFileSync(trust) }).on('error', resolve);
  });
  expect(error.code).toBe('ECONNRESET');
  const asked = ['-c', `openssl s_client -connect 127.0.0.1:${port} -servername ${host} </dev/null`];
  await expect(run('sh', asked)).rejects.toThrow(/errno=104|reset/i);
  expect(await client.mocks.verify('orders', { match: { path: '/' }, exactly: 0 })).toMatchObject({ verified: true });
});

test('a handshake is late by so many milliseconds, in a session, too', async () => {
  const session = await client.mocks.session('orders');
  for (const host of ['tls-slow-700--orders.localhost', `${session.id}.tls-slow-700--orders.localhost`]) {
    const startedAt = performance.now();
    expect(await curl(host)).toMatch(/^hi /);
    expect(performance.now() - startedAt).toBeGreaterThan(690);
  }
  expect((await session.requests()).records).toHaveLength(1);
});

test('all else is as at the port of HTTPS: names, faults of certificates, large answers, WebSockets', async () => {
  expect(await curl('orders.localhost')).toBe(`hi orders.localhost:${port}`);
  expect(await curl('tls-expired--orders.localhost')).toMatch(/certificate has expired/);
  // Closed by the server while the client still reads.
  const more = ['-H', 'connection: close', '--limit-rate', '2M'];
  expect((await curl('orders.localhost', { path: '/large', more })).length).toBe(1_000_000);
  const socket = new WebSocket(`wss://localhost:${port}/__mock/orders/socket`, { ca: readFileSync(trust) });
  onTestFinished(() => socket.terminate());
  expect(String(await new Promise((resolve) => socket.on('message', resolve)))).toBe('hello');
});

test('at the port of HTTPS such a name has no handshake, so nobody takes it for a fault that was met', async () => {
  expect(await curl('tls-reset--orders.localhost', { at: httpsPort })).toMatch(/^curl: /);
  expect(await curl('tls-slow-1--orders.localhost', { at: httpsPort })).toMatch(/^hi /);
});

test('a first message in pieces is read; what is none is passed on, and harms nobody', async () => {
  const hello = await firstMessage('tls-reset--orders.localhost');
  const closed = (parts: readonly Buffer[]): Promise<string> =>
    new Promise((resolve) => {
      const socket = connectPlain(port, '127.0.0.1').resume();
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      socket.on('close', () => resolve('closed'));
      void (async () => {
        for (const part of parts) {
          socket.write(part);
          await new Promise((done) => setTimeout(done, 2));
        }
      })();
    });
  expect(await closed([...hello].map((byte) => Buffer.of(byte)))).toBe('ECONNRESET');
  // Each record has a part of the message.
  const body = hello.subarray(5);
  const record = (part: Buffer) =>
    Buffer.concat([hello.subarray(0, 3), Buffer.of(part.length >> 8, part.length & 255), part]);
  expect(await closed([record(body.subarray(0, 50)), record(body.subarray(50))])).toBe('ECONNRESET');
  const damaged = Buffer.from(body.subarray(0, 120)).fill(0xff, 60);
  damaged.writeUIntBE(116, 1, 3);
  for (const other of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), record(damaged)])
    expect(await closed([other])).not.toBe('');
  expect(await curl('orders.localhost')).toMatch(/^hi /);
});

/** What Node.js sends first. */
function firstMessage(servername: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const listener = createServer((socket) => {
      socket.once('data', (bytes) => {
        resolve(bytes);
        socket.destroy();
        listener.close();
      });
    });
    listener.listen(0, '127.0.0.1', () => {
      const { port: at } = listener.address() as AddressInfo;
      connect({ host: '127.0.0.1', port: at, servername }).on('error', () => undefined);
    });
  });
}

test('it survives a restart of the process that serves mocks, and is refused where another port is', async () => {
  const { stderr } = await runLine(['serve', '--data', temporaryDirectory(), '--tls-fault-port', '8443']);
  expect(stderr).toContain('--tls-fault-port is 8443, as another port');
  process.kill(dataPlanePid(server.pid), 'SIGKILL');
  await expect.poll(() => curl('orders.localhost'), { timeout: 10_000 }).toMatch(/^hi /);
  expect(await curl('tls-reset--orders.localhost')).toMatch(/reset by peer/i);
});
