/** The process that reaches upstreams: started by its first use, started again, and ended with the server; what its options open. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { askMock, type MockReply } from '../support/ask-mock.ts';
import { runLine } from '../support/command-lines.ts';
import { CLI, TestServer } from '../support/server.ts';
import { fixture } from '../support/tls.ts';

const upstream = createServer((request, response) => {
  if (request.url === '/begun') return void response.write('begun');
  return request.url === '/never' ? undefined : void response.end('real');
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => (upstream.closeAllConnections(), upstream.close()));
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

/** Ids of the server's child processes that run it. */
function egressOf({ pid }: TestServer): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('/egress.js'));
}

/** One that has ended and that nobody waits for has no command line. */
function runs(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/** For servers whose folders are counted: those of other tests come and go. */
const TMPDIR = mkdtempSync(join(tmpdir(), 'switchyard-'));
afterAll(() => rmSync(TMPDIR, { recursive: true, force: true }));
const folders = (): string[] => readdirSync(TMPDIR).filter((name) => name.startsWith('switchyard-egress-'));

async function mockOf(server: TestServer, settings: object): Promise<string> {
  const body = { name: 'front', start: true, settings };
  const { status, json } = await server.request('POST', '/v1/mocks', { key: await server.key('acme'), body });
  expect({ status, json }).toMatchObject({ status: 200 });
  return json.data.id;
}

const ask = (server: TestServer, mock: string, path = '/real'): Promise<MockReply> =>
  askMock(server.mockPort, path, { mock });
const kindOf = ({ headers }: MockReply) => headers['x-switchyard-error'];

test('it starts with the first mock that has an upstream, survives what kills it, and ends with the server', async () => {
  const before = folders();
  const server = await TestServer.start(['--workers', '1', '--log-level', 'silent'], undefined, { TMPDIR });
  await mockOf(server, {});
  expect(egressOf(server)).toEqual([]);
  expect(folders()).toEqual(before);

  const mock = await mockOf(server, { proxy: { upstream: url, record: true } });
  const recording = async () =>
    (await server.request('GET', `/v1/mocks/${mock}/recording`, { key: await server.key('acme') })).json;
  expect((await ask(server, mock)).text).toBe('real');
  const kept = await recording();
  expect(kept).toMatchObject({ total: 1, epoch: expect.any(String) });
  const { json: recorded } = await server.request('GET', '/metrics');
  expect(recorded).toMatch(/^switchyard_recording_bytes [1-9]\d+$/m);
  expect(recorded).toMatch(/^switchyard_recording_dropped_total 0$/m);
  const [first, ...others] = egressOf(server);
  expect(others).toEqual([]);
  const folder = folders().find((name) => !before.includes(name));
  expect(statSync(join(TMPDIR, folder as string)).mode & 0o777).toBe(0o700);

  // What is under way ends; what comes then waits for the next one, or is refused unsent.
  const [unanswered, begun] = [ask(server, mock, '/never'), ask(server, mock, '/begun')];
  begun.catch(() => undefined);
  await expect.poll(async () => (await server.request('GET', '/metrics')).json).toContain('switchyard_egress_up 1');
  await new Promise((resolve) => setTimeout(resolve, 100));
  const metrics = String((await server.request('GET', '/metrics')).json);
  process.kill(first as number, 'SIGKILL');
  expect({ status: (await unanswered).status, kind: kindOf(await unanswered) }).toEqual({ status: 502, kind: 'lost' });
  await expect(begun).rejects.toThrow('aborted');
  const figures = [
    'switchyard_egress_requests_total{kind="mock"} 3',
    'switchyard_egress_in_flight{kind="mock"} 2',
    'switchyard_egress_upstream_seconds_count 2',
    'switchyard_egress_connections{side="thread"} 1',
    'switchyard_egress_refused_addresses_total 0',
  ];
  expect.soft(metrics.split('\n')).toEqual(expect.arrayContaining(figures));
  const outcomes = new Set<string>();
  await expect
    .poll(
      async () => {
        const reply = await ask(server, mock);
        outcomes.add(`${reply.status} ${String(kindOf(reply) ?? '')}`);
        return reply.text;
      },
      { timeout: 20_000 },
    )
    .toBe('real');
  for (const outcome of outcomes) expect(['200 ', '503 egressDown', '502 lost']).toContain(outcome);
  const [next] = egressOf(server);
  expect(next).not.toBe(first);
  expect((await server.request('GET', '/metrics')).json).toContain('switchyard_egress_restarts_total 1');
  // What was recorded is gone, and the epoch says so.
  const after = await recording();
  expect(after).toMatchObject({ truncated: false, epoch: expect.any(String) });
  expect(after.epoch).not.toBe(kept.epoch);
  expect(after.data.every(({ time }: { time: number }) => time > kept.data[0].time)).toBe(true);

  // A process that hangs is replaced, too.
  process.kill(next as number, 'SIGSTOP');
  await expect
    .poll(() => egressOf(server)[0] !== next && egressOf(server).length === 1, { timeout: 20_000 })
    .toBe(true);
  await expect.poll(async () => (await ask(server, mock)).text, { timeout: 10_000 }).toBe('real');

  expect(await server.end()).toBe(0);
  expect(folders()).toEqual(before);
});

test('it ends when its server is killed, and leaves no folder', async () => {
  const before = folders();
  const server = await TestServer.start(['--workers', '1', '--log-level', 'silent'], undefined, { TMPDIR });
  await mockOf(server, { proxy: { upstream: url } });
  const [pid] = egressOf(server);
  await server.end('SIGKILL');
  await expect.poll(folders, { timeout: 5_000 }).toEqual(before);
  await expect.poll(() => runs(pid as number)).toBe(false);
});

test('on an address for others, this machine is an upstream only where it is allowed', async () => {
  const args = ['--workers', '1', '--log-level', 'silent', '--host', '0.0.0.0'];
  const closed = await TestServer.start(args);
  // The address is refused at once, a name when it is asked for.
  await expect(mockOf(closed, { proxy: { upstream: url } })).rejects.toThrow('400');
  const named = url.replace('127.0.0.1', 'localhost');
  const refused = await ask(closed, await mockOf(closed, { proxy: { upstream: named } }));
  expect({ status: refused.status, kind: kindOf(refused) }).toEqual({ status: 403, kind: 'addressRefused' });
  expect(refused.text).toContain('--egress-allow');
  await closed.end();

  const open = await TestServer.start([...args, '--egress-allow', '127.0.0.1', '--egress-deny', 'localhost']);
  expect((await ask(open, await mockOf(open, { proxy: { upstream: url } }))).text).toBe('real');
  const denied = await ask(open, await mockOf(open, { proxy: { upstream: named } }));
  expect(denied.text).toContain('--egress-deny');
  // The API of this server, by every address of this machine.
  for (const host of ['127.0.0.1', '127.8.8.8', '0.0.0.0', '[::ffff:127.0.0.1]']) {
    const made = mockOf(open, { proxy: { upstream: `http://${host}:${open.port}` } });
    await expect(made).rejects.toThrow(/400/);
  }
  await open.end();
});

// This machine's resolver may not know these names.
test('every name below localhost is this machine, and judged as its address', async () => {
  const named = url.replace('127.0.0.1', 'app.localhost');
  const open = await TestServer.start(['--workers', '1', '--log-level', 'silent']);
  expect((await ask(open, await mockOf(open, { proxy: { upstream: named } }))).text).toBe('real');
  await open.end();
  const closed = await TestServer.start([
    '--workers',
    '1',
    '--log-level',
    'silent',
    '--egress-deny',
    '127.0.0.0/8,::1',
  ]);
  const refused = await ask(closed, await mockOf(closed, { proxy: { upstream: named } }));
  expect(refused.text).toContain('--egress-deny');
  await closed.end();
});

test('certificates of upstreams are verified: with an own authority, or not for hosts that are named', async () => {
  const key = readFileSync(fixture('first-key.pem'));
  const secure = createSecureServer({ key, cert: readFileSync(fixture('first-cert.pem')) }, (_request, response) =>
    response.end('secret'),
  );
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const { port } = secure.address() as AddressInfo;
  try {
    const cases: [args: string[], outcomes: Readonly<Record<string, string>>][] = [
      [[], { localhost: 'tls' }],
      [['--egress-ca', fixture('root.pem')], { localhost: 'secret', '127.0.0.1': 'secret' }],
      [['--egress-insecure', 'localhost'], { localhost: 'secret', '127.0.0.1': 'tls' }],
    ];
    for (const [args, outcomes] of cases) {
      const server = await TestServer.start(['--workers', '1', '--log-level', 'silent', ...args]);
      for (const [host, outcome] of Object.entries(outcomes)) {
        const reply = await ask(server, await mockOf(server, { proxy: { upstream: `https://${host}:${port}` } }));
        expect({ args, host, outcome: kindOf(reply) ?? reply.text }).toEqual({ args, host, outcome });
        const advice = `trust its CA with --egress-ca <file>, or do not verify it with --egress-insecure ${host}`;
        if (outcome === 'tls') expect(reply.text).toContain(advice);
      }
      await server.end();
    }
  } finally {
    secure.close();
  }
});

test.each([
  [['--egress-allow', '10.0.0.0/40'], '--egress-allow'],
  [['--egress-deny', 'http://a.example'], '--egress-deny'],
  [['--egress-ca', CLI], '--egress-ca'],
])('a start with %j is refused in one line', async (args, option) => {
  const { status, stderr } = await runLine(['serve', '--port', '0', '--mock-port', '0', ...args]);
  expect(status).not.toBe(0);
  expect(stderr).toContain(option);
});
