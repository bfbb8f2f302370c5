/** `serve --mtls-port` and `ca client`: certificates of clients, at mocks that need them, and what is read of them. docs/guide-https.md. */
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createKey } from '../../src/cli/keys.ts';
import { createClient, type SwitchyardError } from '../../src/client/index.ts';
import { runLine } from '../support/command-lines.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';

const run = promisify(execFile);
const data = temporaryDirectory();
const others = temporaryDirectory();

/** Of an authority that is not this server's: a root, one below it, and a client of that. */
function otherAuthority(): { readonly ca: string; readonly client: string; readonly ended: string } {
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: others, stdio: 'ignore' });
  const isCa = ['-addext', 'basicConstraints=critical,CA:TRUE'];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-subj',
    '/CN=root',
    '-days',
    '9',
    ...isCa,
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
  );
  writeFileSync(join(others, 'ca.ext'), 'basicConstraints=critical,CA:TRUE\n');
  const below = ['-CA', 'root.pem', '-CAkey', 'root.key', '-CAcreateserial', '-days', '8', '-extfile', 'ca.ext'];
  openssl('req', ...newKey, '-subj', '/CN=below', '-keyout', 'below.key', '-out', 'below.csr');
  openssl('x509', '-req', '-in', 'below.csr', ...below, '-out', 'below.pem');
  const from = ['-CA', 'below.pem', '-CAkey', 'below.key', '-CAcreateserial'];
  openssl('req', ...newKey, '-subj', '/O=Bank, Ltd./CN=teller', '-keyout', 'teller.key', '-out', 'teller.csr');
  openssl('x509', '-req', '-in', 'teller.csr', ...from, '-days', '7', '-out', 'teller.pem');
  openssl('x509', '-req', '-in', 'teller.csr', ...from, '-days', '-1', '-out', 'ended.pem');
  const read = (name: string): string => readFileSync(join(others, name), 'utf8');
  const whole = (name: string): string => read(name) + read('below.pem') + read('teller.key');
  return { ca: read('below.pem') + read('root.pem'), client: whole('teller.pem'), ended: whole('ended.pem') };
}

const other = otherAuthority();
const caFile = join(others, 'clients.pem');
writeFileSync(caFile, other.ca);
const alice = join(data, 'alice.pem');
const names = 'alice@example.com,urn:shop:alice,laptop.example.com,10.0.0.7';
await runLine(['ca', 'client', 'alice', alice, '--ou', 'eng', '--san', names, '--data', data]);
const server = await TestServer.start(
  [
    '--log-level',
    'warn',
    '--mtls-port',
    '0',
    '--https-port',
    '0',
    '--mtls-ca',
    caFile,
    '--workers',
    '2',
    '--egress-allow',
    '127.0.0.1',
  ],
  data,
);
afterAll(() => server.end());
const port = Number(/client certificates https:\/\/<mock_id>\.localhost:(\d+)/.exec(server.stdout)?.[1]);
const httpsPort = Number(/HTTPS https:\/\/<mock_id>\.localhost:(\d+)/.exec(server.stdout)?.[1]);
const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const ca = readFileSync(join(data, 'gateway-ca.pem'), 'utf8');
const pem = readFileSync(alice, 'utf8');

/** @param by PEM of a certificate and its key; undefined for none. */
function ask(host: string, by?: string, { path = '/', at = port, headers = {} } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const own = by === undefined ? {} : { cert: by, key: by };
    const to = { host: '127.0.0.1', port: at, path, ca, servername: host, agent: false } as const;
    const sent = request({ ...to, ...own, headers: { host, ...headers } }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += String(chunk)));
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const READ = ['subject', 'cn', 'ou', 'issuer', 'san', 'san.dns', 'san.uri', 'san.email', 'san.ip'];
const bank = await client.mocks.create({
  id: 'bank',
  name: 'Bank',
  start: true,
  settings: { clientCert: {}, stores: [{ name: 'kept', value: 1 }] },
  routes: [
    {
      method: 'GET',
      path: '/',
      selection: 'rules',
      responses: [
        {
          templated: true,
          body: READ.map((name) => `{{clientCert '${name}' '-'}}`).join('|'),
          rules: [{ target: 'clientCert', property: 'ou', operator: 'equals', value: 'eng' }],
        },
        { templated: true, body: "other {{clientCert 'subject'}}" },
      ],
    },
    { method: 'GET', path: '/kept', responses: [{ templated: true, body: "{{store 'kept'}} {{clientCert 'cn'}}" }] },
    {
      kind: 'ws',
      method: 'GET',
      path: '/socket',
      responses: [{ when: 'open', templated: true, body: "hello {{clientCert 'cn' 'nobody'}}" }],
    },
  ],
});

test('a mock that needs certificates answers those who have one, and tells the others what to do', async () => {
  expect(bank.mtlsUrl).toBe(`https://bank.localhost:${port}`);
  const [subject, issuer] = ['CN=alice,OU=eng', /CN=Switchyard gateway \w+,O=Switchyard/.source];
  const san = 'alice@example.com';
  expect(await ask('bank.localhost', pem)).toMatch(
    new RegExp(
      `^200 ${subject}\\|alice\\|eng\\|${issuer}\\|${san}\\|laptop.example.com\\|urn:shop:alice\\|${san}\\|10.0.0.7$`,
    ),
  );
  const refused =
    '"message":"Client certificate refused","hint":"this request needs a client certificate; `mtlsUrl` of the mock (`serve';
  expect(await ask('bank.localhost')).toContain(`403 {"success":false,${refused}`);
  // The ports of HTTPS and HTTP never ask.
  expect(await ask('bank.localhost', pem, { at: httpsPort })).toContain(refused);
  const plain = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/bank/`, {
    headers: { 'x-forwarded-client-cert': 'Subject="CN=alice"' },
  });
  expect([plain.status, await plain.text()]).toEqual([403, expect.stringContaining(refused)]);
  // Of the two threads, one is the home of the store.
  for (let round = 0; round < 4; round++)
    expect(await ask('localhost', pem, { path: '/__mock/bank/kept' })).toBe('200 1 alice');
});

test('traffic has it as a header, which no client can write, and the reason of each refusal', async () => {
  await ask('bank.localhost', pem, { headers: { 'x-forwarded-client-cert': 'Subject="CN=eve"' } });
  await ask('bank.localhost', undefined, { headers: { 'x-forwarded-client-cert': 'Subject="CN=eve"' } });
  const [second, first] = (await client.mocks.requests('bank')).records;
  const told = (record: typeof first): string | undefined =>
    record?.headers.find(({ name }) => name === 'x-forwarded-client-cert')?.value;
  expect(told(first)).toMatch(/^Hash=[\da-f]{64};Subject="CN=alice,OU=eng";URI=urn:shop:alice;DNS=laptop.example.com$/);
  expect([told(second), second?.status, second?.problem]).toEqual([undefined, 403, 'needs a client certificate']);
});

test('who is neither of this server nor of --mtls-ca has no connection; a mock trusts whom it lists', async () => {
  expect(await ask('bank.localhost', other.client)).toBe('200 other CN=teller,O=Bank\\, Ltd.');
  await expect(ask('bank.localhost', other.ended)).rejects.toThrow(/certificate|ECONNRESET|hang up/);
  await client.mocks.create({
    id: 'vault',
    name: 'Vault',
    start: true,
    settings: { clientCert: { ca: other.ca, refuse: 401 } },
    routes: [{ method: 'GET', path: '/', responses: [{ body: 'open' }] }],
  });
  expect(await ask('vault.localhost', other.client)).toBe('200 open');
  expect(await ask('vault.localhost', pem)).toMatch(
    /^401 .*has a client certificate whose issuer is not one of clientCert\.ca/,
  );
});

test('a session has its own setting', async () => {
  const session = await client.mocks.session('bank', { overlay: { settings: { clientCert: { required: false } } } });
  const { mtlsHostUrl, mtlsPathUrl } = session.record.address;
  expect(mtlsPathUrl).toBe(`https://localhost:${port}/__mock/bank/__session/${session.id}`);
  const host = new URL(mtlsHostUrl as string).hostname;
  expect(await ask(host)).toBe('200 other ');
  expect(await ask(host, pem)).toMatch(/^200 CN=alice/);
  expect(await ask('bank.localhost')).toMatch(/^403/);
  await session.end();
});

test('upstreams get it as a header, and WebSockets read it', async () => {
  const upstream = createServer((asked, answer) => void answer.end(String(asked.headers['x-forwarded-client-cert'])));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upstream.close());
  const address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await client.mocks.create({
    id: 'through',
    name: 'Through',
    start: true,
    settings: { proxy: { upstream: address } },
    routes: [],
  });
  expect(await ask('through.localhost', pem)).toMatch(/^200 Hash=.*Subject="CN=alice,OU=eng"/);
  const said = await new Promise((resolve, reject) => {
    // A name to TLS is not among the options that the types know.
    const to = { ca, cert: pem, key: pem, servername: 'bank.localhost', headers: { host: 'bank.localhost' } };
    const socket = new WebSocket(`wss://127.0.0.1:${port}/socket`, [], to);
    socket.on('message', (message: Buffer) => resolve(String(message)));
    socket.on('error', reject);
    onTestFinished(() => socket.terminate());
  });
  expect(said).toBe('hello alice');
});

test('a dry run takes a certificate, and says who would be refused', async () => {
  const tried = (clientCert?: string) =>
    client.mocks.try('bank', { method: 'GET', path: '/', ...(clientCert !== undefined && { clientCert }) });
  const [own, none] = [await tried(pem), await tried()];
  expect([own.explanation.clientCert, own.response?.body]).toEqual([null, expect.stringMatching(/^CN=alice/)]);
  expect([none.explanation.clientCert, none.response?.body]).toEqual(['needs a client certificate', 'other ']);
  const problem = await tried('nonsense').catch((error: unknown) => (error as SwitchyardError).details);
  expect(problem).toEqual([{ path: '/clientCert', message: 'is not a certificate in PEM format' }]);
});

test('what is no list of authorities is refused, and nothing of a key is repeated', async () => {
  const refused = async (given: string): Promise<unknown> => {
    const settings = { clientCert: { ca: given } };
    return client.mocks.create({ name: 'no', settings }).catch((error: unknown) => (error as SwitchyardError).details);
  };
  const said = (message: string) => [{ path: '/settings/clientCert/ca', message }];
  const [below = ''] = other.ca.split(/(?<=-----END CERTIFICATE-----\n)/);
  expect(await refused('nonsense')).toEqual(said('is not PEM: -----BEGIN CERTIFICATE----- …'));
  expect(await refused(pem)).toEqual(said('has a private key: only certificates belong here'));
  expect(await refused(below)).toEqual(said('the issuer of certificate 1 is not in the list: add it'));
  expect(await refused(pem.slice(0, pem.indexOf('-----BEGIN PRIVATE')))).toEqual(
    said('certificate 1 is not an authority: it may not issue others'),
  );
});

test('curl, openssl and Java use the files of `ca client`, which nobody else may read', async () => {
  const store = join(data, 'bob.p12');
  await runLine(['ca', 'client', 'bob', store, '--data', data]);
  expect([statSync(store).mode & 0o777, statSync(alice).mode & 0o777]).toEqual([0o600, 0o600]);
  const to = ['--resolve', `bank.localhost:${port}:127.0.0.1`, `https://bank.localhost:${port}/kept`];
  const curl = async (cert: string[]) =>
    (await run('curl', ['-s', '--cacert', join(data, 'gateway-ca.pem'), ...cert, ...to])).stdout;
  expect(await curl(['--cert', alice])).toBe('1 alice');
  expect(await curl(['--cert-type', 'P12', '--cert', `${store}:changeit`])).toBe('1 bob');
  const read = await run('openssl', ['pkcs12', '-in', store, '-passin', 'pass:changeit', '-nodes']);
  expect(read.stdout).toContain('BEGIN PRIVATE KEY');
  const shown = await run('openssl', [
    'verify',
    '-purpose',
    'sslclient',
    '-CAfile',
    join(data, 'gateway-ca.pem'),
    alice,
  ]);
  expect(shown.stdout).toContain('OK');
});

test('options that contradict each other are refused', async () => {
  const refused = async (...args: string[]): Promise<string> =>
    (await runLine(['serve', '--port', '0', '--mock-port', '0', '--data', temporaryDirectory(), ...args])).stderr;
  expect(await refused('--mtls-ca', caFile)).toContain('--mtls-ca needs --mtls-port');
  expect(await refused('--mtls-port', '8443')).toContain('--mtls-port is 8443, as another port');
  expect(await refused('--mtls-port', '0', '--https-port', '0', '--mtls-ca', join(others, 'teller.key'))).toContain(
    'is not a certificate in PEM format',
  );
});
