/** HTTPS through the gateway: tunnels that end in it, those that pass on, its authority, and who accepts its certificates. */
import { execFile, spawnSync } from 'node:child_process';
import { request as ask } from 'node:http';
import { createServer, request as askSecurely } from 'node:https';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { createKey, revokeKey } from '../../src/cli/keys.ts';
import { createClient } from '../../src/client/index.ts';
import { runLine } from '../support/command-lines.ts';
import { temporaryDirectory } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';
import { fixture, ROOT } from '../support/tls.ts';

const credentials = { cert: readFileSync(fixture('first-cert.pem')), key: readFileSync(fixture('first-key.pem')) };
const upstream = createServer(credentials, (req, res) => void res.end(`secret ${req.method} ${req.url}`));
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => (upstream.closeAllConnections(), upstream.close()));
const { port: realPort } = upstream.address() as AddressInfo;
const real = `https://localhost:${realPort}`;

const TUNNELS = ['--gateway-tunnel', '127.0.0.1,*.pinned.test'];
const OPTIONS = ['--workers', '1', '--log-level', 'silent', '--gateway-port', '0', '--egress-ca', fixture('root.pem')];
const data = temporaryDirectory();
const made = await runLine(['ca', 'create', '--data', data]);
const { server, key, owner } = await useOwnServer([...OPTIONS, ...TUNNELS], data);
const port = Number(/, gateway http:\/\/127\.0\.0\.1:(\d+), mocks/.exec(server.stdout)?.[1]);
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const authority = await client.gateway.ca();
const file = join(temporaryDirectory(), 'ca.pem');
writeFileSync(file, authority);

/** @returns The connection of the tunnel, or the status that refuses it. */
function tunnel(to: string, as = key): Promise<Socket | number> {
  return new Promise((resolve, reject) => {
    const headers = { 'proxy-authorization': `Basic ${btoa(`key:${as}`)}` };
    const sent = ask({ host: '127.0.0.1', port, method: 'CONNECT', path: to, headers, agent: false });
    sent.on('connect', ({ statusCode = 0 }, socket) =>
      resolve(statusCode === 200 ? socket : (socket.destroy(), statusCode)),
    );
    sent.on('response', ({ statusCode = 0 }) => resolve(statusCode));
    sent.on('error', reject);
    sent.end();
  });
}

function secured(socket: Socket, servername: string, more: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const encrypted = connectTls({ socket, servername, ca: authority, ...more }, () => resolve(encrypted));
    encrypted.on('error', reject);
  });
}

/** Requests over one tunnel, one after the other. */
async function get(
  paths: readonly string[],
  host = `localhost:${realPort}`,
): Promise<{ status: number; body: string }[]> {
  const socket = await tunnel(`localhost:${realPort}`);
  if (typeof socket === 'number') throw new Error(`${socket}`);
  const encrypted = await secured(socket, 'localhost');
  const answers: { status: number; body: string }[] = [];
  for (const path of paths) {
    answers.push(
      await new Promise((resolve, reject) => {
        const options = { path, headers: { host, connection: 'keep-alive' }, createConnection: () => encrypted };
        const sent = askSecurely(options, (reply) => {
          let body = '';
          reply.on('data', (chunk: Buffer) => (body += chunk.toString()));
          reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body }));
        });
        sent.on('error', reject);
        sent.end();
      }),
    );
  }
  encrypted.destroy();
  return answers;
}

test('rules act on HTTPS, over a tunnel that ends in the gateway and is used again', async () => {
  const rule = await client.rules.create({
    name: 'no',
    ruleType: 'Cancel',
    pairs: [{ source: { key: 'Url', operator: 'Equals', value: `${real}/blocked` } }],
  });
  expect(await get(['/a?b=1', '/blocked', '/c'])).toEqual([
    { status: 200, body: 'secret GET /a?b=1' },
    { status: 418, body: expect.stringContaining('Blocked') },
    { status: 200, body: 'secret GET /c' },
  ]);
  expect((await client.gateway.requests({ limit: 2 })).records[1]).toMatchObject({
    url: `${real}/blocked`,
    ruleIds: [rule.id],
  });
  expect((await get(['/a'], 'other.test'))[0]?.status).toBe(400);
  await client.rules.delete(rule.id);
});

test('HTTP over a tunnel is read, too; a tunnel within it, a wrong target and no key are refused', async () => {
  const socket = await tunnel(`127.0.0.2:${server.mockPort}`);
  if (typeof socket === 'number') throw new Error(`${socket}`);
  let got = '';
  socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
  socket.write(`GET /x HTTP/1.1\r\nHost: 127.0.0.2:${server.mockPort}\r\n\r\n`);
  await expect.poll(() => got).toMatch(/^HTTP\/1\.1 404 [^]*Mock not found/);
  socket.write('CONNECT a.test:1 HTTP/1.1\r\nHost: a.test:1\r\n\r\n');
  await expect.poll(() => got).toMatch(/HTTP\/1\.1 400 /);
  socket.destroy();
  expect(await tunnel('localhost')).toBe(400);
  expect(await tunnel('localhost:99999')).toBe(400);
  expect(await tunnel(`localhost:${realPort}`, 'none')).toBe(407);
});

test('a host of --gateway-tunnel is passed on unread, as the policy allows', async () => {
  const socket = await tunnel(`127.0.0.1:${realPort}`);
  if (typeof socket === 'number') throw new Error(`${socket}`);
  // The certificate is that of the upstream.
  const encrypted = await secured(socket, 'localhost', { ca: ROOT });
  expect(encrypted.authorized).toBe(true);
  encrypted.destroy();
  expect(await tunnel(`127.0.0.1:${server.port}`)).toBe(403);
  expect((await client.gateway.requests({ limit: 2 })).records.map(({ outcome, status }) => [outcome, status])).toEqual(
    [
      ['failed', 403],
      ['tunnelled', 200],
    ],
  );
});

test('a client that speaks HTTP/2 alone, or does not trust the authority, gets no connection', async () => {
  for (const more of [{ ALPNProtocols: ['h2'] }, { ca: ROOT }]) {
    const socket = await tunnel(`localhost:${realPort}`);
    if (typeof socket === 'number') throw new Error(`${socket}`);
    await expect(secured(socket, 'localhost', more)).rejects.toThrow(/alpn|no application protocol|certificate/i);
    socket.destroy();
  }
});

test('a revoked key ends its tunnels', async () => {
  const ending = await createKey(server.data, { ownerId: owner, userId: 'ci', role: 'proxy' });
  const socket = await tunnel(`localhost:${realPort}`, ending);
  if (typeof socket === 'number') throw new Error(`${socket}`);
  const closed = new Promise((resolve) => socket.on('close', () => resolve('closed')));
  await secured(socket, 'localhost');
  await revokeKey(server.data, ending.slice(3, 15));
  expect(await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 2_000))])).toBe('closed');
});

test.skipIf(spawnSync('curl', ['--version']).status !== 0)('curl accepts its certificates', async () => {
  const args = ['-sS', '-x', `http://127.0.0.1:${port}`, '-U', `key:${key}`, '--cacert', file, `${real}/curl`];
  expect((await promisify(execFile)('curl', args)).stdout).toBe('secret GET /curl');
});

test.skipIf(spawnSync('openssl', ['version']).status !== 0)('they pass the strict checks of OpenSSL', async () => {
  for (const name of ['localhost', 'a.'.repeat(120) + 'example.test']) {
    const socket = await tunnel(`${name}:${realPort}`);
    if (typeof socket === 'number') throw new Error(`${socket}`);
    const encrypted = await secured(socket, name);
    const leaf = join(temporaryDirectory(), 'leaf.pem');
    writeFileSync(
      leaf,
      `-----BEGIN CERTIFICATE-----\n${encrypted.getPeerCertificate().raw.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    );
    const verified = await promisify(execFile)('openssl', [
      'verify',
      '-x509_strict',
      '-CAfile',
      file,
      '-verify_hostname',
      name,
      leaf,
    ]);
    expect(verified.stdout).toContain('OK');
    encrypted.destroy();
  }
});

test('the authority is made once, is readable by the server alone, and is replaced by hand', async () => {
  expect(authority).toBe(readFileSync(join(data, 'gateway-ca.pem'), 'utf8'));
  const { ca } = await client.gateway.status();
  expect(made.stdout).toContain(ca?.fingerprint);
  expect(made.stdout).toContain(ca?.spkiSha256);
  expect(statSync(join(data, 'gateway-ca.key')).mode & 0o777).toBe(0o600);
  expect((await runLine(['ca', 'show', '--data', data])).stdout).toBe(made.stdout);
  expect((await runLine(['ca', 'create', '--data', data])).stderr).toContain('ca rotate');
  expect((await runLine(['ca', 'show', '--data', temporaryDirectory()])).stderr).toContain('ca create');
  // A left-over must not decide who can read the key, nor where it is.
  writeFileSync(join(data, 'gateway-ca.key.new'), 'old', { mode: 0o644 });
  const rotated = await runLine(['ca', 'rotate', '--data', data]);
  expect(rotated.stdout.split('\n')[1]).not.toBe(made.stdout.split('\n')[1]);
  expect(statSync(join(data, 'gateway-ca.key')).mode & 0o777).toBe(0o600);
  writeFileSync(join(data, 'gateway-ca.key'), 'other');
  expect((await runLine(['ca', 'show', '--data', data])).stderr).toContain('ca rotate');
});
