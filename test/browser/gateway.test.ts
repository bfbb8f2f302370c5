/** Pages of a real browser through the gateway, with HTTPS: the rules of whose key each context has act on it, and no others. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
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
});
