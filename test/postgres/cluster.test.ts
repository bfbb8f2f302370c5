/** Several nodes over one database, as their users see them: mocks, traffic, sessions and edits by way of any node. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { freePort } from '../support/free-port.ts';
import { newDatabase } from '../support/new-database.ts';
import { endAll, Running } from '../support/process.ts';
import { CLI, type TestServer } from '../support/server.ts';
import { askAt, LEASE_MS, randomOf, SECRET, startNode, startNodes } from './support/cluster.ts';
import { PostgresServer } from './support/postgres-server.ts';

/** For what takes a lease, and a start of a data plane: enough for a busy machine. */
const LATE_MS = 30_000;
const DRAIN_MS = 2_000;

let postgres: PostgresServer;
let nodes: TestServer[];
let key: string;

beforeAll(async () => {
  postgres = await PostgresServer.shared();
  nodes = await startNodes(await newDatabase(postgres.url()), 3, ['--drain-wait', `${DRAIN_MS / 1_000}s`]);
  key = await (nodes[0] as TestServer).key('acme');
  await sleep(500);
});

afterAll(async () => {
  // One that a test has frozen would not end.
  for (const node of nodes) signalTo(node, 'SIGCONT');
  await Promise.all(nodes.map((node) => node.end()));
  await endAll();
});

function signalTo({ pid }: TestServer, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

const routes = (body: string) => [{ method: 'GET', path: '/a', responses: [{ body, templated: true }] }];

async function makeMock(body: string, more: object = {}, at: TestServer = randomOf(nodes)): Promise<string> {
  const made = await at.request('POST', '/v1/mocks', {
    key,
    body: { name: 'm', start: true, routes: routes(body), ...more },
  });
  expect(made.json).toMatchObject({ success: true, data: { name: 'm' } });
  expect(made.json.data.published).toBeUndefined();
  return made.json.data.id as string;
}

/** Replaces the routes of a mock and publishes them, by way of one node. */
async function save(node: TestServer, id: string, body: string) {
  const staged = await node.request('PUT', `/v1/mocks/${id}/staged`, { key, body: { routes: routes(body) } });
  expect(staged.status).toBe(200);
  return node.request('POST', `/v1/mocks/${id}/save`, { key });
}

/** The node that answers what the others send on: the one whose figures count the mock. */
async function homeOf(mockId: string): Promise<TestServer> {
  const rows = await postgres.query(
    `select node_id from mock_home where mock_id = '${mockId}'`,
    nodes[0]?.data.split('/').at(-1),
  );
  const id = (rows[0] as { node_id: string }).node_id;
  return nodes[Number(id.slice(1)) - 1] as TestServer;
}

describe('a mock is the same by way of any node:', () => {
  test('its requests are numbered without a gap, counted and recorded once', async () => {
    const id = await makeMock('{{requestNumber}}');
    const answers = await Promise.all(Array.from({ length: 150 }, () => askAt(randomOf(nodes), id, '/a')));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(answers.map(({ text }) => Number(text)).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 150 }, (_each, index) => index + 1),
    );
    for (const node of nodes) {
      const counts = await node.request('GET', `/v1/mocks/${id}/counts`, { key });
      expect(counts.json.data).toMatchObject({ total: 150, unmatched: 0 });
      const head = await node.request('HEAD', `/v1/mocks/${id}/counts`, { key });
      expect(head.headers.get('content-length')).toBe(counts.headers.get('content-length'));
      const all = await node.request('GET', '/v1/mocks/counts', { key });
      expect(all.json.data.mocks).toContainEqual(expect.objectContaining({ mockId: id, total: 150 }));
      const page = await node.request('GET', `/v1/mocks/${id}/requests?limit=200`, { key });
      expect(page.json.total).toBe(150);
      const verify = { match: { method: 'GET', path: '/a' }, exactly: 150 };
      const verified = await node.request('POST', `/v1/mocks/${id}/verify`, { key, body: verify });
      expect(verified.json.data).toMatchObject({ verified: true });
    }
  });

  test('an edit is served by all when it is confirmed, by way of whichever node it came', async () => {
    const id = await makeMock('0');
    for (let turn = 1; turn <= 30; turn++) {
      const saved = await save(randomOf(nodes), id, `v${turn}`);
      expect([saved.json.success, saved.json.data.published]).toEqual([true, undefined]);
      const shown = await Promise.all(nodes.map((node) => askAt(node, id, '/a')));
      expect(shown.map(({ text }) => text)).toEqual(nodes.map(() => `v${turn}`));
    }
    expect((await randomOf(nodes).request('POST', `/v1/mocks/${id}/stop`, { key })).status).toBe(200);
    for (const node of nodes) expect((await askAt(node, id, '/a')).status).toBe(503);
    expect((await randomOf(nodes).request('DELETE', `/v1/mocks/${id}`, { key })).status).toBe(200);
    for (const node of nodes) expect((await askAt(node, id, '/a')).status).toBe(404);
  });

  test('a creation or save that is sent again, by way of any node, leaves sequences as they are', async () => {
    const answers = ['first', 'second', 'third'].map((body) => ({ body }));
    const sequence = [{ method: 'GET', path: '/a', selection: 'sequential', responses: answers }];
    const [one, other, third] = nodes as [TestServer, TestServer, TestServer];
    const post = async (node: TestServer, path: string, body: unknown, name: string) => {
      const headers = { 'idempotency-key': name };
      const answer = await node.request('POST', `/v1/mocks${path}`, { key, body, headers });
      expect(answer.status).toBe(200);
      return answer.json.data.id as string;
    };
    const body = { name: 'm', start: true, routes: sequence };
    const id = await post(one, '', body, 'creation');
    const next = async () => (await askAt(other, id, '/a')).text;
    expect(await next()).toBe('first');
    for (const node of nodes) expect(await post(node, '', body, 'creation')).toBe(id);
    expect(await next()).toBe('second');
    await post(third, `/${id}/save`, undefined, 'saved');
    expect(await next()).toBe('first');
    for (const node of nodes) await post(node, `/${id}/save`, undefined, 'saved');
    expect(await next()).toBe('second');
  });

  test('a request is sent on as it is: method, body, headers, address, and the reply with its headers', async () => {
    const body = {
      headers: [{ name: 'content-type', value: 'text/plain' }],
      body: "{{body}}|{{header 'X-Switchyard-Team'}}|{{clientIp}}",
      templated: true,
    };
    const id = await makeMock('', { routes: [{ method: 'ANY', path: '/e', responses: [body] }] });
    for (const node of nodes) {
      const sent = 'ü'.repeat(100_000);
      const answer = await askAt(node, id, '/e?q=1', {
        method: 'PATCH',
        body: sent,
        headers: { 'x-switchyard-forwarded': 'x 9.9.9.9', 'x-switchyard-team': 'blue' },
      });
      expect(answer.status).toBe(200);
      expect(answer.text.split('|')[0]).toBe(sent);
      expect(answer.text).toMatch(/\|blue\|127\.0\.0\.1$/);
      const head = await askAt(node, id, '/e', { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(0);
    }
    const page = await randomOf(nodes).request('GET', `/v1/mocks/${id}/requests`, { key });
    for (const record of page.json.data) expect(JSON.stringify(record)).not.toMatch(/switchyard-client|authorization/i);
  });

  test('sessions are made, used and ended by way of any node', async () => {
    const id = await makeMock('{{requestNumber}}');
    for (const node of nodes) {
      const session = { id: `s${nodes.indexOf(node)}` };
      const made = await node.request('POST', `/v1/mocks/${id}/sessions`, { key, body: session });
      expect(made.json).toMatchObject({ success: true, data: session });
      for (const [index, each] of nodes.entries()) {
        expect((await askAt(each, id, `/__session/${session.id}/a`)).text).toBe(String(index + 1));
      }
      const ended = await randomOf(nodes).request('DELETE', `/v1/mocks/${id}/sessions/${session.id}`, { key });
      expect(ended.json.data).toMatchObject({ counts: { total: 3 } });
      expect((await askAt(randomOf(nodes), id, `/__session/${session.id}/a`)).status).toBe(404);
    }
  });

  test('its stream shows each request, by way of any node', async () => {
    const id = await makeMock('x');
    await askAt(nodes[0] as TestServer, id, '/a');
    await Promise.all(
      nodes.map(async (node) => {
        const ending = new AbortController();
        const stream = await fetch(`http://127.0.0.1:${node.port}/v1/mocks/${id}/requests/stream`, {
          headers: { 'x-api-key': key },
          signal: ending.signal,
        });
        expect(stream.status).toBe(200);
        let text = '';
        const reading = (async () => {
          const decoder = new TextDecoder();
          for await (const chunk of stream.body as ReadableStream<Uint8Array>) text += decoder.decode(chunk);
        })().catch(() => undefined);
        await sleep(300);
        await askAt(randomOf(nodes), id, `/from-${nodes.indexOf(node)}`);
        await expect.poll(() => text, { timeout: 5_000 }).toContain(`/from-${nodes.indexOf(node)}`);
        ending.abort();
        await reading;
      }),
    );
  });

  test('its figures say what a node serves, and who else is there', async () => {
    const metrics = await Promise.all(
      nodes.map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    );
    for (const text of metrics) expect(text).toMatch(/^switchyard_node_peers 2$/m);
    for (const text of metrics) expect(text).toMatch(/^switchyard_node_lease_valid 1$/m);
    const documents = ['monitoring', 'operations', 'cluster'].map((name) =>
      readFileSync(join(import.meta.dirname, `../../docs/${name}.md`), 'utf8'),
    );
    const listed = documents.flatMap((text) => [...text.matchAll(/^\| `(switchyard_\w+)` \|/gm)]);
    const served = [...(metrics[0] as string).matchAll(/^# TYPE (switchyard_\w+) \w+$/gm)];
    const byName = (one: string, other: string): number => (one < other ? -1 : 1);
    const named = (found: RegExpExecArray[]) => found.map(([, name = '']) => name).toSorted(byName);
    expect(named(listed)).toEqual(named(served));
    const homes = metrics.map((text) => Number(/^switchyard_node_homes (\d+)$/m.exec(text)?.[1]));
    expect(homes.reduce((sum, count) => sum + count)).toBeGreaterThan(0);
  });

  test('what does not exist is absent, and there as soon as it is made', async () => {
    for (const node of nodes) {
      expect((await askAt(node, 'mnothere', '/a')).status).toBe(404);
      // Neither of the two that it may mean.
      const headers = { host: 'mnobody.localhost', 'x-mock-id': 'mnowhere' };
      expect((await askMock(node.mockPort, '/a', { headers })).status).toBe(404);
    }
    for (const node of nodes) {
      const id = await makeMock('made', {}, node);
      for (const each of nodes) expect((await askAt(each, id, '/a')).text).toBe('made');
    }
  });

  test('a fault of a response is one by way of any node', async () => {
    const broken = { method: 'GET', path: '/close', responses: [{ body: 'x', fault: { kind: 'empty' } }] };
    const id = await makeMock('', { routes: [broken] });
    for (const node of nodes) await expect(askAt(node, id, '/close')).rejects.toThrow('fetch failed');
  });
});

describe('a start as a node is refused in one line:', () => {
  const serve = (args: string[], env: Record<string, string> = SECRET) => {
    const variables = { ...process.env, ...env } as Record<string, string>;
    return new Running(process.execPath, [CLI, 'serve', '--port', '0', '--mock-port', '0', ...args], { env: variables })
      .ended;
  };

  test.each([
    [['--node-id', 'x'], /needs --store/],
    [['--node-id', 'x', '--store', 'postgres://h/d'], /needs --internal-listen/],
    [['--internal-listen', '127.0.0.1:9'], /needs --node-id/],
    [['--node-id', 'x', '--store', 'postgres://h/d', '--internal-listen', '0.0.0.0:9'], /--internal-address is needed/],
    [['--node-id', 'x', '--internal-listen', 'nowhere'], /Expected a host and a port/],
  ])('%j', async (args, message) => {
    expect(await serve(args)).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
  });

  test('without a secret, and with an id that is in use', async () => {
    const node = ['--node-id', 'n1', '--store', nodes[0]?.data as string, '--internal-listen', '127.0.0.1:9'];
    expect(await serve(node, { SWITCHYARD_CLUSTER_SECRET: 'short' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('32 characters'),
    });
    const other = [...node.slice(0, -1), `127.0.0.1:${await freePort()}`];
    expect(await serve(other)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: .*n1 is in use[^\n]*\n$/),
    });
    const taken = [...node.slice(0, -1), `127.0.0.1:${nodes[0]?.port}`];
    expect(await serve(taken)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/EADDRINUSE.*--internal-listen\n$/),
    });
    const alone = ['--store', nodes[0]?.data as string];
    expect(await serve(alone)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('another server is using it'),
    });
  });
});

describe('a node that is lost:', () => {
  // One that was fenced starts its data plane again, in seconds where the machine is busy.
  beforeEach(async () => {
    for (const node of nodes) {
      const status = async (): Promise<number> =>
        (await askAt(node, 'mnothere', '/a').catch(() => ({ status: 0 }))).status;
      await expect.poll(status, { timeout: LATE_MS }).toBe(404);
    }
  });

  test('a frozen home is fenced by those who publish, and shows nothing old when it goes on', async () => {
    const id = await makeMock('old');
    await askAt(nodes[2] as TestServer, id, '/a');
    const home = await homeOf(id);
    const other = nodes.find((node) => node !== home) as TestServer;
    process.kill(home.pid, 'SIGSTOP');
    const began = performance.now();
    const saved = await save(other, id, 'new');
    expect([saved.json.success, saved.json.data.published]).toEqual([true, undefined]);
    expect(performance.now() - began).toBeLessThan(5 * LEASE_MS);
    expect((await askAt(other, id, '/a')).text).toBe('new');
    // Its data plane was not frozen: it has not served since its lease ended.
    expect((await askAt(home, id, '/a')).status).toBe(503);
    process.kill(home.pid, 'SIGCONT');
    for (let turn = 0; turn < 20; turn++) {
      const answer = await askAt(home, id, '/a').catch(() => ({ status: 0, text: '' }));
      expect(answer.text).not.toBe('old');
      await sleep(100);
    }
    await expect
      .poll(async () => (await askAt(home, id, '/a').catch(() => ({ text: '' }))).text, { timeout: LATE_MS })
      .toBe('new');
  });

  test('the streams of a home that was fenced end, at it and at the others', async () => {
    const id = await makeMock('here');
    const [home, ...others] = nodes as [TestServer, ...TestServer[]];
    await askAt(home, id, '/a');
    expect(await homeOf(id)).toBe(home);
    const streams = await Promise.all(
      [home, others[0] as TestServer].map(({ port }) =>
        fetch(`http://127.0.0.1:${port}/v1/mocks/${id}/requests/stream`, { headers: { 'x-api-key': key } }),
      ),
    );
    const ended = streams.map(async ({ body }) => {
      for await (const _ of body as ReadableStream<Uint8Array>);
    });
    process.kill(home.pid, 'SIGSTOP');
    await expect
      .poll(async () => (await askAt(others[1] as TestServer, id, '/a')).status, { timeout: LATE_MS })
      .toBe(200);
    process.kill(home.pid, 'SIGCONT');
    const open = sleep(LATE_MS, 'a stream is open');
    expect(await Promise.race([Promise.all(ended).then(() => 'ended'), open])).toBe('ended');
  });

  test('the mocks of a killed home are served by the others after its lease, or by itself when it starts again', async () => {
    const id = await makeMock('here');
    await askAt(randomOf(nodes), id, '/a');
    const home = await homeOf(id);
    const others = nodes.filter((node) => node !== home);
    await home.end('SIGKILL');
    await expect
      .poll(async () => (await askAt(others[0] as TestServer, id, '/a')).text, { timeout: LATE_MS })
      .toBe('here');
    expect((await askAt(others[1] as TestServer, id, '/a')).text).toBe('here');
    await home.start();
    await expect.poll(async () => (await askAt(home, id, '/a')).text, { timeout: LATE_MS }).toBe('here');
  });

  test('a node that stops gives its mocks away: no request fails, by way of the others or of itself', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => makeMock('here')));
    for (const id of ids) await askAt(nodes[0] as TestServer, id, '/a');
    const [leaving, ...staying] = nodes as [TestServer, ...TestServer[]];
    const state = { goesOn: true };
    const faults: string[] = [];
    const asking = staying.map(async (node) => {
      while (state.goesOn) {
        const { status, text } = await askAt(node, randomOf(ids), '/a').catch((error: Error) => ({
          status: 0,
          text: error.message,
        }));
        if (status !== 200) faults.push(`${status} ${text}`);
      }
    });
    await sleep(200);
    const ready = async () => (await leaving.request('GET', '/readyz')).status;
    const ended = leaving.end();
    await expect.poll(ready, { timeout: DRAIN_MS - 100 }).toBe(503);
    expect((await askAt(leaving, ids[0] as string, '/a')).text).toBe('here');
    expect(await ended).toBe(0);
    await sleep(300);
    state.goesOn = false;
    await Promise.all(asking);
    await leaving.start();
    expect(faults).toEqual([]);
  });

  test('a node with another secret serves its own mocks, and neither asks nor answers the others', async () => {
    const stranger = await startNode(nodes[0]?.data as string, 'stranger', [], {
      SWITCHYARD_CLUSTER_SECRET: 'x'.repeat(40),
    });
    const id = await makeMock('mine', {}, nodes[0]);
    await askAt(nodes[0] as TestServer, id, '/a');
    expect((await askAt(stranger, id, '/a')).status).toBe(503);
    await expect.poll(() => nodes.map(({ stdout }) => stdout).join('')).toContain('the same SWITCHYARD_CLUSTER_SECRET');
    // Its home lives, and cannot be asked.
    const unconfirmed = await save(stranger, id, 'new');
    expect(unconfirmed.json).toMatchObject({ success: true, data: { published: false } });
    expect((await askAt(nodes[0] as TestServer, id, '/a')).text).toBe('mine');
    await stranger.end();
  });
});

test('a server whose id another has taken meanwhile serves nothing, says so once, and is back when that one stops', async () => {
  const [{ data: store }] = nodes as [TestServer, ...TestServer[]];
  const first = await startNode(store, 'twice', ['--log-level', 'warn']);
  process.kill(first.pid, 'SIGSTOP');
  const second = await startNode(store, 'twice');
  process.kill(first.pid, 'SIGCONT');
  const told = (): number => first.stdout.split('twice is in use').length - 1;
  await expect.poll(told, { timeout: LATE_MS }).toBe(1);
  await sleep(2 * LEASE_MS);
  expect(told()).toBe(1);
  expect((await first.request('GET', '/readyz')).status).toBe(503);
  const metrics = (await first.request('GET', '/metrics')).json as string;
  expect(metrics).toMatch(/switchyard_data_plane_restarts_total 1\n/);
  const id = await makeMock('{{requestNumber}}', {}, second);
  const replies = [await askAt(second, id, '/a'), await askAt(nodes[0] as TestServer, id, '/a')];
  expect(replies.map(({ text }) => text).toSorted()).toEqual(['1', '2']);
  expect(await second.end()).toBe(0);
  await expect.poll(async () => (await first.request('GET', '/readyz')).status, { timeout: LATE_MS }).toBe(200);
  expect((await askAt(first, id, '/a')).status).toBe(200);
  expect(await first.end()).toBe(0);
});

test('a deleted mock leaves no home behind', async () => {
  const id = await makeMock('a');
  expect((await askAt(nodes[1] as TestServer, id, '/a')).text).toBe('a');
  const homes = async (): Promise<number> => {
    const name = (nodes[0] as TestServer).data.split('/').at(-1);
    return (await postgres.query(`select 1 from mock_home where mock_id = '${id}'`, name)).length;
  };
  expect(await homes()).toBe(1);
  expect((await (nodes[2] as TestServer).request('DELETE', `/v1/mocks/${id}`, { key })).status).toBe(200);
  await expect.poll(homes).toBe(0);
  expect((await askAt(nodes[0] as TestServer, id, '/a')).status).toBe(404);
});

test('a key is honoured by every node as soon as it is made: by the command line, or for a code of the console', async () => {
  const exchange = async (node: TestServer): Promise<string> => {
    const made = await node.request('POST', '/v1/console/key', { body: { code: await node.code('acme') } });
    return made.json.data.key as string;
  };
  for (let turn = 0; turn < 12; turn++) {
    const node = nodes[turn % nodes.length] as TestServer;
    const made = turn % 4 === 0 ? await node.key('acme') : await exchange(node);
    const answers = await Promise.all(nodes.map((each) => each.request('GET', '/v1/me', { key: made })));
    expect(
      answers.map(({ status }) => status),
      `turn ${turn}`,
    ).toEqual([200, 200, 200]);
  }
});
