/**
 * What a web page somewhere else can do to a server on this machine: under a name of its own that leads to a loopback address (DNS
 * rebinding), under another spelling of that address, or across origins. Names that are answered: framing.test.ts.
 */
import { lookup } from 'node:dns/promises';
import { hostname } from 'node:os';
import { isLoopback } from '../../src/http/admission/host-check.ts';
import { healthRoute } from '../../src/http/api/health.ts';
import { HttpServer } from '../../src/http/server.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, expectRefusal, rawRequest, untilClosed } from '../support/raw-http.ts';
import { TestServer } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const RULE = JSON.stringify({ name: 'rebound', ruleType: 'Delay', pairs: [{ delay: 1 }] });

const { server, key } = await useServer();

async function ruleCount(): Promise<number> {
  return (await server.request('GET', '/v1/rules', { key })).json.total as number;
}

describe('a page whose own name leads to this machine', () => {
  const PAGE = ['Host: evil.example', 'Origin: http://evil.example'];

  test.each([
    'GET /healthz',
    'GET /readyz',
    'GET /metrics',
    'GET /docs',
    'GET /v1/openapi.json',
    'GET /v1/rules',
    'GET /v1/mocks/mnone/requests/stream',
    'OPTIONS /v1/rules',
    'DELETE /v1/rules/Delay_none',
    'POST /v1/rules',
    'POST /v1/mocks',
    'GET /nowhere',
  ])('is refused %s, with a key and without', async (line) => {
    for (const keyLine of [[], [`x-api-key: ${key}`]]) {
      const body = line.startsWith('POST') ? RULE : '';
      const lines = [...PAGE, ...keyLine, `Content-Length: ${body.length}`];
      expectRefusal(await ask(server.port, rawRequest(`${line} HTTP/1.1`, lines, body)), 403, 'Host not allowed');
    }
    expect(await ruleCount()).toBe(0);
  });

  const expectRefused = async (name: string, status: number, message: string): Promise<void> => {
    const lines = [`Host: ${name}`, `x-api-key: ${key}`, `Content-Length: ${RULE.length}`];
    const request = rawRequest('POST /v1/rules HTTP/1.1', lines, RULE);
    expectRefusal(await ask(server.port, request), status, message);
    expect(await ruleCount()).toBe(0);
  };

  test.each([
    'localhost.evil.com',
    '127.0.0.1.nip.io',
    '127-0-0-1.nip.io',
    'xlocalhost',
    'localhost.evil.com:80',
    'localhost..',
    '.localhost',
    '..localhost',
    'xn--loclhost-2za',
    'LOCALHOST.EVIL.COM',
    'ip6-localhost',
    'localhost6',
    'localdomain',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '127.1',
    '127.0.1',
    '0',
    '0.0.0.0',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[fe80::1]',
    '-',
    'null',
  ])('is refused under the name %j', (name) => expectRefused(name, 403, 'Host not allowed'));

  test.each([
    'evil.com:localhost',
    'evil.com#localhost',
    'evil.com/localhost',
    'evil.com\\localhost',
    'evil.com?.localhost',
    'evil@localhost',
    'evil:secret@127.0.0.1',
    'localhost:80:80',
    'localhost:x',
    'localhost ,evil.com',
    'localhost\tevil.com',
    'locälhost',
    '%6cocalhost',
    '[::1',
    '::1',
    '[::1%25lo]',
    '[::1].evil.com',
    '*',
  ])('is refused under %j, which is not a name', (name) => expectRefused(name, 400, 'Bad Request'));

  test('runs nothing when the target names another host', async () => {
    for (const target of ['http://localhost/v1/rules', 'http://evil.example/v1/rules', '//localhost/v1/rules']) {
      const lines = ['Host: evil.example', `x-api-key: ${key}`, `Content-Length: ${RULE.length}`, 'Connection: close'];
      expect(await untilClosed(server.port, rawRequest(`POST ${target} HTTP/1.1`, lines, RULE))).not.toMatch(/ 200 /);
    }
    expect(await ruleCount()).toBe(0);
  });
});

/** The statuses of `GET /healthz` under some names, of a server of the API alone. */
async function statusesOf(host: string, names: (port: number) => readonly string[]): Promise<number[]> {
  const bound = HttpServer.listen({
    host,
    port: 0,
    tls: undefined,
    onLoopback: await isLoopback(host),
    corsOrigins: [],
    allowedHosts: [],
    mockDomains: [],
    always: [healthRoute],
    load: { isOverloaded: false, takeMemory: () => true },
    memory: { bodiesBytesMax: 1, repliesBytesMax: 1_000_000 },
    onAnswered: () => undefined,
    onError: () => undefined,
  });
  try {
    // Another server may have the same port of another loopback address.
    const { address } = await lookup(host);
    return await statusesAt(bound.port, names(bound.port), address);
  } finally {
    bound.close();
  }
}

async function statusesAt(port: number, names: readonly string[], host = '127.0.0.1'): Promise<number[]> {
  const address = { port, host };
  const statuses: number[] = [];
  for (const name of names) {
    statuses.push((await ask(address, rawRequest('GET /healthz HTTP/1.1', [`Host: ${name}`]))).status);
  }
  return statuses;
}

describe('a server bound to a loopback address, in any notation, answers to loopback names only:', () => {
  test.each(['127.1', '::ffff:127.0.0.1', 'LocalHost', '0:0:0:0:0:0:0:1', '2130706433', '127.255.0.7'])(
    '%s',
    async (host) => expect(await statusesOf(host, () => ['evil.example', 'localhost'])).toEqual([403, 200]),
  );

  test('--host', async () => {
    const bound = await TestServer.start(['--host', '127.1']);
    expect(await statusesAt(bound.port, ['evil.example', 'localhost'])).toEqual([403, 200]);
    expect(await bound.end()).toBe(0);
  });
});

/** Many machines have their own name for a loopback address; `isLoopback` tells whether this one does. */
test.skipIf(!(await isLoopback(hostname())))(
  'a server that is bound to a name of this machine answers to it, and to no other name',
  async () => {
    const statuses = await statusesOf(hostname(), (port) => [`${hostname()}:${port}`, 'evil.example']);
    expect(statuses).toEqual([200, 403]);
  },
);

/** Bound to all addresses, and to be read by pages of a few origins. */
let open: TestServer;
beforeAll(async () => {
  const origins = 'https://app.example,http://localhost:5173,chrome-extension://abcdefgh';
  open = await TestServer.start(['--host', '0.0.0.0', '--cors-origin', origins]);
});
afterAll(async () => expect(await open.end()).toBe(0));

test('a server that is bound to all addresses answers to every name: it cannot know its own', async () => {
  for (const name of ['evil.example', '10.1.2.3', 'localhost']) {
    expect((await ask(open.port, rawRequest('GET /healthz HTTP/1.1', [`Host: ${name}`]))).status).toBe(200);
    expect((await ask(open.port, rawRequest('GET /v1/rules HTTP/1.1', [`Host: ${name}`]))).status).toBe(401);
  }
});

describe('across origins', () => {
  test('a request that needs no preflight does nothing: the key is in a header that no form can send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
      const answer = await server.request('POST', `/v1/rules?x-api-key=${key}`, {
        body: RULE,
        headers: { origin: 'https://evil.example', 'content-type': type, cookie: `x-api-key=${key}` },
      });
      expect(answer.status).toBe(401);
    }
    expect(await ruleCount()).toBe(0);
  });

  test('with --cors-origin only pages of these origins may read, whatever they request', async () => {
    const lines = ['/healthz', '/v1/rules', '/v1/openapi.json', '/docs', '/metrics', '/nowhere'];
    for (const path of lines) {
      for (const method of ['GET', 'OPTIONS', 'PATCH']) {
        const allowed = async (origin?: string): Promise<[string | null, string | null]> => {
          const { headers } = await open.request(method, path, { headers: origin === undefined ? {} : { origin } });
          return [headers.get('access-control-allow-origin'), headers.get('vary')];
        };
        const vary = 'origin';
        expect(await allowed('https://app.example')).toEqual(['https://app.example', vary]);
        expect(await allowed('http://localhost:5173')).toEqual(['http://localhost:5173', vary]);
        expect(await allowed('chrome-extension://abcdefgh')).toEqual(['chrome-extension://abcdefgh', vary]);
        for (const other of [
          'https://evil.example',
          'http://app.example',
          'https://app.example:8443',
          'https://app.example.evil.example',
          'https://sub.app.example',
          'https://app.example/',
          'HTTPS://APP.EXAMPLE',
          'null',
          '*',
        ]) {
          expect(await allowed(other), other).toEqual([null, vary]);
        }
        // Else a cache would keep for a page what was answered to nobody's.
        expect(await allowed(), `${method} ${path} without an Origin`).toEqual([null, vary]);
      }
    }
  });
});
