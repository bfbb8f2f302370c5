/** The documents as pages: read under the console's policy, in light and dark, and on a narrow screen. */
import { expect, test } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { openPage } from './support/open-page.ts';
import { useSite } from './support/site.ts';

const site = useSite();

test.each(['', '/start', '/mocks-matching', '/interchange', '/api', '/operations', '/http', '/licences'])(
  'the page at /console/docs%s is accessible',
  async (path) => {
    const page = await openPage(site.origin);
    await page.goto(`${site.origin}/console/docs${path}`);
    await expectAccessible(page, path);
    // The stylesheet has been taken.
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('nav ul') as Element).display)).toBe(
      'flex',
    );
  },
);

test('they are reached from one another, down to a heading, and lead back to the console', async () => {
  const page = await openPage(site.origin);
  await page.goto(`${site.origin}/console/docs`);
  await page.getByRole('main').getByRole('link', { name: 'Mocks: matching' }).click();
  await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Forced responses' }).click();
  await page.waitForURL('**/console/docs/mocks-matching#forced-responses');
  expect(await page.getByRole('heading', { name: 'Forced responses' }).boundingBox()).toMatchObject({
    y: expect.closeTo(0, -2),
  });
  await page.getByRole('navigation', { name: 'Documents' }).getByRole('link', { name: 'Operations' }).click();
  await page.waitForURL('**/console/docs/operations');
  expect(await page.getByRole('link', { name: 'Operations' }).getAttribute('aria-current')).toBe('page');
  await page
    .getByRole('navigation', { name: 'Switchyard' })
    .getByRole('link', { name: 'Console', exact: true })
    .click();
  await page.waitForURL('**/console');
});

test('they are searched, from the index and from a page', async () => {
  const page = await openPage(site.origin);
  const results = page.getByRole('list', { name: 'Search results' }).getByRole('link');
  await page.goto(`${site.origin}/console/docs`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('platforms');
  await results.filter({ hasText: 'Operations: Platforms' }).click();
  await page.waitForURL('**/console/docs/operations#platforms');
  await page.getByRole('searchbox', { name: 'Search' }).fill('forced');
  await results.filter({ hasText: 'Forced responses' }).first().click();
  await page.waitForURL('**/console/docs/mocks-matching#forced-responses');
});

test('a wide table scrolls by the keyboard, and the page does not', async () => {
  const page = await openPage(site.origin);
  await page.setViewportSize({ width: 400, height: 800 });
  await page.goto(`${site.origin}/console/docs/options#options-of-serve`);
  const table = page.getByRole('group', { name: 'Table' }).first();
  await table.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => table.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  expect(await page.evaluate(() => scrollX)).toBe(0);
});
