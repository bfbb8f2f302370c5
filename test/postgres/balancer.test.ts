/** HAProxy as docs/haproxy.cfg sets it up, in front of stubs: where requests go, and what clients notice of a node that leaves. */
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { onUndo } from '../support/server.ts';
import { findHaproxy, NO_HAPROXY } from './support/find-haproxy.ts';
import { checkConfig, Haproxy, HAPROXY_CONFIG } from './support/haproxy.ts';

/** As in the file. */
const DOMAIN = 'mocks.example.com';
const MOCKS = Array.from({ length: 200 }, (_, index) => `m${index}${'x'.repeat(index % 20)}`);
const KEYS = Array.from({ length: 200 }, (_, index) => `sy_${index}`);

/** Two checks a second apart fail, and each may take part of one. */
const LEAVES_MS = 3_000;

/** What balancer and stub do in a row until a request is answered takes a few milliseconds, a retry in place of a redispatch a second. */
const AT_ONCE_MS = 900;

/** Stands in for a node: answers with its name, and takes part as long as it says that it is ready. */
class Stub {
  readonly name: string;
  isReady = true;
  /** How long it takes to answer. */
  latency = 0;
  /** Requests other than checks. */
  requests = 0;
  /** Milliseconds for which a connection had been idle when it was used again. */
  readonly idleMs: number[] = [];
  readonly #servers: readonly [Server, Server];
  readonly #sockets = new Set<Socket>();

  constructor(name: string) {
    this.name = name;
    const usedAt = new WeakMap<Socket, number>();
    const serve = (): Server =>
      createServer(async (request, response) => {
        // As uWebSockets.js does it.
        if (request.httpVersion === '1.0') {
          response.writeHead(505).end();
          return;
        }
        if (request.url === '/readyz') {
          response.writeHead(this.isReady ? 200 : 503).end();
          return;
        }
        this.requests++;
        const { socket } = request;
        const before = usedAt.get(socket);
        if (before !== undefined) this.idleMs.push(performance.now() - before);
        if (this.latency > 0) await sleep(this.latency);
        response.end(this.name, () => usedAt.set(socket, performance.now()));
      });
    this.#servers = [serve(), serve()];
    for (const server of this.#servers) {
      server.keepAliveTimeout = 60_000;
      server.on('connection', (socket) => {
        this.#sockets.add(socket);
        socket.on('close', () => this.#sockets.delete(socket));
      });
    }
    onUndo(() => this.kill());
  }

  static async start(name: string): Promise<Stub> {
    const stub = new Stub(name);
    for (const server of stub.#servers)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    return stub;
  }

  get port(): number {
    return (this.#servers[0].address() as AddressInfo).port;
  }

  get mockPort(): number {
    return (this.#servers[1].address() as AddressInfo).port;
  }

  /** As a process that ends: its ports refuse, and its connections are closed. */
  kill(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

function ask(port: number, path: string, headers: Record<string, string>, agent?: Agent): Promise<Reply> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(
      { host: '127.0.0.1', port, path, headers, agent: agent ?? false },
      (response: IncomingMessage) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (body += chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode as number, body, ms: performance.now() - began }),
        );
      },
    );
    request.on('error', reject);
  });
}

describe.skipIf(findHaproxy() === undefined)(`docs/haproxy.cfg (skipped where ${NO_HAPROXY})`, () => {
  let stubs: Stub[];
  let haproxy: Haproxy;
  beforeEach(async () => {
    stubs = [await Stub.start('n1'), await Stub.start('n2'), await Stub.start('n3')];
    haproxy = await Haproxy.start(stubs);
  });
  afterEach(async () => {
    await haproxy.stop();
    for (const stub of stubs) stub.kill();
  });

  const askMock = (mockId: string): Promise<Reply> => ask(haproxy.mockPort, '/', { host: `${mockId}.${DOMAIN}` });
  const askApi = (key: string): Promise<Reply> => ask(haproxy.port, '/v1/rules', { 'x-api-key': key });

  /** The mocks that lead to each stub. */
  async function mocksOf(): Promise<Map<string, string[]>> {
    const homes = new Map(stubs.map(({ name }) => [name, [] as string[]]));
    for (const mockId of MOCKS) homes.get((await askMock(mockId)).body)?.push(mockId);
    return homes;
  }

  test('is taken by HAProxy as it is', () => {
    expect(checkConfig(HAPROXY_CONFIG)).toContain('valid');
  });

  test('all addresses of a mock and of its sessions lead to one node, and mocks to all nodes', async () => {
    const { mockPort } = haproxy;
    const counts = new Map<string, number>();
    for (const mockId of MOCKS) {
      const replies = await Promise.all([
        ask(mockPort, '/', { host: `${mockId}.${DOMAIN}` }),
        ask(mockPort, '/__mock/elsewhere/', { host: `${mockId}.${DOMAIN}:8081`, 'x-mock-id': 'elsewhere' }),
        ask(mockPort, '/', { host: `${mockId.toUpperCase()}.${DOMAIN.toUpperCase()}` }),
        ask(mockPort, '/x', { host: `test-7--${mockId}.${DOMAIN}` }),
        ask(mockPort, '/x', { host: `a--b--${mockId}.${DOMAIN}` }),
        ask(mockPort, `/__mock/${mockId}`, {}),
        ask(mockPort, `/__mock/${mockId}/x?y=/__mock/elsewhere/`, { 'x-mock-id': 'elsewhere' }),
        ask(mockPort, `/__mock/${mockId}/__session/test-7/x`, { host: 'localhost:8081' }),
        ask(mockPort, '/x', { 'x-mock-id': mockId }),
        // Names of no mock: the next address counts.
        ask(mockPort, `/__mock/${mockId}/x`, { host: `no-mock.${DOMAIN}` }),
        ask(mockPort, '/__mock/No/x', { host: `api.example.com`, 'x-mock-id': mockId }),
      ]);
      const homes = new Set(replies.map(({ status, body }) => `${status} ${body}`));
      expect([...homes], mockId).toHaveLength(1);
      const [home = ''] = homes;
      counts.set(home, (counts.get(home) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(['200 n1', '200 n2', '200 n3']);
    for (const count of counts.values()) expect(count).toBeGreaterThan(MOCKS.length / 10);
  });

  test('a key leads to one node, and keys to all nodes', async () => {
    const counts = new Map<string, number>();
    for (const key of KEYS) {
      const homes = new Set<string>();
      for (let turn = 0; turn < 3; turn++) homes.add((await askApi(key)).body);
      expect([...homes], key).toHaveLength(1);
      const [home = ''] = homes;
      counts.set(home, (counts.get(home) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(['n1', 'n2', 'n3']);
    for (const count of counts.values()) expect(count).toBeGreaterThan(KEYS.length / 10);
  });

  test('a node that is not ready gets no new requests, without an error; the mocks of others stay where they are', async () => {
    const before = await mocksOf();
    const [leaving] = stubs as [Stub];
    const failed: Reply[] = [];
    let asked = 0;
    const until = performance.now() + LEAVES_MS;
    const load = [...MOCKS.keys()].slice(0, 8).map(async (first) => {
      for (let index = first; performance.now() < until; index += 8) {
        const reply = await (index % 2 === 0
          ? askMock(MOCKS[index % MOCKS.length] as string)
          : askApi(KEYS[index % KEYS.length] as string));
        asked++;
        if (reply.status !== 200) failed.push(reply);
      }
    });
    leaving.isReady = false;
    await Promise.all(load);
    expect(failed).toEqual([]);
    expect(asked).toBeGreaterThan(100);

    const { requests } = leaving;
    for (const key of KEYS) expect((await askApi(key)).status).toBe(200);
    const after = await mocksOf();
    expect(leaving.requests).toBe(requests);
    for (const { name } of stubs.slice(1))
      expect(after.get(name)).toEqual(expect.arrayContaining(before.get(name) as string[]));

    leaving.isReady = true;
    await expect.poll(mocksOf, { timeout: 2 * LEAVES_MS }).toEqual(before);
  });

  test('what a node has begun is answered, though it is not ready any more', async () => {
    const [leaving] = stubs as [Stub];
    const [mockId = ''] = (await mocksOf()).get(leaving.name) as string[];
    leaving.latency = LEAVES_MS + 1_000;
    const reply = askMock(mockId);
    await sleep(100);
    leaving.isReady = false;
    expect(await reply).toMatchObject({ status: 200, body: leaving.name });
  });

  test('a killed node fails no new request: others get them at once', async () => {
    const before = await mocksOf();
    const [killed] = stubs as [Stub];
    killed.kill();
    // At once, while it still counts as ready.
    const replies = await Promise.all([...(before.get(killed.name) as string[]).map(askMock), ...KEYS.map(askApi)]);
    expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    expect(new Set(replies.map(({ body }) => body))).toEqual(new Set(['n2', 'n3']));
    // The last of so many may have waited for a busy machine.
    const times = replies.map(({ ms }) => ms).toSorted((one, other) => one - other);
    expect(times[times.length >> 1]).toBeLessThan(AT_ONCE_MS);
  });

  test('a request whose node has taken it is not sent again', async () => {
    const { body } = await askMock('once');
    const home = stubs.find(({ name }) => name === body) as Stub;
    const countAll = (): number => stubs.reduce((sum, { requests }) => sum + requests, 0);
    const before = countAll();
    home.latency = 60_000;
    const reply = askMock('once');
    await expect.poll(countAll).toBe(before + 1);
    home.kill();
    expect((await reply).status).toBe(502);
    expect(countAll()).toBe(before + 1);
  });

  test('where no node is ready, the API is refused, and mocks are asked where they were', async () => {
    const before = await mocksOf();
    for (const stub of stubs) stub.isReady = false;
    await expect.poll(async () => (await askApi('sy_1')).status, { timeout: 2 * LEAVES_MS }).toBe(503);
    await sleep(1_000);
    expect(await mocksOf()).toEqual(before);
  });

  test('a connection to a node is let go before the node would close it', async () => {
    // The first request of a client's connection does not go over one that is there already.
    const agent = new Agent({ keepAlive: true });
    onUndo(() => agent.destroy());
    const askAgain = (mockId: string): Promise<Reply> => ask(haproxy.mockPort, '/', { 'x-mock-id': mockId }, agent);
    for (const stub of stubs) stub.latency = 20;
    for (let turn = 0; turn < 5; turn++) await Promise.all(MOCKS.map(askAgain));
    for (const stub of stubs) {
      stub.latency = 0;
      stub.idleMs.length = 0;
    }
    for (let index = 0; index < 120; index++) {
      await askAgain(MOCKS[index] as string);
      await sleep(80);
    }
    agent.destroy();
    const idleMs = stubs.flatMap((stub) => stub.idleMs);
    expect(idleMs.length).toBeGreaterThan(10);
    expect(Math.max(...idleMs)).toBeLessThan(7_500);
  });
});
