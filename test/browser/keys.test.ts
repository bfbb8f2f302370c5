/** The screen of the key in use, and what the rail says of one that ends soon. */
import { expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { expectAccessible } from './support/accessible.ts';
import { moveTo } from './support/keyboard.ts';
import { openPage } from './support/open-page.ts';
import { signIn } from './support/sign-in.ts';
import { useSite } from './support/site.ts';

const site = useSite();

test('a person sees whose key it is, and copies a command with their own owner', async () => {
  const page = await site.open('#/keys', { owner: "o'neil & sons", user: 'ann' });
  const owner = site.ownerId("o'neil & sons");
  const facts = page.getByRole('region', { name: "This tab's key" });
  await facts.getByText(owner).waitFor();
  await facts.getByText('editor: may change everything').waitFor();
  await facts.getByText('never').waitFor();
  await expectAccessible(page, 'the keys');
  await moveTo(page, page.getByRole('button', { name: 'Copy the command: A key for scripts' }));
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `switchyard keys create --owner '${owner.replace("'", String.raw`'\''`)}' --user ci`,
  );
});

test('a key that ends soon is told on every screen', async () => {
  const expiresAt = Date.now() + 25 * 60_000;
  const key = await createKey(site.server.data, { ownerId: 'team', userId: 'soon', role: 'editor', expiresAt });
  const page = await openPage(site.origin);
  await signIn(page, site.origin, key, '#/mocks');
  await page.getByText(/This key ends in 2\d min/).waitFor();
  await expectAccessible(page, 'a key that ends soon');
  await page.getByRole('link', { name: 'Get another' }).click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
});
