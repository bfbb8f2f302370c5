/** The way into the console with a key, and the addresses of its screens. */
import type { Page } from 'playwright-core';

/** Where the console keeps the key of a tab. */
const STORED_KEY = 'switchyard.key';

/**
 * Opens a screen in a tab that has a key, as after a reload. The form for a key has tests of its own, which type one.
 *
 * @param place Its fragment: "#/mocks".
 */
export async function signIn(page: Page, origin: string, key: string, place: string): Promise<void> {
  const script = await page.addInitScript(([name, value]) => sessionStorage.setItem(name, value), [
    STORED_KEY,
    key,
  ] as const);
  await page.goto(`${origin}/console${place}`);
  // A key that is forgotten later stays so.
  await script.dispose();
  await untilShown(page);
}

/** Loads a screen afresh, as a link from elsewhere does, in a tab where somebody has signed in. */
export async function goTo(page: Page, origin: string, place: string): Promise<void> {
  // From one fragment to another nothing would be loaded.
  await page.goto('about:blank');
  await page.goto(`${origin}/console${place}`);
  await untilShown(page);
}

/** Goes to a screen within the page, as a link of the console does. */
export async function goWithin(page: Page, place: string): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), place);
}

function untilShown(page: Page): Promise<void> {
  return page.locator('#main h1').waitFor();
}
