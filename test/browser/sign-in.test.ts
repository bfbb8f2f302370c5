/** The way in: the form for a key, what it says when it fails, and the way out. */
import { expect, test } from 'vitest';
import { revokeKey } from '../../src/cli/keys.ts';
import { keyIdOf } from '../../src/model/api-key.ts';
import { expectAccessible } from './support/accessible.ts';
import { hasFocus, moveTo } from './support/keyboard.ts';
import { openTab } from './support/open-page.ts';
import { useSite } from './support/site.ts';

const site = useSite();

test('a key leads to the place of the address, is kept for the tab, and is forgotten when asked to', async () => {
  const page = await openTab(site.origin);
  await page.goto(`${site.origin}/console#/rules`);
  await page.getByLabel('API key').fill(await site.key());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
  expect(await page.context().cookies()).toEqual([]);
  expect(page.url()).not.toContain('sy_');

  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  await page.reload();
  await page.getByLabel('API key').waitFor();
});

test('an address without a fragment opens its screen, after signing in too', async () => {
  const page = await openTab(site.origin);
  await page.goto(`${site.origin}/console/rules?q=pay`);
  await page.getByLabel('API key').fill(await site.key());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
  expect(page.url()).toBe(`${site.origin}/console#/rules?q=pay`);
});

test('a wrong key is refused beside the field, and the next is tried', async () => {
  const page = await openTab(site.origin);
  await page.goto(`${site.origin}/console`);
  const field = page.getByLabel('API key');
  await field.fill('sy_wrong');
  await field.press('Enter');
  await page.getByText('not valid on this server').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page, 'the form after a wrong key');
  await field.fill(await site.key());
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Mocks' }).waitFor();
});

test.each([500, 503, 'cut'] as const)('the key that was typed stays when the server fails: %s', async (fault) => {
  const page = await openTab(site.origin);
  await page.goto(`${site.origin}/console`);
  site.faults.fail(/\/v1\/me/, fault);
  const field = page.getByLabel('API key');
  await field.fill(await site.key());
  await field.press('Enter');
  await page.getByRole('alert').waitFor();
  await expectAccessible(page, `the form after ${fault}`);
  site.faults.heal();
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Mocks' }).waitFor();
});

test('by keyboard alone', async () => {
  const page = await openTab(site.origin);
  await page.goto(`${site.origin}/console`);
  await page.getByLabel('API key').waitFor();
  await expectAccessible(page, 'the form');
  await page.keyboard.type(await site.key());
  await moveTo(page, page.getByRole('button', { name: 'Sign in' }));
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { level: 1, name: 'Mocks' });
  await heading.waitFor();
  // The field that had the focus is gone.
  await expect.poll(() => hasFocus(heading)).toBe(true);
  await page.keyboard.press('Tab');
  await moveTo(page, page.getByRole('button', { name: /^Account/ }));
  await page.keyboard.press('Enter');
  await expectAccessible(page, 'the account menu');
  await page.keyboard.press('Tab');
  await moveTo(page, page.getByRole('button', { name: 'Sign out' }));
});

test('a viewer sees that the key may look only', async () => {
  const page = await site.open('#/mocks', { role: 'viewer' });
  await page.getByText('This key is read-only.').waitFor();
  expect(await page.getByRole('link', { name: 'History' }).count()).toBe(0);
});

test('a key that is refused stays for some seconds; then the form says why it is back, at the same place', async () => {
  const page = await site.open('#/rules');
  site.faults.fail(/\/v1\//, 401);
  await page.reload();
  await page.getByRole('status').getByText('Waiting for the server to accept this key').waitFor();
  await expectAccessible(page, 'a key that waits');
  await page.getByLabel('API key').waitFor();
  await page.getByRole('alert').getByText('You are signed out.').waitFor();
  await expectAccessible(page, 'signed out');
  site.faults.heal();
  await page.getByLabel('API key').fill(await site.key());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
  expect(page.url()).toBe(`${site.origin}/console#/rules`);
});

test('a link signs in though its new key is refused at first', async () => {
  const page = await openTab(site.origin);
  site.faults.fail(/\/v1\/me/, 401, 2);
  await page.goto(`${site.origin}/console#code=${await site.server.code('team', 'flo')}`);
  await page.getByRole('status').getByText('Waiting for the server to accept this key').waitFor();
  await page.getByRole('button', { name: /^Account flo/ }).waitFor();
  expect(await page.getByLabel('API key').count()).toBe(0);
});

test('the screen says that a key that was revoked is refused, and is then signed out, without anything done there', async () => {
  const key = await site.server.key('team', 'gil');
  const page = await openTab(site.origin);
  await page.goto(`${site.origin}/console#/rules`);
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
  await revokeKey(site.server.data, keyIdOf(key));
  await page.getByRole('status').getByText('Waiting for the server to accept this key').waitFor();
  expect(await page.getByRole('heading', { level: 1, name: 'Rules' }).count()).toBe(1);
  await page.getByRole('alert').getByText('is not a key of this server').waitFor();
});
