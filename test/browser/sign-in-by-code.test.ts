/** Signing in by a link of `switchyard console`: once, without a trace of its code, and with a way on when it fails. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from './support/accessible.ts';
import { openTab } from './support/open-page.ts';
import { useSite } from './support/site.ts';

const site = useSite();

const link = (code: string): string => `${site.origin}/console#code=${code}`;

const arrived = (page: Page): Promise<void> => page.getByRole('heading', { level: 1, name: 'Mocks' }).waitFor();

test('a link signs in as it says; the code is gone from the address, the history and the storage', async () => {
  const code = await site.server.code('team', 'ann', 'viewer');
  const page = await openTab(site.origin);
  await page.goto(link(code));
  await arrived(page);
  await page.getByText('This key is read-only.').waitFor();
  expect(page.url()).toBe(`${site.origin}/console#/mocks`);
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)]),
  );
  expect(stored).not.toContain(code);
  await page.reload();
  await arrived(page);

  await page.getByRole('button', { name: /^Account ann/ }).click();
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  await page.getByText(/in 23 hours/).waitFor();
  await page.goBack();
  await arrived(page);
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(3);
});

test('a code works once; what follows is said, and the form for a key is there', async () => {
  const code = await site.server.code('team', 'bo');
  const first = await openTab(site.origin);
  await first.goto(link(code));
  await arrived(first);
  const second = await openTab(site.origin);
  await second.goto(link(code));
  await second.getByRole('alert').getByText('This link has expired').waitFor();
  await second.getByText('switchyard console').waitFor();
  await expectAccessible(second, 'a code that is used');
  await second.getByRole('button', { name: 'Sign in with a key' }).click();
  await second.getByLabel('API key').fill(await site.key());
  await second.keyboard.press('Enter');
  await arrived(second);
});

test('a code in a tab that is signed in takes the place of its key; one that fails leaves it', async () => {
  const page = await site.open('#/rules');
  await page.goto(link(await site.server.code('team', 'cy')));
  await arrived(page);
  await page.getByRole('button', { name: /^Account cy/ }).waitFor();
  await page.goto(link('<script>harm()</script>'));
  await page.getByRole('button', { name: 'Continue with the current key' }).click();
  await page.getByRole('button', { name: /^Account cy/ }).waitFor();
});

test.each([500, 503] as const)('a server that answers %s is asked again with the same code', async (fault) => {
  site.faults.fail(/console\/key/, fault, 1);
  const page = await openTab(site.origin);
  await page.goto(link(await site.server.code('team', 'di')));
  await page.getByText('Signing in failed.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await arrived(page);
  expect(page.url()).not.toContain('code');
});

test('a server that fails after the exchange is asked again with the key', async () => {
  site.faults.fail(/\/v1\/me/, 500, 1);
  const page = await openTab(site.origin);
  await page.goto(link(await site.server.code('team', 'ed')));
  await page.getByRole('button', { name: 'Try again' }).click();
  await arrived(page);
});
