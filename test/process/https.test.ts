/** `serve --https`: mocks with certificates of this server's own authority, for every name, and who accepts them. docs/guide-https.md. */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { fixture } from '../support/tls.ts';
import { runLine } from '../support/command-lines.ts';
import { createKey } from '../../src/cli/keys.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';

const run = promisify(execFile);
const OPTIONS = [
  '--log-level',
  'warn',
  '--https',
  '--https-port',
  '0',
  '--https-name',
  'switchyard,10.0.0.5',
  '--attach',
  'api.example.com=orders',
  '--egress-allow',
  '127.0.0.1',
];
const data = temporaryDirectory();
const ownTemporary = temporaryDirectory();
const server = await TestServer.start([...OPTIONS, '--workers', '2'], data, { TMPDIR: ownTemporary });
afterAll(() => server.end());
const portOf = ({ stdout }: TestServer): number =>
  Number(/HTTPS https:\/\/<mock_id>\.localhost:(\d+)/.exec(stdout)?.[1]);
const port = portOf(server);
const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const ca = readFileSync(join(data, 'gateway-ca.pem'), 'utf8');
const orders = await client.mocks.create({
  id: 'orders',
  name: 'Orders',
  start: true,
  routes: [{ method: 'GET', path: '/', responses: [{ templated: true, body: "hi {{header 'host'}}" }] }],
});

function handshake(servername: string, more: object = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername, ca, ...more }, () => resolve(socket));
    socket.on('error', reject);
  });
}

async function shownTo(servername: string): Promise<DetailedPeerCertificate> {
  const socket = await handshake(servername, { rejectUnauthorized: false });
  const shown = socket.getPeerCertificate(true);
  socket.destroy();
  return shown;
}

function ask(host: string, path = '/', more: object = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, ca, servername: host, headers: { host }, agent: false, ...more };
    const sent = request(options, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += String(chunk)));
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('a mock and its sessions are reached by name, and the API shows the addresses', async () => {
  expect(orders.httpsUrl).toBe(`https://orders.localhost:${port}`);
  expect(await ask('orders.localhost')).toBe('200 hi orders.localhost');
  expect(await ask('localhost', '/__mock/orders/')).toBe('200 hi localhost');
  const session = await client.mocks.session('orders', { id: 'one' });
  expect(session.record.address).toMatchObject({
    httpsHostUrl: `https://one.orders.localhost:${port}`,
    httpsPathUrl: `https://localhost:${port}/__mock/orders/__session/one`,
  });
  expect(await ask('one.orders.localhost')).toBe('200 hi one.orders.localhost');
  expect(await ask('one--orders.localhost')).toBe('200 hi one--orders.localhost');
  expect((await session.counts()).total).toBe(2);
  await session.end();
});

test('templates know that a request came by HTTPS, also one that another thread answers', async () => {
  const rendered = (body: string) => [{ templated: true, body }];
  await client.mocks.create({
    id: 'urls',
    name: 'Urls',
    start: true,
    settings: { stores: [{ name: 'kept', value: 1 }] },
    routes: [
      { method: 'GET', path: '/plain', responses: rendered('{{mockUrl}}') },
      { method: 'GET', path: '/stateful', responses: rendered("{{mockUrl}} {{store 'kept'}}") },
    ],
  });
  for (let round = 0; round < 4; round++) {
    expect(await ask('localhost', '/__mock/urls/plain')).toBe('200 https://localhost/__mock/urls');
    expect(await ask('localhost', '/__mock/urls/stateful')).toBe('200 https://localhost/__mock/urls 1');
  }
  const plain = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/urls/plain`);
  expect(await plain.text()).toBe(`http://127.0.0.1:${server.mockPort}/__mock/urls`);
});

test('a certificate is for the mock and all its sessions, by an intermediate authority that may sign for little else', async () => {
  const shown = await shownTo('two.orders.localhost');
  expect(shown.subjectaltname).toBe('DNS:orders.localhost, DNS:*.orders.localhost');
  const intermediate = new X509Certificate(shown.issuerCertificate.raw);
  expect(intermediate.checkIssued(new X509Certificate(ca))).toBe(true);
  const { stdout } = await run('openssl', [
    'x509',
    '-noout',
    '-text',
    '-in',
    writeFile('intermediate.pem', intermediate.toString()),
  ]);
  expect(stdout).toMatch(/Name Constraints: critical\s+Permitted:\s+DNS:localhost\s+DNS:switchyard/);
});

test('a host that is attached means its mock, with a certificate of its own, and no other name beside it does', async () => {
  expect(await ask('api.example.com')).toBe('200 hi api.example.com');
  expect((await shownTo('api.example.com')).subjectaltname).toBe('DNS:api.example.com');
  expect(await ask('localhost', '/', { headers: { host: 'API.example.com:443' } })).toBe('200 hi API.example.com:443');
  expect(await ask('localhost', '/', { headers: { host: 'constructor' } })).toMatch(/^404 /);
  await expect(ask('www.api.example.com')).rejects.toThrow(/altnames/);
});

test('clients that name no mock, or one that cannot be, get the certificate of this machine', async () => {
  for (const name of ['', 'localhost', 'a.b.c.localhost', 'example.com', 'ORDERS.localhost']) {
    const { subjectaltname = '' } = await shownTo(name);
    expect(subjectaltname, name).toMatch(/^DNS:localhost, IP Address:127\.0\.0\.1, IP Address:0:0:0:0:0:0:0:1, /);
    expect(subjectaltname, name).toContain('DNS:switchyard, IP Address:10.0.0.5');
  }
});

test('of mocks that are not known, a certificate is made for two hundred names; those that are known have theirs', async () => {
  const own = await TestServer.start([...OPTIONS, '--workers', '1']);
  const at = portOf(own);
  const authority = readFileSync(join(own.data, 'gateway-ca.pem'), 'utf8');
  const named = (name: string): Promise<boolean> =>
    handshake(name, { port: at, ca: authority }).then(
      (socket) => socket.destroy() !== undefined,
      () => false,
    );
  const strangers = await Promise.all(Array.from({ length: 250 }, (_, index) => named(`x${index}.localhost`)));
  expect(strangers.filter(Boolean)).toHaveLength(200);
  const known = createClient({ apiUrl: `http://127.0.0.1:${own.port}/v1`, key: await own.key('acme', 'ann') });
  await known.mocks.create({ id: 'known', name: 'Known', start: true });
  expect(await named('known.localhost')).toBe(true);
  expect(await named('x1000.localhost')).toBe(false);
  expect(await own.end()).toBe(0);
});

test('a server that begins again makes certificates for more mocks than that, as each is asked for', async () => {
  const own = await TestServer.start([...OPTIONS, '--workers', '1']);
  const owner = createClient({ apiUrl: `http://127.0.0.1:${own.port}/v1`, key: await own.key('acme', 'ann') });
  const ids = Array.from({ length: 210 }, (_, index) => `many${index}`);
  for (const id of ids) await owner.mocks.create({ id, name: id, start: true });
  await own.restart();
  const authority = readFileSync(join(own.data, 'gateway-ca.pem'), 'utf8');
  for (const id of ids) {
    const asked = ask(`${id}.localhost`, '/', { port: portOf(own), ca: authority });
    expect(await asked.catch(String), id).toMatch(/^200 /);
  }
  expect(await own.end()).toBe(0);
});

test('no name that a stranger makes up takes those of others', async () => {
  const own = await TestServer.start([...OPTIONS, '--workers', '1']);
  const shown = async (servername: string): Promise<string> => {
    const socket = await handshake(servername, { port: portOf(own), rejectUnauthorized: false });
    const { subjectaltname = '' } = socket.getPeerCertificate();
    socket.destroy();
    return subjectaltname;
  };
  const owner = createClient({ apiUrl: `http://127.0.0.1:${own.port}/v1`, key: await own.key('acme', 'ann') });
  for (const id of ['known', 'other']) await owner.mocks.create({ id, name: id, start: true });
  for (const name of ['*.localhost', 'x.*.localhost', '*.*.localhost', 'x.tls-fail--*.localhost', 'a_b.localhost'])
    expect(await shown(name), name).toMatch(/^DNS:localhost, /);
  for (let index = 0; index < 210; index++) {
    const wanted = index < 200 ? /^DNS:s\d+--known\.localhost/ : /^DNS:localhost, /;
    expect(await shown(`s${index}--known.localhost`)).toMatch(wanted);
  }
  expect(await shown('s--other.localhost')).toMatch(/^DNS:s--other\.localhost/);
  expect(await shown('known.localhost')).toMatch(/^DNS:known\.localhost/);
  expect(await own.end()).toBe(0);
});

test('a WebSocket opens over it, and an upstream is told of it', async () => {
  await client.mocks.create({
    id: 'echo',
    name: 'Echo',
    start: true,
    routes: [{ kind: 'ws', method: 'GET', path: '/', responses: [{ templated: true, body: 'got {{body}}' }] }],
  });
  const opened = await handshake('echo.localhost');
  opened.write(
    `GET / HTTP/1.1\r\nHost: echo.localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa('0123456789abcdef')}\r\n\r\n`,
  );
  const [head] = (await new Promise<Buffer>((resolve) => opened.once('data', resolve))).toString().split('\r\n');
  expect(head).toBe('HTTP/1.1 101 Switching Protocols');
  opened.destroy();
  const upstream = createServer((req, res) => void res.end(String(req.headers['x-forwarded-proto'])));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upstream.close());
  const proxy = { upstream: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` };
  await client.mocks.create({ id: 'proxied', name: 'Proxied', start: true, settings: { proxy }, routes: [] });
  expect(await ask('proxied.localhost', '/x')).toBe('200 https');
});

test('nothing of its keys lies among temporary files, and another start keeps the authority', async () => {
  const temporary = (): string[] => readdirSync(ownTemporary).filter((name) => name.startsWith('switchyard-https-'));
  expect(temporary()).toEqual([]);
  // A thread was ended while it wrote.
  const left = join(ownTemporary, 'switchyard-https-abcdef');
  mkdirSync(left);
  utimesSync(left, 0, 0);
  const before = (await shownTo('orders.localhost')).issuerCertificate.fingerprint256;
  await server.restart();
  expect(temporary()).toEqual([]);
  expect(portOf(server)).not.toBeNaN();
  expect(readFileSync(join(data, 'gateway-ca.pem'), 'utf8')).toBe(ca);
  const shown = await new Promise<DetailedPeerCertificate>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: portOf(server), servername: 'orders.localhost', ca }, () =>
      resolve(socket.getPeerCertificate(true)),
    );
    socket.on('error', reject);
  });
  expect(shown.issuerCertificate.fingerprint256).not.toBe(before);
});

const folder = temporaryDirectory();

function writeFile(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

describe('who accepts it', () => {
  const url = (): string => `https://orders.localhost:${portOf(server)}/`;
  const trust = join(data, 'gateway-ca.pem');

  test('curl and openssl', async () => {
    expect((await run('curl', ['-s', '--cacert', trust, url()])).stdout).toMatch(/^hi /);
    const asked = [
      's_client',
      '-showcerts',
      '-connect',
      `127.0.0.1:${portOf(server)}`,
      '-servername',
      'orders.localhost',
      '-CAfile',
      trust,
    ];
    const { stdout } = await run('sh', ['-c', 'openssl "$@" </dev/null', 'sh', ...asked]);
    expect(stdout).toContain('Verify return code: 0 (ok)');
    // The authority that clients trust is not sent.
    expect(stdout.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  });

  test('Python', async () => {
    const code = `import ssl, socket\nc = ssl.create_default_context(cafile=${JSON.stringify(trust)})\ns = c.wrap_socket(socket.create_connection(("127.0.0.1", ${portOf(server)})), server_hostname="orders.localhost")\nprint(s.version())`;
    expect((await run('python3', ['-c', code])).stdout).toMatch(/^TLSv1/);
  });

  test('Java, by a trust store that `ca export` writes', async (context) => {
    const java = await run('java', ['-version']).catch(() => undefined);
    if (java === undefined) return context.skip('no Java is installed');
    const store = join(folder, 'trust.p12');
    expect((await runLine(['ca', 'export', store, '--data', data])).stdout).toMatch(
      /trust\.p12 has the certificate, and no key/,
    );
    const source = writeFile(
      'Ask.java',
      `import javax.net.ssl.*; import java.net.*;
public class Ask { public static void main(String[] a) throws Exception {
  Socket plain = new Socket("127.0.0.1", Integer.parseInt(a[0]));
  SSLSocket s = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault()).createSocket(plain, a[1], 443, true);
  SSLParameters p = s.getSSLParameters(); p.setEndpointIdentificationAlgorithm("HTTPS"); s.setSSLParameters(p);
  s.startHandshake(); System.out.println("ok " + s.getSession().getProtocol()); } }`,
    );
    const options = [`-Djavax.net.ssl.trustStore=${store}`, '-Djavax.net.ssl.trustStorePassword=changeit', source];
    const asked = await run('java', [...options, String(portOf(server)), 'orders.localhost']);
    expect(asked.stdout).toMatch(/^ok TLSv1/);
  });
});

describe('a certificate that is wrong', () => {
  const trust = join(data, 'gateway-ca.pem');
  const at = (): number => portOf(server);

  /** @returns Whether a client has connected, and what it says otherwise. */
  const CLIENTS: Readonly<Record<string, (host: string) => Promise<string>>> = {
    'Node.js': (host) =>
      new Promise((resolve) => {
        const socket = connect({ host: '127.0.0.1', port: at(), servername: host, ca }, () => {
          socket.destroy();
          resolve('accepted');
        });
        socket.on('error', ({ message }) => resolve(message));
      }),
    async curl(host) {
      const args = ['-sS', '--cacert', trust, '--resolve', `${host}:${at()}:127.0.0.1`, `https://${host}:${at()}/`];
      return run('curl', args).then(
        () => 'accepted',
        ({ stderr }: { stderr: string }) => stderr,
      );
    },
    async openssl(host) {
      const args = ['s_client', '-verify_return_error', '-verify_hostname', host, '-connect', `127.0.0.1:${at()}`];
      const line = ['-c', 'openssl "$@" </dev/null', 'sh', ...args, '-servername', host, '-CAfile', trust];
      return run('sh', line).then(({ stdout }) => (stdout.includes('return code: 0') ? 'accepted' : stdout), String);
    },
    async Python(host) {
      const code = `import ssl, socket\nc = ssl.create_default_context(cafile=${JSON.stringify(trust)})\nc.wrap_socket(socket.create_connection(("127.0.0.1", ${at()})), server_hostname="${host}")`;
      return run('python3', ['-c', code]).then(() => 'accepted', String);
    },
  };
  const REASONS: Readonly<Record<string, RegExp>> = {
    expired: /certificate has expired/,
    future: /not yet valid/,
    name: /altnames|alternative certificate subject name|[Hh]ostname mismatch/,
    untrusted: /unable to (?:verify the first|get local issuer|get issuer) certificate|unable to get local issuer/,
    self: /self.signed certificate|unable to verify the first certificate/,
    fail: /./,
  };

  test.each(Object.keys(REASONS).flatMap((fault) => Object.keys(CLIENTS).map((who) => [fault, who] as const)))(
    '%s: %s refuses it',
    async (fault, who) => {
      const said = await (CLIENTS[who] as (host: string) => Promise<string>)(`tls-${fault}--orders.localhost`);
      expect(said).not.toBe('accepted');
      expect(said).toMatch(REASONS[fault] as RegExp);
    },
  );

  test('a certificate that begins later does not begin while it is in use', async () => {
    const socket = await handshake('tls-future--orders.localhost', { port: at(), rejectUnauthorized: false });
    const { valid_from: begins } = socket.getPeerCertificate();
    socket.destroy();
    expect(Date.parse(begins)).toBeGreaterThan(Date.now() + 21 * 86_400_000);
  });

  test.each(Object.entries(REASONS))(
    '%s: that of a session is, too, whatever was asked for before',
    async (fault, reason) => {
      for (let each = 0; each < 8; each++) (await handshake('two.orders.localhost', { port: at() })).destroy();
      const said = await (CLIENTS['Node.js'] as (host: string) => Promise<string>)(
        `two.tls-${fault}--orders.localhost`,
      );
      expect(said).not.toBe('accepted');
      expect(said).toMatch(reason);
    },
  );

  test('whoever does not look reaches the mock or its session, and the addresses are those of the client', async () => {
    expect(client.mocks.tlsFaultUrl(orders, 'self', '/x')).toBe(`https://tls-self--orders.localhost:${port}/x`);
    const after = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
    const session = await after.mocks.session('orders', { id: 'two' });
    const { hostname } = new URL(session.tlsFaultUrl('expired'));
    expect(hostname).toBe('two.tls-expired--orders.localhost');
    const careless = { port: at(), rejectUnauthorized: false };
    expect(await ask(hostname, '/', careless)).toBe(`200 hi ${hostname}`);
    expect(await ask('tls-self--two--orders.localhost', '/', careless)).toBe('200 hi tls-self--two--orders.localhost');
    expect((await session.counts()).total).toBe(2);
    await session.end();
    await expect(after.mocks.session('orders', { id: 'tls-x' })).rejects.toThrow(/or tls- at the start/);
  });
});

test('of an own authority that allows none below it, threads have the key, which is said', async () => {
  const [own, ownKey] = [join(folder, 'own.pem'), join(folder, 'own.key')];
  const made = ['-newkey', 'rsa:2048', '-keyout', ownKey, '-out', own, '-nodes', '-subj', '/CN=own', '-days', '99'];
  await run('openssl', ['req', '-x509', ...made, '-addext', 'basicConstraints=critical,CA:true,pathlen:0']);
  const begun = await TestServer.start([...OPTIONS, '--gateway-ca', own, '--gateway-ca-key', ownKey]);
  expect(begun.stderr + begun.stdout).toContain('so the threads that serve mocks have its key');
  const trusted = { port: portOf(begun), ca: readFileSync(own, 'utf8') };
  expect(await ask('none.localhost', '/', trusted)).toMatch(/^404 /);
  expect(await begun.end()).toBe(0);
});

test.each<[readonly string[], RegExp]>([
  [
    ['--https', '--tls-cert', fixture('first-cert.pem'), '--tls-key', fixture('first-key.pem')],
    /--https and --tls-cert are both given/,
  ],
  [['--https-port', '9443'], /--https-port needs --https/],
  [['--https-name', 'switchyard'], /--https-name needs --https/],
  [['--attach', 'localhost=one', '--mock-domain', 'mocks.test'], /--attach localhost: paths at this name/],
  [['--https', '--https-port', '9443', '--mock-port', '9443'], /--https-port is 9443, as another port/],
  [['--attach', 'a.test=one', '--attach', 'A.test=two'], /--attach is given twice for a\.test/],
  [['--attach', 'a.localhost=one'], /names below the mock domain localhost mean mocks already/],
  [['--attach', 'a.test=1'], /Expected a host name and the id of a mock/],
  [['--https', '--https-name', 'a_b!'], /"a_b!" is neither a host name nor an address/],
])('serve %j is refused', async (args, message) => {
  const { status, stderr } = await runLine(['serve', '--data', temporaryDirectory(), '--port', '0', ...args]);
  expect(status).not.toBe(0);
  expect(stderr).toMatch(message);
});

test('ca trust says how clients get to trust it, and ca export refuses what it does not write', async () => {
  const { stdout } = await runLine(['ca', 'trust', '--data', data]);
  expect(stdout).toContain(`NODE_EXTRA_CA_CERTS=${join(data, 'gateway-ca.pem')}`);
  const { status, stderr } = await runLine(['ca', 'export', join(folder, 'ca.txt'), '--data', data]);
  expect([status, stderr]).toEqual([2, expect.stringMatching(/name a file that ends in \.pem, \.der or \.p12/)]);
  expect((await runLine(['ca', 'export', join(folder, 'ca.der'), '--data', data])).status).toBe(0);
  expect(new X509Certificate(readFileSync(join(folder, 'ca.der'))).toString()).toBe(new X509Certificate(ca).toString());
});
