/** The way into the console: the form for a key, and the addresses of its screens. */
import type { Page } from 'playwright-core';

/** Opens a screen, and enters a key in the form that stands there until then. @param place Its fragment: "#/mocks". */
export async function signIn(page: Page, origin: string, key: string, place: string): Promise<void> {
  await page.goto(`${origin}/console${place}`);
  const field = page.getByLabel('API key');
  await field.fill(key);
  await field.press('Enter');
  await untilShown(page);
}

/** Loads a screen afresh, as a link from elsewhere does, in a tab where somebody has signed in. */
export async function goTo(page: Page, origin: string, place: string): Promise<void> {
  // From one fragment to another nothing would be loaded.
  await page.goto('about:blank');
  await page.goto(`${origin}/console${place}`);
  await untilShown(page);
}

function untilShown(page: Page): Promise<void> {
  return page.locator('#main h1').waitFor();
}
