/** The gateway in the console: what goes through it is listed with the rules that acted, and becomes a rule that acts on the next request. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Client, MockRecord } from '../../src/client/index.ts';
import { realService } from '../support/real-service.ts';
import { gatewayPortOf, throughGateway } from '../support/through-gateway.ts';
import { expectAccessible } from './support/accessible.ts';
import { useOwnSite, useSite } from './support/site.ts';

const site = useOwnSite(['--gateway-port', '0']);
const plain = useSite();

const real = await realService(({ url }, response) => {
  response.writeHead(url === '/missing' ? 404 : 200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ real: url }));
});
const host = new URL(real.url).host;

let client: Client;
beforeAll(async () => {
  client = await site.client();
});

async function through(path: string, origin = real.url, user = 'key'): Promise<{ status: number; body: string }> {
  const { status, body } = await throughGateway(gatewayPortOf(site.server), `${origin}${path}`, {
    key: await site.key(),
    user,
  });
  return { status, body };
}

const rows = (page: Page): Locator => page.getByRole('grid').getByRole('row');

test('a request is listed with the rule that acted, and the rule made of another acts on the next one', async () => {
  const page = await site.open('#/mocks');
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Live traffic' }).click();
  await page.getByRole('heading', { name: 'No exchanges yet' }).waitFor();
  await page.getByText('▶ live').waitFor();
  await expectAccessible(page, 'live traffic without exchanges');

  const slow = await client.rules.create({
    name: 'Slow orders',
    ruleType: 'Delay',
    pairs: [{ source: { key: 'Path', operator: 'Equals', value: '/orders' }, delay: 5 }],
  });
  await through('/orders');
  await through('/missing');
  await rows(page)
    .filter({ hasText: /\/orders.*Slow orders/s })
    .waitFor();
  await rows(page).filter({ hasText: '/missing' }).waitFor();
  await page.getByText('2 exchanges, 1 rule hit').waitFor();
  await page.getByLabel('Applied rule').selectOption('Slow orders (1)');
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(page.url()).toContain(`rule=${slow.id}`);
  await page.getByLabel('Applied rule').selectOption('');
  await page.setViewportSize({ width: 390, height: 800 });
  const path = rows(page).getByText('/orders', { exact: true });
  expect(await path.evaluate((text) => text.scrollWidth <= text.clientWidth)).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await rows(page).filter({ hasText: '/orders' }).click();
  const drawer = page.getByRole('complementary');
  await drawer.getByText('✓ applies').waitFor();
  await drawer.getByRole('link', { name: 'Slow orders' }).waitFor();
  await drawer.getByText('delays the request').waitFor();
  await drawer.getByText('content-type').first().waitFor();
  await expectAccessible(page, 'an exchange');

  await rows(page).filter({ hasText: '/missing' }).click();
  await drawer.getByText('No rules applied.').waitFor();
  await drawer.getByText('1 rule did not apply').click();
  await drawer.getByText('matches other URLs').waitFor();
  const saved = page.waitForEvent('download');
  await drawer.getByRole('button', { name: 'Save as HAR' }).click();
  expect((await saved).suggestedFilename()).toBe('exchange-2.har');
  await drawer.getByText('Create rule').click();
  await drawer.getByRole('link', { name: 'Respond without the upstream' }).click();
  await page.getByRole('heading', { name: 'New rule: Response' }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe(`Answer GET ${host}/missing`);
  expect((await client.rules.list({})).total).toBe(1);
  await page.getByRole('textbox', { name: 'Body', exact: true }).fill('{"made":"of traffic"}');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.waitForURL(/rules\/(?!new)/);
  expect(await through('/missing')).toEqual({ status: 404, body: '{"made":"of traffic"}' });
  await page.getByRole('link', { name: '1 hit on live traffic' }).waitFor();
  await page.getByRole('link', { name: 'Rules', exact: true }).first().click();
  await page.getByText('● active on live traffic').waitFor();
  await rows(page).filter({ hasText: 'Slow orders' }).getByText('1 hit').waitFor();
  await expectAccessible(page, 'rules with hits');

  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Live traffic' }).click();
  await rows(page).first().getByText(`Answer GET ${host}/missing`).waitFor();
  await page.getByRole('button', { name: 'Reset…' }).click();
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByText('0 exchanges, 0 rule hits').waitFor();
});

test('how clients connect, and what they trust', async () => {
  const page = await site.open('#/gateway/connect', { role: 'viewer' });
  const { ca, server } = await client.gateway.status();
  await page.getByText(`curl -x ${server} -U "key:$SWITCHYARD_API_KEY" --cacert gateway-ca.pem`).waitFor();
  const browser = page.getByRole('region', { name: 'Chrome, Chromium and Edge', exact: true });
  expect(await browser.innerText()).toContain(`switchyard browser https://example.com --server ${site.origin}`);
  for (const name of ['Node.js', 'Python', 'Playwright'])
    expect(await page.getByRole('region', { name, exact: true }).innerText()).toContain(new URL(server ?? '').host);
  await page.getByText(ca?.fingerprint ?? '').waitFor();
  await expectAccessible(page, 'how clients connect');
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download gateway-ca.pem' }).click();
  expect((await saved).suggestedFilename()).toBe('gateway-ca.pem');
});

test('a server without a gateway says how it is started', async () => {
  const page = await plain.open('#/gateway', { role: 'viewer' });
  await page.getByRole('heading', { name: 'The gateway is stopped' }).waitFor();
  await page.getByText('switchyard serve --gateway-port 8082').waitFor();
  await expectAccessible(page, 'no gateway');
});

test('a host is attached to a mock, and what two people change is not lost', async () => {
  const mock = await client.mocks.create({
    name: 'Payments',
    start: true,
    routes: [{ method: 'GET', path: '/pay', responses: [{ body: 'of the mock' }] }],
  });
  const page = await site.open('#/gateway/settings');
  await page.getByRole('button', { name: 'Add a host' }).click();
  await page.getByLabel('Host 1', { exact: true }).fill('pay test');
  await page.getByLabel('Mock for host 1').selectOption('Payments');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saving the settings failed.').waitFor();
  expect(await page.getByLabel('Host 1', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Host 1', { exact: true }).fill('pay.test');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved').waitFor();
  await expectAccessible(page, 'settings of the gateway');
  expect(await through('/pay', 'http://pay.test')).toEqual({ status: 200, body: 'of the mock' });

  // Another person saves while this one types: other members are kept, the same one asks.
  await page.getByLabel('Other hosts').selectOption('Refuse them (502)');
  site.faults.fail(/PUT \/v1\/gateway\/settings/, 412, 1);
  await client.gateway.settings.put({ others: 'refuse', record: true });
  await client.gateway.settings.put({ others: 'forward', tunnel: ['pinned.test'] });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => client.gateway.settings.get()).toMatchObject({ others: 'refuse', record: true });
  expect(await client.gateway.settings.get()).toMatchObject({
    attach: [{ host: 'pay.test', mockId: mock.id }],
    tunnel: ['pinned.test'],
  });
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('link', { name: 'gateway settings' }).first().waitFor();

  const viewer = await site.open('#/gateway/settings', { role: 'viewer' });
  await viewer.getByText('pay.test → Payments').waitFor();
  expect(await viewer.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  await client.gateway.settings.put({ others: 'forward', record: false, tunnel: [], attach: [] });
});

test('a session is listed, its exchanges have their bodies and become a mock, and it is ended', async () => {
  await client.gateway.settings.put({ record: true });
  await client.gateway.session({
    id: 'checkout-1',
    label: 'a card that is refused',
    overlay: {
      rules: [
        {
          name: 'Only here',
          ruleType: 'Headers',
          pairs: [
            {
              source: { key: 'Path', operator: 'Equals', value: '/items' },
              modifications: { Response: [{ type: 'Add', header: 'x-only', value: 'here' }] },
            },
          ],
        },
      ],
    },
  });
  expect((await through('/items', real.url, 'checkout-1')).status).toBe(200);
  const page = await site.open('#/gateway/sessions');
  await rows(page).filter({ hasText: 'checkout-1' }).click();
  await page.getByText('x-mock-session: checkout-1').waitFor();
  await page.getByText('"name": "Only here"').waitFor();
  await expectAccessible(page, 'a session of the gateway');

  await page.getByRole('link', { name: 'Its traffic' }).click();
  await rows(page).filter({ hasText: '/items' }).click();
  const drawer = page.getByRole('complementary');
  await drawer.getByText('{"real":"/items"}').waitFor();
  await drawer.getByText('x-only').first().waitFor();
  await drawer.getByRole('button', { name: 'Create mock from this host' }).click();
  await expectAccessible(page, 'the dialog of a mock of a host');
  await page.getByLabel('Name').fill('Made of traffic');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: 'Mock created' }).waitFor();
  await page.getByRole('link', { name: 'Open its routes' }).click();
  await page.getByText('/items').first().waitFor();
  const [made] = (await client.mocks.list({ q: 'Made of traffic' })).records;
  expect(await (await client.mocks.fetch(made as MockRecord, '/items')).json()).toEqual({ real: '/items' });

  await page.goto(`${site.origin}/console#/gateway/sessions/checkout-1`);
  await page.getByRole('button', { name: 'End…' }).click();
  await page.getByRole('button', { name: 'End the session' }).click();
  await page.getByRole('heading', { name: 'Session checkout-1 has ended' }).waitFor();
  await page.getByText('1 exchange, 1 rule hit').waitFor();
});
