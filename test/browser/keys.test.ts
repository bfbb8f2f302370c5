/** The screen of the key in use, and what the rail says of one that ends soon. */
import { expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { expectAccessible } from './support/accessible.ts';
import { moveTo } from './support/keyboard.ts';
import { openTab } from './support/open-page.ts';
import { signIn } from './support/sign-in.ts';
import { useSite } from './support/site.ts';

const site = useSite();

test('a person sees whose key it is, and copies a command with their own owner', async () => {
  const page = await site.open('#/keys', { owner: "o'neil & sons", user: 'ann' });
  const owner = site.ownerId("o'neil & sons");
  const facts = page.getByRole('region', { name: 'Current key' });
  await facts.getByText(owner).waitFor();
  await facts.getByText('editor: edits everything').waitFor();
  await facts.getByText('never').waitFor();
  await expectAccessible(page, 'the keys');
  await moveTo(page, page.getByRole('button', { name: 'Copy the command: Create a key for scripts' }));
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `switchyard keys create --owner '${owner.replace("'", String.raw`'\''`)}' --user ci`,
  );
});

test('a key that ends soon is told on every screen', async () => {
  const expiresAt = Date.now() + 25 * 60_000;
  const key = await createKey(site.server.data, { ownerId: 'team', userId: 'soon', role: 'editor', expiresAt });
  const page = await openTab(site.origin);
  await signIn(page, site.origin, key, '#/mocks');
  await page.getByText(/This key expires in 2\d min/).waitFor();
  await expectAccessible(page, 'a key that ends soon');
  await page.getByRole('link', { name: 'Create another' }).click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
});

test('an admin makes a key, which is shown once and works, and revokes it', async () => {
  const owner = site.ownerId('keymakers');
  const key = await createKey(site.server.data, { ownerId: owner, userId: 'root', role: 'admin' });
  const page = await openTab(site.origin);
  await signIn(page, site.origin, key, '#/keys');
  const keys = page.getByRole('region', { name: 'Keys of this owner' });
  await keys.getByText('this tab').waitFor();
  await keys.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('User').fill('not one');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('User: expected 1 to 64').waitFor();
  await page.getByLabel('User').fill('ci');
  await page.getByLabel('Role').selectOption('viewer');
  await page.getByLabel('Expires (optional)').fill('30d');
  await expectAccessible(page, 'a new key');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const made = (await keys.getByRole('status').locator('code').first().textContent()) ?? '';
  const asked = () => site.server.request('GET', '/v1/me', { key: made });
  expect((await asked()).json.data).toMatchObject({ userId: 'ci', role: 'viewer', ownerId: owner });
  await expectAccessible(page, 'the keys of an owner');
  await keys
    .getByRole('row', { name: /^ci/ })
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await keys.getByRole('row', { name: /^ci.*revoked/ }).waitFor();
  expect((await asked()).status).toBe(401);
  await page.reload();
  await keys.getByRole('row', { name: /^ci/ }).waitFor();
  expect(await page.content()).not.toContain(made);
});
