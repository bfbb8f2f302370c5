import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'switchyard-server/playwright';

for (const left of [0, 1, 2, 3]) {
  test(`the page shows that ${left} are left`, async ({ page, mocks }) => {
    const shop = mocks.session('shop');
    await shop.putOverlay({ responses: { stock: { body: `{"left":${left}}` } } });
    await page.goto('/');
    await expect(page.locator('p')).toHaveText(`${left} left`);
    await expect(shop).toHaveBeenRequested({ path: '/stock/7' }, { times: 1 });
  });
}

test('a third party does not see the session', async ({ page }) => {
  const seen: IncomingHttpHeaders[] = [];
  const partner = createServer(({ headers }, response) => {
    seen.push(headers);
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  }).listen(0, '127.0.0.1');
  await page.goto('/');
  await page.evaluate((url) => fetch(url), `http://localhost:${(partner.address() as AddressInfo).port}/`);
  expect(seen).toHaveLength(1);
  expect(seen[0]).not.toHaveProperty('baggage');
  expect(seen[0]).not.toHaveProperty('cookie');
  partner.close();
});
