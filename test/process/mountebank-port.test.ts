/** `serve --mountebank --imposter-ports`: mountebank's API at a port of its own, and imposters at real ports; docs/compat.md. */
import { request } from 'node:https';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { IMPOSTER_PORTS_MAX } from '../../src/limits.ts';
import { askMock } from '../support/ask-mock.ts';
import { freePort } from '../support/free-port.ts';
import { is, stub } from '../support/mountebank-space.ts';
import { useOwnServer } from '../support/shared-server.ts';
import { CertificateFiles, certificateOn, ROOT } from '../support/tls.ts';
import { dataPlanePid, descriptorCount } from '../support/vital-signs.ts';

const first = await freePort();
const last = first + IMPOSTER_PORTS_MAX + 50;
const OPTIONS = [
  '--workers',
  '2',
  '--mountebank',
  '0',
  '--imposter-ports',
  `${first}-${last}`,
  '--compat-open',
  '--wiremock',
  '0',
];
const used = await useOwnServer(OPTIONS);
const { server } = used;

const POLL = { timeout: 10_000 };

function adminPortOf({ stdout }: { readonly stdout: string }): number {
  return Number(/mountebank https?:\/\/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1]);
}
const base = `http://127.0.0.1:${adminPortOf(server)}`;

async function call(method: string, path: string, body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await fetch(base + path, { method, ...sent });
  return { status: reply.status, headers: reply.headers, json: JSON.parse(await reply.text()) };
}

async function make(imposter: object): Promise<number> {
  const made = await call('POST', '/imposters', { protocol: 'http', ...imposter });
  expect(made.status, JSON.stringify(made.json)).toBe(201);
  return made.json.port;
}

const bodyAt = async (port: number, path = '/', headers = {}): Promise<string> =>
  (await askMock(port, path, { headers })).text;

test('its links and imposters have addresses that can be asked', async () => {
  const { json } = await call('GET', '/');
  expect(json['_links'].imposters.href).toBe(`${base}/imposters`);
  const made = await call('POST', '/imposters', { protocol: 'http', recordRequests: true, stubs: [stub('hello')] });
  const { port, url } = made.json;
  expect([made.headers.get('location'), url]).toEqual([`${base}/imposters/${port}`, `http://127.0.0.1:${port}`]);
  expect(port).toBeGreaterThanOrEqual(first);
  expect(await bodyAt(port, '/any?q=1')).toBe('hello');
  // Whatever names the request has: the port alone says which imposter.
  const others = { host: 'other.localhost', 'x-mock-id': 'other', 'x-mock-session': 'other' };
  expect(await bodyAt(port, '/__mock/other/x', others)).toBe('hello');
  const { requests, numberOfRequests } = (await call('GET', `/imposters/${port}`)).json;
  expect(numberOfRequests).toBe(2);
  expect(requests.map(({ path }: { path: string }) => path)).toEqual(['/any', '/__mock/other/x']);
  await call('DELETE', `/imposters/${port}`);
});

test('an imposter that has ended leaves its port, and its connections are closed', async () => {
  const port = await make({ stubs: [stub('one')] });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await call('DELETE', `/imposters/${port}`);
  await closed;
  await expect(askMock(port, '/')).rejects.toThrow('ECONNREFUSED');
  const again = await make({ port, stubs: [stub('two')] });
  expect([again, await bodyAt(again)]).toEqual([port, 'two']);
  await call('DELETE', '/imposters');
  await expect(askMock(port, '/')).rejects.toThrow('ECONNREFUSED');
});

test('ports that are opened and closed again and again take nothing more', async () => {
  const open = async (): Promise<void> => {
    const port = await make({ port: last, stubs: [stub('x')] });
    await bodyAt(port);
    await call('DELETE', `/imposters/${port}`);
  };
  for (let round = 0; round < 10; round++) await open();
  const pid = dataPlanePid(server.pid);
  const before = descriptorCount(pid);
  for (let round = 0; round < 40; round++) await open();
  await expect.poll(() => descriptorCount(pid), POLL).toBeLessThan(before + 10);
});

test('a port that another program has is taken, and one outside the range is refused', async () => {
  const program = createServer();
  const taken = last - 1;
  await new Promise<void>((resolve) => program.listen(taken, '127.0.0.1', resolve));
  const conflict = {
    status: 400,
    json: { errors: [{ code: 'resource conflict', message: `Port ${taken} is already in use` }] },
  };
  expect(await call('POST', '/imposters', { protocol: 'http', port: taken })).toMatchObject(conflict);
  await new Promise((resolve) => program.close(resolve));
  expect(await make({ port: taken })).toBe(taken);
  expect(await call('POST', '/imposters', { protocol: 'http', port: taken })).toMatchObject(conflict);
  const outside = await call('PUT', '/imposters', { imposters: [{ protocol: 'http', port: last + 1 }] });
  expect(outside).toMatchObject({ status: 400, json: { errors: [{ code: 'bad data' }] } });
  expect(outside.json.errors[0].message).toContain(`from ${first} to ${last}`);
  // Nothing was ended for it.
  expect((await call('GET', '/imposters')).json.imposters).toHaveLength(1);
  expect(await call('POST', '/imposters', { protocol: 'https' })).toMatchObject({ status: 400 });
  await call('DELETE', '/imposters');
});

// reaches IMPOSTER_PORTS_MAX
test('so many have ports at once, and not one more', async () => {
  const imposters = Array.from({ length: IMPOSTER_PORTS_MAX + 1 }, () => ({ protocol: 'http', stubs: [] }));
  const refused = await call('PUT', '/imposters', { imposters });
  expect(refused).toMatchObject({ status: 400, json: { errors: [{ code: 'resource conflict' }] } });
  expect((await call('DELETE', '/imposters')).json.imposters).toHaveLength(IMPOSTER_PORTS_MAX);
});

test('an imposter whose session ends otherwise leaves its port too', async () => {
  const port = await make({ stubs: [stub('x')] });
  const local = await server.key('local');
  const { mock } = (await call('GET', '/config')).json.options;
  expect((await server.request('DELETE', `/v1/mocks/${mock}/sessions/main-${port}`, { key: local })).status).toBe(200);
  await expect(askMock(port, '/')).rejects.toThrow('ECONNREFUSED');
  const other = await make({ stubs: [stub('y')] });
  expect((await server.request('DELETE', `/v1/mocks/${mock}`, { key: local })).status).toBe(200);
  await expect.poll(() => askMock(other, '/').catch(({ code }) => code), POLL).toBe('ECONNREFUSED');
});

test('other spaces have names for ports, and addresses below the mock port', async () => {
  const url = `http://127.0.0.1:${server.port}/compat/mountebank/other/imposters`;
  const body = JSON.stringify({ protocol: 'http', port: first, stubs: [stub('other')] });
  const made = (await (await fetch(url, { method: 'POST', body })).json()) as { url: string };
  expect(made.url).toContain(`/__session/other-${first}`);
  await expect(askMock(first, '/')).rejects.toThrow('ECONNREFUSED');
});

test('imposters answer at their ports again after the data plane was killed', async () => {
  const port = await make({ stubs: [{ responses: [is('a'), is('b')] }] });
  expect(await bodyAt(port)).toBe('a');
  process.kill(dataPlanePid(server.pid), 'SIGKILL');
  await expect.poll(() => bodyAt(port).catch(() => ''), POLL).toBe('a');
  await call('DELETE', '/imposters');
  await expect(askMock(port, '/')).rejects.toThrow('ECONNREFUSED');
});

test('with TLS, imposters may have the certificate of the server, and a renewed one', async () => {
  const files = new CertificateFiles('first');
  const secure = await useOwnServer([...OPTIONS, ...files.options]);
  const port = adminPortOf(secure.server);
  const imposter = { protocol: 'https', stubs: [stub('secret')] };
  const ask = (at: number, path: string, body?: object): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: at, path, method: body === undefined ? 'GET' : 'POST', ca: ROOT };
      const sent = request(options, (reply) => {
        let text = '';
        reply.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text));
      });
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
  const made = JSON.parse(await ask(port, '/imposters', imposter));
  expect(made.url).toBe(`https://127.0.0.1:${made.port}`);
  expect(await ask(made.port, '/')).toBe('secret');
  const plain = JSON.parse(await ask(port, '/imposters', { protocol: 'http', stubs: [stub('plain')] }));
  expect(await bodyAt(plain.port)).toBe('plain');
  const wiremock = Number(/WireMock https:\/\/127\.0\.0\.1:(\d+)/.exec(secure.server.stdout)?.[1]);
  await ask(wiremock, '/__admin/mappings', { request: { url: '/w' }, response: { body: 'w' } });
  expect(await ask(wiremock, '/w')).toBe('w');
  const before = await certificateOn(made.port);
  files.putCert('second');
  files.putKey('second');
  await expect.poll(() => certificateOn(made.port), POLL).not.toBe(before);
  await expect.poll(() => certificateOn(wiremock), POLL).not.toBe(before);
  await expect.poll(() => certificateOn(port), POLL).not.toBe(before);
  expect(await ask(made.port, '/')).toBe('secret');
});
