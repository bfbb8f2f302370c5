/** `serve --wiremock`: one base URL for WireMock's admin interface and its mock; docs/compat.md. */
import { get } from 'node:https';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useOwnServer } from '../support/shared-server.ts';
import { CertificateFiles, certificateOn, ROOT } from '../support/tls.ts';
import { dataPlanePid } from '../support/vital-signs.ts';

const { server, key } = await useOwnServer([
  '--workers',
  '1',
  '--wiremock',
  '0:base',
  '--compat-open',
  '--compat-lenient',
]);
const portOf = ({ stdout }: { readonly stdout: string }): number =>
  Number(/WireMock https?:\/\/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1]);
const port = portOf(server);
const base = `http://127.0.0.1:${port}`;

async function ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const reply = await fetch(base + path, { method, headers, ...sent });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

const stub = (url: string, response: object) => ({ request: { url }, response });

/** Everything that comes until the connection ends. */
function raw(path: string, request = `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', reject).on('end', () => resolve(text));
  });
}

test('its admin interface and its mock answer, without a key', async () => {
  const made = await ask(
    'POST',
    '/__admin/mappings',
    stub('/a?b=c', { status: 418, body: 'hi', headers: { 'X-Own': 'yes' } }),
  );
  expect(made.status).toBe(201);
  const answer = await ask('GET', '/a?b=c');
  expect([answer.status, answer.text, answer.headers.get('x-own')]).toEqual([418, 'hi', 'yes']);
  expect((await ask('HEAD', '/a?b=c')).status).toBe(418);
  expect((await ask('POST', '/none', 'x'.repeat(100_000))).status).toBe(404);
  const { requests } = JSON.parse((await ask('GET', '/__admin/requests')).text);
  expect(requests.map(({ request }: { request: object }) => request)).toMatchObject([
    { method: 'POST', url: '/none' },
    { method: 'HEAD', url: '/a?b=c', headers: { Host: `127.0.0.1:${port}` } },
    { method: 'GET' },
  ]);
  expect((await ask('GET', '/__admin')).text).toContain('POST /mappings/save');
  // A path that only begins alike is one of the mock.
  expect(JSON.parse((await ask('GET', '/__administration')).text)).toMatchObject({ message: expect.any(String) });
});

test('sessions are named in the path and by headers, in admin calls too', async () => {
  const named = { 'x-mock-session': 'two' };
  await ask('POST', '/__session/one/__admin/mappings', stub('/s', { body: 'one' }));
  await ask('POST', '/__admin/mappings', stub('/s', { body: 'two' }), named);
  expect((await ask('GET', '/__session/one/s')).text).toBe('one');
  expect((await ask('GET', '/s', undefined, named)).text).toBe('two');
  expect((await ask('GET', '/s', undefined, { baggage: 'mock-session=one' })).text).toBe('one');
  expect(
    JSON.parse((await ask('GET', '/__admin/mappings', undefined, { baggage: 'mock-session=one' })).text),
  ).toMatchObject({ mappings: [{ response: { body: 'one' } }] });
  expect((await ask('GET', '/s')).status).toBe(404);
});

test('faults end connections as they do at the mock port', async () => {
  await ask('POST', '/__admin/mappings', stub('/empty', { fault: 'EMPTY_RESPONSE' }));
  await ask('POST', '/__admin/mappings', stub('/random', { fault: 'RANDOM_DATA_THEN_CLOSE' }));
  expect(await raw('/empty')).toBe('');
  const random = await raw('/random');
  expect(random).not.toBe('');
  // What stands before it is an interim reply.
  expect(random.split('\r\n\r\n')[1]).not.toMatch(/^HTTP/);
});

test('a client that would like HTTP/2 is answered as if it had not asked, and goes on with its connection', async () => {
  await ask('POST', '/__admin/mappings', {
    request: { urlPath: '/h2c', bodyPatterns: [{ equalTo: 'body' }] },
    response: { body: 'yes' },
  });
  const head = 'POST /h2c HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n';
  const asks = `${head}connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAABAAMAAABk\r\n\r\nbody`;
  const answers = await raw('', `${asks}${head}connection: close\r\n\r\nbody`);
  expect(answers.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  expect(answers.match(/\r\n\r\nyes/g)).toHaveLength(2);
});

test('WebSockets are passed on', async () => {
  const [message] = [{ when: 'message', body: 'echo' }];
  const route = { kind: 'ws', method: 'GET', path: '/ws', responses: [message] };
  const local = await server.key('local');
  const added = await server.request('POST', '/v1/mocks/base/staged/routes', { key: local, body: route });
  expect(added.status).toBe(200);
  await server.request('POST', '/v1/mocks/base/save', { key: local });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  const answer = await new Promise<string>((resolve, reject) => {
    socket.on('open', () => socket.send('hi'));
    socket.on('message', (data: Buffer) => resolve(data.toString()));
    socket.on('error', reject);
  });
  socket.terminate();
  expect(answer).toBe('echo');
});

test('a page in a browser, and a wrong key, need a right one', async () => {
  const path = '/__admin/mappings';
  expect((await ask('GET', path, undefined, { origin: 'https://evil.example' })).status).toBe(401);
  expect((await ask('GET', path, undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(401);
  expect((await ask('GET', path, undefined, { 'x-api-key': `${key}x` })).status).toBe(401);
  const elsewhere = await fetch(`http://127.0.0.1:${server.port}/compat/wiremock/base/__admin/mappings`);
  expect(elsewhere.status).toBe(200);
  // What is open is the interface alone.
  expect((await server.request('GET', '/v1/mocks', {})).status).toBe(401);
});

const POLL = { timeout: 10_000 };

test('it answers again, and is no upstream still, after the data plane was killed', async () => {
  await ask('POST', '/__admin/mappings', stub('/kept', { body: 'kept' }));
  process.kill(dataPlanePid(server.pid), 'SIGKILL');
  const kept = (): Promise<string> => ask('GET', '/kept').then(({ text }) => text, String);
  await expect.poll(kept, POLL).toBe('kept');
  expect((await ask('GET', '/__admin/mappings')).status).toBe(200);
  const proxied = await ask('POST', '/__admin/mappings', stub('/loop', { proxyBaseUrl: base }));
  expect([proxied.status, proxied.text]).toEqual([422, expect.stringContaining('is a port of this server')]);
});

test('with TLS it has the certificate of the server, and a renewed one', async () => {
  const files = new CertificateFiles('first');
  const { server: secure } = await useOwnServer(['--workers', '2', '--wiremock', '0', ...files.options]);
  const at = portOf(secure);
  const before = await certificateOn(at);
  files.putCert('second');
  files.putKey('second');
  await expect.poll(() => certificateOn(at), POLL).not.toBe(before);
  await expect.poll(() => certificateOn(at), POLL).toBe(await certificateOn(secure.mockPort));
  const admin = await askSecurely(at, '/__admin/mappings', await secure.key('local'));
  expect(admin).toMatchObject({ mappings: [] });
});

function askSecurely(at: number, path: string, apiKey: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': apiKey };
    get({ host: '127.0.0.1', port: at, path, ca: ROOT, headers }, (reply) => {
      let text = '';
      reply.on('data', (chunk) => (text += chunk)).on('end', () => resolve(JSON.parse(text)));
    }).on('error', reject);
  });
}
