/** The way into the console: the form for a key, and the addresses of its screens. */
import type { Page } from 'playwright-core';

/** Enters a key in the form, and waits until it is gone. */
export async function signIn(page: Page, origin: string, key: string): Promise<void> {
  await page.goto(`${origin}/console`);
  const field = page.getByLabel('API key');
  await field.fill(key);
  await field.press('Enter');
  await field.waitFor({ state: 'detached' });
}

/** Loads a screen afresh, as a link or a reload does. The page must have been signed in. */
export async function goTo(page: Page, origin: string, place: string): Promise<void> {
  // From one fragment to another the page would not be loaded.
  await page.goto('about:blank');
  await page.goto(`${origin}/console${place}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}
