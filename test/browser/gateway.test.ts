/** Pages of a real browser through the gateway, with HTTPS: the rules of whose key each context has act on it, and no others. */
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createClient } from '../../src/client/index.ts';
import { eventually } from '../support/process.ts';
import { useOwnServer } from '../support/shared-server.ts';
import { fixture } from '../support/tls.ts';
import { theBrowser } from './support/chromium.ts';
import { findChromium } from './support/find-chromium.ts';

const PAGE = `<title>waiting</title><script>fetch('/api').then((r) => r.text()).then((t) => (document.title = t))</script>`;

describe.skipIf(findChromium() === undefined)('a browser', async () => {
  const credentials = { cert: readFileSync(fixture('first-cert.pem')), key: readFileSync(fixture('first-key.pem')) };
  const upstream = createServer(credentials, (req, res) => {
    res.setHeader('content-type', 'text/html');
    res.end(req.url === '/api' ? 'real' : PAGE);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  afterAll(() => (upstream.closeAllConnections(), upstream.close()));
  const { server, key } = await useOwnServer(['--gateway-port', '0', '--egress-ca', fixture('root.pem')]);

  test('gets what the rules of the key say, two keys at a time', async () => {
    const clients = [key, await server.key('another')].map((each) =>
      createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: each }),
    );
    await clients[0]?.rules.create({
      name: 'api',
      ruleType: 'Response',
      pairs: [{ source: { key: 'Path', operator: 'Equals', value: '/api' }, type: 'static', value: 'ruled' }],
    });
    const browser = await theBrowser();
    const titles = await Promise.all(
      clients.map(async (client) => {
        const context = await browser.newContext({ proxy: await client.gateway.proxyFor(), ignoreHTTPSErrors: true });
        const page = await context.newPage();
        await page.goto(`https://localhost:${(upstream.address() as AddressInfo).port}/`);
        await page.waitForFunction(() => document.title !== 'waiting');
        const title = await page.title();
        await context.close();
        return title;
      }),
    );
    expect(titles).toEqual(['ruled', 'real']);
    expect((await clients[1]?.gateway.counts())?.ruleHits).toBe(0);
  });

  test('a page of another origin posts JSON, and reads what rules answer, with cookies too', async () => {
    const api = createPlainServer((req, res) => {
      const { origin = '', 'access-control-request-headers': asked = '' } = req.headers;
      const lines = { 'access-control-allow-origin': origin, 'access-control-allow-headers': asked };
      res.writeHead(200, { ...lines, 'access-control-allow-credentials': 'true' });
      res.end(req.method === 'OPTIONS' ? undefined : 'real');
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const place = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: await server.key('pages') });
    const mock = await client.mocks.create({
      name: 'payments',
      start: true,
      routes: [{ method: 'POST', path: '/pay', responses: [{ body: '{"paid":true}' }] }],
    });
    const respond = (value: string, members: object) => ({
      name: value,
      ruleType: 'Response' as const,
      pairs: [{ source: { key: 'Url' as const, operator: 'Contains' as const, value }, type: 'static', ...members }],
    });
    const drafts = [
      respond('//app.example/', { value: '<!doctype html><title>shop</title>', serveWithoutRequest: true }),
      respond('//api.example/served', { value: '{"id":1}', serveWithoutRequest: true }),
      respond('/refused', { value: '{"error":"card"}', statusCode: '402' }),
      respond('/down', { value: '{"error":"down"}', statusCode: '500' }),
    ];
    for (const draft of drafts) await client.rules.create(draft);
    const source = { key: 'Url' as const, operator: 'Wildcard_Matches' as const, value: 'http://pay.example/*' };
    const destination = `http://127.0.0.1:${server.mockPort}/__mock/${mock.id}/$1`;
    const moved = { source, destinationType: 'url' as const, destination };
    await client.rules.create({ name: 'to the mock', ruleType: 'Redirect', pairs: [moved] });
    const browser = await theBrowser();
    const context = await browser.newContext({ proxy: await client.gateway.proxyFor() });
    const page = await context.newPage();
    await page.goto('http://app.example/');
    const post = (url: string, cookies: RequestCredentials): Promise<string> =>
      page.evaluate(
        async ([to, how]) => {
          const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
          const answer = fetch(to as string, { ...init, credentials: how as RequestCredentials });
          return answer.then(async (got) => `${got.status} ${await got.text()}`, String);
        },
        [url, cookies],
      );
    for (const cookies of ['omit', 'include'] as const) {
      expect(await post('http://api.example/served', cookies)).toBe('200 {"id":1}');
      expect(await post(`${place}/refused`, cookies)).toBe('402 {"error":"card"}');
      expect(await post(`${place}/down`, cookies)).toBe('500 {"error":"down"}');
      expect(await post(`${place}/left`, cookies)).toBe('200 real');
    }
    expect(await post('http://pay.example/pay', 'omit')).toBe('200 {"paid":true}');
    await context.close();
    api.closeAllConnections();
    api.close();
  });

  test('opens WebSockets, ws: and wss:, on whose handshakes the rules of the key act', async () => {
    const plain = createPlainServer(
      (_req, res) => void res.setHeader('content-type', 'text/html').end('<title>ws</title>'),
    );
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const sockets = [plain, upstream].map((each) => new WebSocketServer({ server: each }));
    for (const each of sockets) {
      each.on('connection', (socket, { url, headers }) => {
        socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
        socket.send(`${url} ${String(headers['x-plan'])}`);
      });
    }
    const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: await server.key('sockets') });
    const source = (value: string) => ({ key: 'Path' as const, operator: 'Contains' as const, value });
    await client.rules.create({
      name: 'plan',
      ruleType: 'Headers',
      pairs: [{ source: source('/'), modifications: { Request: [{ type: 'Add', header: 'x-plan', value: 'gold' }] } }],
    });
    await client.rules.create({ name: 'none', ruleType: 'Cancel', pairs: [{ source: source('/closed') }] });
    const browser = await theBrowser();
    const context = await browser.newContext({ proxy: await client.gateway.proxyFor(), ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const addresses = [plain, upstream].map((each) => `localhost:${(each.address() as AddressInfo).port}`);
    for (const [index, scheme] of ['', 's'].entries()) {
      await page.goto(`http${scheme}://${addresses[index]}/`);
      const open = (path: string) =>
        page.evaluate(
          (url) =>
            new Promise<unknown[]>((resolve) => {
              const socket = new WebSocket(url);
              socket.binaryType = 'arraybuffer';
              const got: unknown[] = [];
              socket.addEventListener('error', () => resolve(['refused']));
              socket.addEventListener('message', ({ data }) => {
                got.push(typeof data === 'string' ? data : (data as ArrayBuffer).byteLength);
                if (got.length === 1) socket.send('text');
                else if (got.length === 2) socket.send(new Uint8Array(100_000));
                else resolve(got);
              });
            }),
          `ws${scheme}://${addresses[index]}${path}`,
        );
      expect(await open('/chat?a=1')).toEqual(['/chat?a=1 gold', 'text', 100_000]);
      expect(await open('/closed')).toEqual(['refused']);
      // An exchange is recorded behind its answer, and Chromium may ask for an icon meanwhile.
      const handshakes = async () => {
        const { records } = await client.gateway.requests({ host: addresses[index] as string });
        return records
          .filter(({ url }) => /\/(?:chat|closed)/.test(url))
          .map(({ url, outcome, status }) => [url, outcome, status]);
      };
      expect(await eventually(async () => (await handshakes()).length === 2)).toBe(true);
      expect((await handshakes()).toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))).toEqual([
        [`http${scheme}://${addresses[index]}/chat?a=1`, 'forward', 101],
        [`http${scheme}://${addresses[index]}/closed`, 'blocked', 418],
      ]);
    }
    await context.close();
    for (const each of sockets) each.close();
    plain.closeAllConnections();
    plain.close();
  });
});
