/** The gateway of several nodes: an owner's has one home, and every node leads to it. Its authority is the cluster's. */
import { createServer, request as ask, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { newDatabase } from '../support/new-database.ts';
import { runLine } from '../support/command-lines.ts';
import type { TestServer } from '../support/server.ts';
import { fixture } from '../support/tls.ts';
import { SECRET, startNodes } from './support/cluster.ts';
import { PostgresServer } from './support/postgres-server.ts';

/** For what takes a lease on a busy machine. */
const LATE_MS = 30_000;

/** Answers what it got: the first lines of requests and their lines are the body. */
const upstream = createServer({ requireHostHeader: false }, (req, res) => {
  res.sendDate = false;
  if (req.url === '/cut') {
    res.writeHead(200, { 'content-length': '100' }).write('part');
    return void setTimeout(() => res.destroy(), 20);
  }
  if (req.url === '/head') return void res.writeHead(204, 'Fine', ['X-Twice', 'a', 'x-twice', 'b']).end();
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const seen = {
      method: req.method,
      url: req.url,
      lines: req.rawHeaders,
      body: Buffer.concat(chunks).toString('latin1'),
    };
    res.writeHead(200, 'Quite so', ['X-Case', 'kept', 'set-cookie', 'a=1', 'Set-Cookie', 'b=\xe9', 'Date', 'then']);
    res.end(JSON.stringify(seen));
  });
});
const secure = createSecureServer(
  { cert: readFileSync(fixture('first-cert.pem')), key: readFileSync(fixture('first-key.pem')) },
  (req, res) => void res.end(`secret ${req.url}`),
);
for (const each of [upstream, secure]) {
  // Names what it got, and echoes.
  each.on('upgrade', ({ url, headers }: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => undefined);
    const { upgrade, connection, 'x-plan': plan } = headers;
    const said = `${url} ${upgrade} ${connection} ${String(plan)}`;
    socket.write(
      `HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Case: kept\r\nx-said: ${said}\r\n\r\nfirst`,
    );
    socket.write(head);
    socket.pipe(socket);
  });
}
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;

let postgres: PostgresServer;
let store: string;
let nodes: TestServer[];
let key: string;

const gatewayPort = ({ stdout }: TestServer): number =>
  Number(/, gateway http:\/\/127\.0\.0\.1:(\d+), mocks/.exec(stdout)?.[1]);
const clientOf = ({ port }: TestServer) => createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key });
const authorization = (): string => `Basic ${btoa(`key:${key}`)}`;
const real = (path: string): string => `http://127.0.0.1:${portOf(upstream)}${path}`;

beforeAll(async () => {
  await Promise.all([upstream, secure].map((each) => new Promise<void>((done) => each.listen(0, '127.0.0.1', done))));
  postgres = await PostgresServer.shared();
  store = await newDatabase(postgres.url());
  nodes = await startNodes(store, 2, ['--gateway-port', '0', '--workers', '1', '--egress-ca', fixture('root.pem')]);
  key = await (nodes[0] as TestServer).key('acme');
  await sleep(500);
});

afterAll(async () => {
  for (const each of [upstream, secure]) each.closeAllConnections();
  for (const each of [upstream, secure]) each.close();
  await Promise.all(nodes.map((node) => node.end()));
});

interface Reply {
  readonly status: number;
  readonly reason: string;
  readonly lines: readonly string[];
  readonly body: string;
  readonly isCut: boolean;
}

function replyOf(reply: IncomingMessage): Promise<Reply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    reply.on('data', (chunk: Buffer) => chunks.push(chunk));
    reply.on('error', () => undefined);
    reply.on('close', () => {
      const { statusCode: status = 0, statusMessage: reason = '', rawHeaders: lines, complete } = reply;
      resolve({ status, reason, lines, body: Buffer.concat(chunks).toString(), isCut: !complete });
    });
  });
}

function through(
  node: TestServer,
  url: string,
  { method = 'GET', lines = [] as readonly string[], body = undefined as string | undefined } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = ['Host', new URL(url).host, 'Proxy-Authorization', authorization(), ...lines];
    const sent = ask(
      { host: '127.0.0.1', port: gatewayPort(node), path: url, method, headers, agent: false },
      (reply) => resolve(replyOf(reply)),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function tunnel(node: TestServer, to: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const headers = { 'proxy-authorization': authorization() };
    const sent = ask({
      host: '127.0.0.1',
      port: gatewayPort(node),
      method: 'CONNECT',
      path: to,
      headers,
      agent: false,
    });
    sent.on('error', reject).on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) resolve(socket);
      else reject(new Error(`${statusCode}`));
    });
    sent.end();
  });
}

const secureHost = (): string => `localhost:${portOf(secure)}`;

async function tlsThrough(node: TestServer): Promise<Socket> {
  const [socket, ca] = [await tunnel(node, secureHost()), await clientOf(node).gateway.ca()];
  return connectTls({ socket, servername: 'localhost', ca });
}

async function throughTls(node: TestServer, path: string): Promise<Reply> {
  const host = secureHost();
  const encrypted = await tlsThrough(node);
  return new Promise((resolve, reject) => {
    encrypted.on('error', reject);
    const sent = ask({ createConnection: () => encrypted, path, headers: { host } }, (reply) => {
      void replyOf(reply).then((found) => (encrypted.destroy(), resolve(found)));
    });
    sent.on('error', reject).end();
  });
}

interface Upgraded {
  readonly status: number;
  readonly lines: readonly string[];
  /** What came behind the head until the echo of "last". */
  readonly got: string;
}

/** A handshake of a WebSocket. @param over A tunnel to the upstream; undefined for the absolute form. */
async function upgradeThrough(node: TestServer, path: string, over?: 'tunnel' | 'tls'): Promise<Upgraded> {
  const host = over === 'tls' ? secureHost() : `127.0.0.1:${portOf(upstream)}`;
  const socket =
    over === undefined
      ? connect(gatewayPort(node), '127.0.0.1')
      : await (over === 'tls' ? tlsThrough(node) : tunnel(node, host));
  const headers = [
    'Host',
    host,
    'Connection',
    'Upgrade',
    'Upgrade',
    'websocket',
    'Sec-WebSocket-Version',
    '13',
    'Sec-WebSocket-Key',
    'dGhlIHNhbXBsZSBub25jZQ==',
    ...(over === undefined ? ['Proxy-Authorization', authorization()] : []),
  ];
  return new Promise((resolve, reject) => {
    const target = over === undefined ? real(path) : path;
    const sent = ask({ createConnection: () => socket, path: target, headers });
    sent.on('error', reject).on('response', (reply) => {
      void replyOf(reply).then(({ status, lines, body }) => (socket.destroy(), resolve({ status, lines, got: body })));
    });
    sent.on('upgrade', ({ statusCode: status = 0, rawHeaders: lines }, opened: Socket, head: Buffer) => {
      let got = head.toString();
      opened.on('data', (chunk: Buffer) => (got += chunk.toString()));
      opened.on('data', () => got.endsWith('last') && opened.end());
      opened.on('close', () => resolve({ status, lines, got }));
      opened.write('last');
    });
    sent.end();
  });
}

/** The nodes, the home of the owner's gateway first. */
async function byHome(): Promise<[home: TestServer, other: TestServer]> {
  const { home } = await clientOf(nodes[0] as TestServer).gateway.status();
  return home === 'n1'
    ? [nodes[0] as TestServer, nodes[1] as TestServer]
    : [nodes[1] as TestServer, nodes[0] as TestServer];
}

const block = (value: string) => ({
  name: 'blocked',
  ruleType: 'Cancel' as const,
  pairs: [{ source: { key: 'Url' as const, operator: 'Contains' as const, value } }],
});

test('all nodes have one authority, which lies in the database under seal', async () => {
  const [first, second] = await Promise.all(nodes.map((node) => clientOf(node).gateway.ca()));
  expect(second).toBe(first);
  const [row] = await postgres.query<{ readonly sealed: Buffer }>(
    'select number, sealed from gateway_authority',
    store.split('/').at(-1),
  );
  expect(Buffer.from(row?.sealed ?? '').toString('latin1')).not.toMatch(/PRIVATE|BEGIN|certificate/);
  const shown = await runLine(['ca', 'show', '--store', store], { env: SECRET });
  const { ca } = await clientOf(nodes[0] as TestServer).gateway.status();
  expect(shown.stdout).toContain(ca?.fingerprint);
  expect(
    await runLine(['ca', 'show', '--store', store], { env: { SWITCHYARD_CLUSTER_SECRET: 'x'.repeat(40) } }),
  ).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('encrypted with another SWITCHYARD_CLUSTER_SECRET') as string,
  });
});

test('an edit at any node acts on the next request at any node, within tunnels, too', async () => {
  for (let round = 0; round < 10; round++) {
    const [editor, reader] = round % 2 === 0 ? nodes : nodes.toReversed();
    const path = `/edit-${round}`;
    const { id } = await clientOf(editor as TestServer).rules.create(block(path));
    const shown = await Promise.all([
      ...nodes.map((node) => through(node, real(path))),
      throughTls(reader as TestServer, path),
      throughTls(editor as TestServer, path),
    ]);
    expect(shown.map(({ status }) => status)).toEqual([418, 418, 418, 418]);
    await clientOf(reader as TestServer).rules.delete(id);
    const after = await Promise.all([
      ...nodes.map((node) => through(node, real(path))),
      throughTls(editor as TestServer, path),
    ]);
    expect(after.map(({ status }) => status)).toEqual([200, 200, 200]);
  }
});

test('what happened is the same by way of any node', async () => {
  const [home, other] = await byHome();
  await clientOf(other).gateway.reset();
  await through(home, real('/one'));
  await through(other, real('/two'));
  await throughTls(other, '/three');
  const states = await Promise.all(nodes.map((node) => clientOf(node).gateway.status()));
  expect(states[1]).toMatchObject({ epoch: states[0]?.epoch, home: states[0]?.home, running: true });
  expect(states[1]?.server).not.toBe(states[0]?.server);
  for (const node of nodes) {
    const { records, epoch } = await clientOf(node).gateway.requests();
    expect(records.map(({ url }) => new URL(url).pathname)).toEqual(['/three', '/two', '/one']);
    expect(epoch).toBe(states[0]?.epoch);
    expect(await clientOf(node).gateway.counts()).toMatchObject({ total: 3, outcomes: { forward: 3 }, epoch });
  }
});

test('a request by way of another node reaches the upstream as it does at home, and so does its answer', async () => {
  const [home, other] = await byHome();
  const lines = [
    'X-Twice',
    'a',
    'x-twice',
    '\xe9',
    'Connection',
    'x-hop',
    'X-Hop',
    '1',
    'TE',
    'trailers',
    'X-Last',
    'z',
  ];
  for (const [path, options] of [
    ['/plain?a=%20b&c', { lines }],
    ['/posted', { method: 'POST', lines: [...lines, 'Content-Length', '4'], body: 'body' }],
    ['/chunked', { method: 'PUT', lines: [...lines, 'Transfer-Encoding', 'chunked'], body: 'body' }],
    ['/waited', { method: 'POST', lines: ['Expect', '100-continue', 'Content-Length', '4'], body: 'body' }],
    ['/head', { method: 'GET' }],
    ['/plain', { method: 'HEAD' }],
    ['/cut', {}],
  ] as const) {
    const [direct, forwarded] = [await through(home, real(path), options), await through(other, real(path), options)];
    // `via` names the egress process of the home.
    expect([path, forwarded]).toEqual([path, direct]);
  }
  const { records } = await clientOf(other).gateway.requests({ limit: 50 });
  const one = records.find(({ url }) => url.endsWith('/plain?a=%20b&c'));
  const { requestHeaders } = await clientOf(other).gateway.request(one?.id ?? '');
  expect(requestHeaders).toContainEqual({ name: 'TE', value: 'trailers' });
  expect(requestHeaders.filter(({ name }) => name.startsWith('x-switchyard'))).toEqual([]);
});

test('a WebSocket by way of another node opens as it does at home: by its whole URL and within tunnels', async () => {
  const [home, other] = await byHome();
  const plan = await clientOf(other).rules.create({
    name: 'plan',
    ruleType: 'Headers',
    pairs: [
      {
        source: { key: 'Url', operator: 'Contains', value: '/chat' },
        modifications: { Request: [{ type: 'Add', header: 'x-plan', value: 'gold' }] },
      },
    ],
  });
  const closed = await clientOf(other).rules.create(block('/closed'));
  for (const over of [undefined, 'tunnel', 'tls'] as const) {
    const [direct, forwarded] = [
      await upgradeThrough(home, '/chat?a', over),
      await upgradeThrough(other, '/chat?a', over),
    ];
    expect([over, direct]).toEqual([
      over,
      {
        status: 101,
        got: 'firstlast',
        lines: expect.arrayContaining(['X-Case', 'kept', '/chat?a websocket upgrade gold']) as unknown,
      },
    ]);
    expect([over, forwarded]).toEqual([over, direct]);
    expect((await upgradeThrough(other, '/closed', over)).status).toBe(418);
  }
  const { records } = await clientOf(other).gateway.requests({ limit: 9 });
  expect(records.map(({ status }) => status)).toEqual([418, 101, 101, 418, 101, 101, 418, 101, 101]);
  for (const { id } of [plan, closed]) await clientOf(other).rules.delete(id);
});

test('a client without a key is refused where it asks, and one that is redirected gets there', async () => {
  const [, other] = await byHome();
  const socket = connect(gatewayPort(other), '127.0.0.1');
  socket.write(
    `GET ${real('/')} HTTP/1.1\r\nHost: 127.0.0.1:${portOf(upstream)}\r\nX-Switchyard-Received: e30=\r\n\r\n`,
  );
  const chunk = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  socket.destroy();
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 407 /);
  const { id } = await clientOf(other).rules.create({
    name: 'elsewhere',
    ruleType: 'Redirect',
    pairs: [
      {
        source: { key: 'Url', operator: 'Contains', value: '/redirected' },
        destinationType: 'url',
        destination: real('/redirected/there'),
      },
    ],
  });
  const first = await through(other, real('/redirected'));
  expect([first.status, first.lines]).toEqual([307, expect.arrayContaining([real('/redirected/there')])]);
  expect((await through(other, real('/redirected/there'))).status).toBe(200);
  await clientOf(other).rules.delete(id);
});

test('settings act at any node, and a mock that is attached answers wherever its home is', async () => {
  const [home, other] = await byHome();
  const mocks = await Promise.all(
    [home, other].map((node, index) =>
      clientOf(node).mocks.create({
        name: 'attached',
        start: true,
        routes: [{ method: 'GET', path: '/a', responses: [{ body: `mock ${index}` }] }],
      }),
    ),
  );
  // Each mock's home is the node that it is first asked at.
  for (const [index, node] of [home, other].entries()) {
    const asked = await fetch(`http://127.0.0.1:${node.mockPort}/__mock/${mocks[index]?.id}/a`);
    expect(await asked.text()).toBe(`mock ${index}`);
  }
  const attach = mocks.map(({ id }, index) => ({ host: `pay-${index}.example.com`, mockId: id }));
  await clientOf(other).gateway.settings.put({ attach });
  for (const node of nodes) {
    const shown = await Promise.all([0, 1].map((index) => through(node, `http://pay-${index}.example.com/a`)));
    expect(shown.map(({ body }) => body)).toEqual(['mock 0', 'mock 1']);
  }
  await clientOf(home).gateway.settings.put({ attach: [] });
  expect((await through(other, 'http://pay-0.example.com/a')).body).not.toBe('mock 0');
});

test('nodes that wait for another authority use it from their next start on', async () => {
  const before = await clientOf(nodes[0] as TestServer).gateway.ca();
  const rotated = await runLine(['ca', 'rotate', '--store', store], { env: SECRET });
  expect(rotated.stdout).toContain('Trust it in place of the one before');
  expect(await clientOf(nodes[0] as TestServer).gateway.ca()).toBe(before);
});

test('when the home ends, another node is it: with the rules as they are, and counts that begin anew', async () => {
  const [home, other] = await byHome();
  const { id } = await clientOf(home).rules.create(block('/kept'));
  expect((await through(other, real('/kept'))).status).toBe(418);
  const before = await clientOf(other).gateway.status();
  await home.end('SIGKILL');
  // Until the lease has ended, it is refused.
  const refused = new Set<string>();
  const asked = async (): Promise<number> => {
    const { status, lines, body } = await through(other, real('/kept'));
    const { reason } = status === 418 ? { reason: '' } : (JSON.parse(body) as { reason: string });
    if (status !== 418) refused.add(`${status} ${lines[lines.indexOf('x-switchyard-error') + 1]} ${reason !== ''}`);
    return status;
  };
  await expect.poll(asked, { timeout: LATE_MS }).toBe(418);
  expect([...refused]).toEqual(['503 home true']);
  const after = await clientOf(other).gateway.status();
  expect(after.home).not.toBe(before.home);
  expect(after.epoch).not.toBe(before.epoch);
  expect((await clientOf(other).gateway.counts()).total).toBeLessThan(4);
  await clientOf(other).rules.delete(id);
  expect((await through(other, real('/kept'))).status).toBe(200);
});
