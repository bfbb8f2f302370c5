import { expect, test } from 'switchyard-server/playwright';

for (const left of [0, 1, 2, 3]) {
  test(`the page shows that ${left} are left`, async ({ page, gateway }) => {
    await gateway.mock('shop').putOverlay({ responses: { stock: { body: `{"left":${left}}` } } });
    await page.goto('/');
    await expect(page.locator('p')).toHaveText(`${left} left`);
    expect((await gateway.requests({ host: 'stock.example.com' })).total).toBe(1);
  });
}

test.describe('with an offer', () => {
  test.use({
    gatewayOverlay: {
      attach: { 'stock.example.com': 'shop' },
      rules: [
        {
          name: 'offer',
          ruleType: 'Response',
          pairs: [
            {
              source: { key: 'host', operator: 'Equals', value: 'offers.example.com' },
              response: { type: 'static', value: `document.body.append('today only')`, serveWithoutRequest: true },
            },
          ],
        },
      ],
    },
  });

  test('the page runs what a rule answers in place of a third party', async ({ page }) => {
    await page.goto('/');
    await expect(page.locator('body')).toContainText('today only');
  });
});
