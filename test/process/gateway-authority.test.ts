/** The authority of the operator, and the end of one: what is refused at a start, what is warned of, what tunnels get. */
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { request as ask } from 'node:http';
import { copyFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type PeerCertificate } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { authorityCertificate, authorityName } from '../../src/ca/certificates.ts';
import { factsOf, readOwnAuthority } from '../../src/ca/authority.ts';
import { namesIn } from '../../src/ca/read-der.ts';
import { createClient } from '../../src/client/index.ts';
import { runLine } from '../support/command-lines.ts';
import { createKey } from '../../src/cli/keys.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';
import { fixture } from '../support/tls.ts';

const DAY_MS = 86_400_000;
const folder = temporaryDirectory();
const file = (name: string): string => join(folder, name);

function write(name: string, content: string): string {
  writeFileSync(file(name), content);
  return file(name);
}

function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** One like those that the server makes. */
function made(name: string, now: number): { readonly certificate: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = authorityCertificate({ name: authorityName(name), privateKey, publicKey }, now);
  return { certificate: write(`${name}.pem`, pem), key: write(`${name}.key`, keyPem(privateKey)) };
}

/** One that OpenSSL makes. @param kind As its option `-newkey` has it. */
function byOpenssl(name: string, kind: readonly string[], subject: string): { certificate: string; key: string } {
  const files = { certificate: file(`${name}.pem`), key: file(`${name}.key`) };
  const { status, stderr } = spawnSync('openssl', [
    'req',
    '-x509',
    '-nodes',
    '-newkey',
    ...kind,
    '-days',
    '100',
    '-multivalue-rdn',
    '-subj',
    subject,
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
    '-keyout',
    files.key,
    '-out',
    files.certificate,
  ]);
  if (status !== 0) throw new Error(String(stderr));
  return files;
}

const EC = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
/** A name that is written in an order, with types and with a set of its own. */
const SUBJECT = '/DC=test/DC=lab/C=DE/O=Lab Å/OU=a+CN=Lab authority';

const now = Date.now();
const usual = made('usual', now);
const [rsa, ec] = [byOpenssl('rsa', ['rsa:2048'], SUBJECT), byOpenssl('ec', EC, SUBJECT)];

test.each([
  ['other key', { certificate: usual.certificate, key: ec.key }, /do not belong together/],
  [
    'no authority',
    { certificate: fixture('first-cert.pem'), key: fixture('first-key.pem') },
    /is not a CA certificate/,
  ],
  ['ended', made('ended', now - 731 * DAY_MS), /expired at 20/],
  ['not begun', made('later', now + 3 * DAY_MS), /is not valid before 20/],
  ['Ed25519', byOpenssl('ed', ['ed25519'], '/CN=ed'), /an unsupported key type/],
  ['short', byOpenssl('short', ['rsa:1024'], '/CN=short'), /less than 2048 bits/],
  ['no PEM', { certificate: write('text', 'text'), key: usual.key }, /is not a certificate in PEM format/],
  ['no key', { certificate: usual.certificate, key: write('key', 'text') }, /cannot be read: it must be PEM/],
  ['no file', { certificate: file('nowhere'), key: usual.key }, /cannot read .*nowhere: ENOENT/],
])('an authority is refused: %s', (_name, files, why) => {
  expect(() => readOwnAuthority(files, Date.now())).toThrow(why);
});

test('a server does not start with an authority that it cannot use, nor with half of one', async () => {
  const OPTIONS = ['--port', '0', '--mock-port', '0', '--gateway-port', '0', '--data', temporaryDirectory()];
  const run = (...more: string[]) => runLine(['serve', ...OPTIONS, ...more]);
  expect(await run('--gateway-ca', usual.certificate)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--gateway-ca needs --gateway-ca-key') as string,
  });
  expect(await run('--gateway-ca', usual.certificate, '--gateway-ca-key', ec.key)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('do not belong together') as string,
  });
});

const servers: TestServer[] = [];
afterAll(() => Promise.all(servers.map((server) => server.end())));

interface Started {
  readonly client: ReturnType<typeof createClient>;
  readonly server: TestServer;
  /** @returns What the host of a tunnel shows, or the status and reason that refuse it. */
  readonly tunnel: (host: string) => Promise<(PeerCertificate & { readonly pem?: string }) | string>;
}

async function start(options: readonly string[], data = temporaryDirectory()): Promise<Started> {
  const server = await TestServer.start(['--workers', '1', '--gateway-port', '0', ...options], data);
  servers.push(server);
  const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'admin' });
  const port = Number(/, gateway http:\/\/127\.0\.0\.1:(\d+), mocks/.exec(server.stdout)?.[1]);
  const headers = { 'proxy-authorization': `Basic ${btoa(`key:${key}`)}` };
  return {
    client: createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key }),
    server,
    tunnel: (host) =>
      new Promise((resolve, reject) => {
        const sent = ask({ host: '127.0.0.1', port, method: 'CONNECT', path: `${host}:443`, headers, agent: false });
        sent.on('error', reject);
        sent.on('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
          if (statusCode !== 200) {
            let text = `${statusCode} ${head.toString()}`;
            socket.on('data', (part) => (text += String(part)));
            return socket.on('close', () => resolve(text));
          }
          const encrypted = connectTls({ socket, servername: host, rejectUnauthorized: false }, () => {
            resolve(encrypted.getPeerCertificate(true));
            encrypted.destroy();
          });
          return encrypted.on('error', reject);
        });
        sent.end();
      }),
  };
}

function pemOf(raw: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${raw.toString('base64').replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

test.each([
  ['RSA', rsa],
  ['P-256', ec],
])('an own authority of %s signs: strict clients accept its certificates', async (name, own) => {
  const { client, server, tunnel } = await start(['--gateway-ca', own.certificate, '--gateway-ca-key', own.key]);
  const shown = await tunnel('a.example.com');
  if (typeof shown === 'string') throw new Error(shown);
  const leaf = write(`leaf-${name}.pem`, pemOf(shown.raw));
  const { stdout, stderr } = spawnSync('openssl', ['verify', '-x509_strict', '-CAfile', own.certificate, leaf]);
  expect(`${stdout.toString()}${stderr.toString()}`).toBe(`${leaf}: OK\n`);
  // Its name is copied byte for byte: in the encoding that it has there.
  expect(shown.raw.includes(namesIn(await client.gateway.ca()).name)).toBe(true);
  const { ca } = await client.gateway.status();
  const facts = factsOf({ certificate: await client.gateway.ca() }, now);
  expect(ca).toEqual(facts);
  const printed = await runLine(['ca', 'show', '--gateway-ca', own.certificate]);
  expect(printed.stdout).toContain(facts.fingerprint);
  expect(server.stdout).not.toContain(name === 'RSA' ? 'BEGIN RSA' : 'BEGIN EC');
});

test('an authority that ends soon is warned of, and one that has ended makes no certificates', async () => {
  const soon = made('soon', now - 710 * DAY_MS);
  const early = await start(['--gateway-ca', soon.certificate, '--gateway-ca-key', soon.key]);
  expect((await early.client.gateway.status()).ca?.warning).toMatch(/within 30 days/);
  expect(early.server.stdout).toContain('within 30 days');
  expect((await runLine(['ca', 'show', '--gateway-ca', soon.certificate])).stdout).toContain('warning');
  expect(await early.tunnel('a.example.com')).toMatchObject({ subject: { O: 'Switchyard gateway' } });

  const data = temporaryDirectory();
  const over = made('over', now - 731 * DAY_MS);
  copyFileSync(over.certificate, join(data, 'gateway-ca.pem'));
  copyFileSync(over.key, join(data, 'gateway-ca.key'));
  const late = await start([], data);
  expect((await late.client.gateway.status()).ca?.warning).toMatch(/has expired/);
  const refused = await late.tunnel('a.example.com');
  expect(refused).toMatch(/^501 /);
  expect(refused).toContain('the CA of this server expired at ');
});
