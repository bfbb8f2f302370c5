/** The lines of a server's log, and the data that must never be in it. */
import { rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';
import { endAll, eventually, Running, serve } from '../support/process.ts';

const SHIFT_MODULE = pathToFileURL(join(import.meta.dirname, '../support/shifted-clock.mjs')).href;

const MARKER = 'xyzzymarker';
const RULE = {
  name: `name ${MARKER}`,
  description: `description ${MARKER}`,
  ruleType: 'Cancel',
  pairs: [{ source: { key: 'Url', operator: 'Contains', value: MARKER } }],
};

interface Line {
  readonly msg?: string;
  readonly level: number;
  readonly time: number;
  readonly id?: string;
  readonly status?: number;
  readonly [member: string]: unknown;
}

let server: TestServer | undefined;
afterEach(async () => {
  await server?.end('SIGKILL');
  await endAll();
});

/** Stops the server and reads its whole log. Every line behind the one that says it is ready must be JSON. */
async function finalLog(ended: TestServer): Promise<Line[]> {
  expect(await ended.end()).toBe(0);
  expect(await eventually(() => ended.stdout.endsWith('\n'))).toBe(true);
  const lines = ended.stdout.trimEnd().split('\n');
  const ready = lines.findIndex((line) => /^Switchyard .* is ready/.test(line));
  expect(ready).toBeGreaterThanOrEqual(0);
  const logged = lines.slice(ready + 1).map((line) => JSON.parse(line) as Line);
  // Lines with a message are about the stop itself.
  return logged.filter(({ msg }) => msg === undefined);
}

test('each request has one JSON line, with its fields and no others; a valid x-request-id is echoed and logged, any other is replaced', async () => {
  server = await TestServer.start(['--log-level', 'debug']);
  const key = await server.key('acme', 'ann');
  const [, keyId] = key.split('_');
  const { json } = await server.request('POST', '/v1/rules', { key, body: RULE, headers: { 'x-request-id': 'r1' } });
  const id = json.data.id as string;
  await server.request('GET', `/v1/rules/${id}`, { key, headers: { 'x-request-id': 'r2' } });
  await server.request('GET', '/v1/rules', { headers: { 'x-request-id': 'r3' } });
  await server.request('GET', '/nowhere', { headers: { 'x-request-id': 'r4' } });
  await server.request('PATCH', '/v1/groups', { headers: { 'x-request-id': 'r5' } });
  await server.request('POST', '/v1/groups', { key, body: '{', headers: { 'x-request-id': 'r6' } });
  await server.request('GET', '/healthz', { headers: { 'x-request-id': 'r7' } });
  const sane = ['a', 'A-1_b.c:d@e/f+g=', '0'.repeat(128)];
  const insane = ['', ' ', 'two words', 'quote"', '{}', '<b>', 'a\tb', 'é', '0'.repeat(129), '$(id)', '%0a', "'"];
  const answered: (string | null)[] = [];
  for (const requestId of [...sane, ...insane]) {
    const answer = await server.request('GET', '/healthz', { headers: { 'x-request-id': requestId } });
    answered.push(answer.headers.get('x-request-id'));
  }
  answered.push((await server.request('GET', '/healthz')).headers.get('x-request-id'));

  const all = await finalLog(server);
  const lines = all.slice(0, 7);
  const known = { owner: 'acme', key: keyId };
  const unknown = { owner: null, key: null };
  const common = { level: 30, time: expect.any(Number), ms: expect.any(Number) };
  expect(lines).toEqual([
    { ...common, ...known, id: 'r1', method: 'POST', route: '/v1/rules', status: 200 },
    { ...common, ...known, id: 'r2', method: 'GET', route: '/v1/rules/:ruleId', status: 200 },
    { ...common, ...unknown, id: 'r3', method: 'GET', route: '/v1/rules', status: 401 },
    { ...common, ...unknown, id: 'r4', method: 'GET', route: null, status: 404 },
    { ...common, ...unknown, id: 'r5', method: 'PATCH', route: null, status: 405 },
    { ...common, ...known, id: 'r6', method: 'POST', route: '/v1/groups', status: 400 },
    { ...common, ...unknown, level: 20, id: 'r7', method: 'GET', route: '/healthz', status: 200 },
  ]);
  for (const { ms, time } of lines) {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(Math.abs(Date.now() - time)).toBeLessThan(60_000);
  }

  expect(answered.slice(0, sane.length)).toEqual(sane);
  const ours = answered.slice(sane.length);
  for (const ourId of ours) expect(ourId).toMatch(/^[0-9a-z]{8}-[0-9a-z]+$/);
  expect(new Set(ours).size).toBe(ours.length);
  expect(all.slice(lines.length).map((line) => line.id)).toEqual(answered);
});

test('a probe that finds all well is logged at debug alone', async () => {
  server = await TestServer.start();
  for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere']) await server.request('GET', path);
  expect((await finalLog(server)).map(({ route, status }) => [route, status])).toEqual([
    ['/metrics', 200],
    [null, 404],
  ]);
});

test('on an address for others without TLS one line warns', async () => {
  server = await TestServer.start(['--host', '0.0.0.0']);
  expect(server.stdout.match(/without TLS, anyone on the network path/g)).toHaveLength(1);
  await server.end();
});

test('no secret and nothing of a body, a query, or a path is ever printed', async () => {
  server = await TestServer.start(['--no-bootstrap', '--log-level', 'trace', '--metrics-token', `token${MARKER}`]);
  const key = await server.key('acme');
  const secret = key.split('_').slice(2).join('_');
  const wrong = `${key.slice(0, -MARKER.length)}${MARKER}`;
  const ask = server.request.bind(server);

  const { json } = await ask('POST', '/v1/rules', { key, body: RULE, headers: { 'idempotency-key': MARKER } });
  const path = `/v1/rules/${json.data.id}`;
  const statuses = [
    await ask('POST', '/v1/rules', { key, body: { ...RULE, name: 'x' }, headers: { 'idempotency-key': MARKER } }),
    await ask('PUT', path, { key, body: { ...RULE, ruleType: MARKER } }),
    await ask('PUT', path, { key, body: { ...RULE, pairs: [{ source: MARKER }] }, headers: { 'if-match': MARKER } }),
    await ask('DELETE', path, { key, headers: { 'if-match': `"${MARKER}"` } }),
    await ask('POST', '/v1/rules', { key, body: `{"name":"${MARKER}` }),
    await ask('POST', '/v1/rules', { key, body: MARKER, headers: { 'content-type': `text/${MARKER}` } }),
    await ask('POST', '/v1/groups', { key, body: { name: `group ${MARKER}`, status: MARKER } }),
    await ask('POST', '/v1/groups', { key, body: { name: MARKER.repeat(1_000) } }),
    await ask('GET', `/v1/rules?q=${MARKER}&${MARKER}=1&apiKey=${key}`, { key }),
    await ask('GET', `/v1/rules?offset=${MARKER}`, { key }),
    await ask('GET', `/v1/rules/Redirect_${MARKER}`, { key }),
    await ask('GET', `/${MARKER}/${MARKER}`, { key }),
    await ask('GET', '/v1/rules', { key: wrong }),
    await ask('GET', '/v1/rules', { key: MARKER }),
    await ask('GET', '/v1/rules', { key, headers: { origin: `https://${MARKER}.example`, authorization: MARKER } }),
    await ask('GET', '/metrics', { headers: { authorization: `Bearer token${MARKER}` } }),
    await ask('GET', '/metrics', { headers: { authorization: `Bearer ${MARKER}` } }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([422, 400, 400, 412, 400, 415, 400, 403, 200, 400, 404, 404, 401, 401, 200, 200, 401]);
  // A request that does not parse as HTTP, and one that ends in its middle.
  for (const bytes of [
    `${MARKER}\r\n\r\n`,
    `GET /${MARKER} HTTP/1.1\r\nhost: ${MARKER}\r\n\r\n`,
    `POST /v1/rules HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\ncontent-length: 999\r\n\r\n{"name":"${MARKER}`,
  ]) {
    await new Promise<void>((resolve) => {
      const socket = connect((server as TestServer).port, '127.0.0.1', () => socket.write(bytes));
      socket.setTimeout(300, () => socket.destroy());
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume();
    });
  }
  expect((await finalLog(server)).length).toBeGreaterThan(statuses.length);
  const printed = server.stdout + server.stderr;
  expect(printed).not.toContain(MARKER);
  expect(printed).not.toContain(secret);
  expect(server.stderr).toBe('');
});

test('with --log-level warn no request has a line, and an owner whose dates are ahead of the clock is logged once, with the consequence', async () => {
  const data = temporaryDirectory();
  const shiftFile = join(data, '..', `${basename(data)}-shift`);
  const env = { NODE_OPTIONS: `--import ${SHIFT_MODULE}`, CLOCK_SHIFT_FILE: shiftFile };
  const start = async (shift: number) => {
    writeFileSync(shiftFile, String(shift));
    const running = serve(data, ['--no-bootstrap', '--log-level', 'warn'], { env });
    return { running, url: `http://127.0.0.1:${await running.ready()}/v1/rules` };
  };
  const ahead = await start(3_600_000);
  const headers = {
    'x-api-key': await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' }),
    'content-type': 'application/json',
  };
  const write = async (url: string) =>
    expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(RULE) })).status).toBe(200);
  await write(ahead.url);
  for (const path of ['/healthz', '/v1/rules', '/nowhere']) await fetch(new URL(path, ahead.url));
  ahead.running.child.kill('SIGTERM');
  const { stdout } = await ahead.running.ended;
  expect(stdout.split('\n')).toEqual([expect.stringMatching(/^Switchyard .* is ready/), '']);

  const { running, url } = await start(0);
  for (let index = 0; index < 3; index++) await write(url);
  running.child.kill('SIGTERM');
  const lines = (await running.ended).stdout.split('\n').filter((line) => line.includes('dated in the future'));
  rmSync(shiftFile);
  expect(lines.map((line) => JSON.parse(line) as Line)).toEqual([
    {
      level: 40,
      time: expect.any(Number),
      owner: 'acme',
      aheadMs: expect.closeTo(3_600_000, -5),
      msg: 'the newest change of an owner is dated in the future: its next changes get that date until the clock passes it',
    },
  ]);
});

const HAS_SCRIPT = spawnSync('script', ['--version']).status === 0;
if (!HAS_SCRIPT) console.warn('log.test.ts: there is no "script" here, so nothing shows what a terminal would');

test.skipIf(!HAS_SCRIPT)('on a terminal the log is readable: no line is JSON', async () => {
  const data = temporaryDirectory();
  const command = `exec '${process.execPath}' '${CLI}' serve --port 0 --mock-port 0 --no-bootstrap --data '${data}'`;
  const terminal = new Running('script', ['-qec', command, '/dev/null']);
  const port = await terminal.ready();
  await fetch(`http://127.0.0.1:${port}/nowhere`, { headers: { 'x-request-id': 'seen-on-a-terminal' } });
  expect(await eventually(() => terminal.stdout.includes('seen-on-a-terminal'))).toBe(true);
  expect(terminal.stdout).toContain('INFO');
  for (const line of terminal.stdout.split('\n')) expect(line).not.toMatch(/^\s*\{.*\}\s*$/);
  // The holder of the data directory's lock sends its process id.
  const pid = await new Promise<number>((resolve) => {
    connect(join(data, 'server.sock')).on('data', (chunk: Buffer) => resolve(Number.parseInt(chunk.toString(), 10)));
  });
  process.kill(pid, 'SIGTERM');
  expect((await terminal.ended).status).toBe(0);
});
