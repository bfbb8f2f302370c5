/**
 * A page in a context of its own, and all that goes wrong in it: errors and warnings of the console (what the content security policy
 * refuses is among them), exceptions, dialogs, downloads nobody asked for, and requests that leave the page's origin.
 *
 * It can be emptied and used again, which keeps the process that draws it and the files that it has loaded.
 */
import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';
import { theBrowser } from './chromium.ts';

export const HEIGHT = 800;

/** For what should come at once: a machine may have much else to do. */
const WAIT_MS_MAX = 20_000;

export interface PageOptions {
  readonly scheme?: 'light' | 'dark';
  /** In pixels; 1280 when absent. */
  readonly width?: number;
}

export interface WatchedPage {
  readonly page: Page;
  /** What went wrong up to now, a line for each. */
  readonly problems: string[];
  /** Leaves what is shown, and forgets what it has stored. Not undone: a clock, scripts that run in each document. */
  readonly empty: () => Promise<void>;
  /** After `empty`: for another test, as if it were new. */
  readonly reuse: (origin: string, options?: PageOptions) => Promise<void>;
  /** Closes the page and its context. */
  readonly close: () => Promise<void>;
}

/** @param origin The only one that the page may send requests to. */
export async function watchedPage(origin: string, options: PageOptions = {}): Promise<WatchedPage> {
  const browser = await theBrowser();
  const context = await browser.newContext({
    viewport: sizeOf(options),
    colorScheme: options.scheme ?? 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(WAIT_MS_MAX);
  const watched = { origin, problems: [] };
  watch(context, watched);
  const page = await context.newPage();
  return {
    page,
    problems: watched.problems,
    empty: () => empty(page),
    reuse: async (nextOrigin, nextOptions = {}) => {
      watched.origin = nextOrigin;
      watched.problems.length = 0;
      await page.setViewportSize(sizeOf(nextOptions));
      await page.emulateMedia({ colorScheme: nextOptions.scheme ?? 'light' });
    },
    close: () => context.close(),
  };
}

const sizeOf = ({ width = 1280 }: PageOptions) => ({ width, height: HEIGHT });

async function empty(page: Page): Promise<void> {
  await page.unrouteAll();
  await page.evaluate(() => {
    sessionStorage.clear();
    localStorage.clear();
  });
  await page.goto('about:blank');
  // Nothing of the next document is under it.
  await page.mouse.move(0, 0);
}

function watch(context: BrowserContext, watched: { readonly origin: string; readonly problems: string[] }): void {
  const { problems } = watched;
  context.on('console', (message) => {
    if (isProblem(message)) problems.push(`console ${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => problems.push(`exception: ${error.error().stack ?? String(error.error())}`));
  context.on('dialog', (dialog) => {
    // That something typed is not saved: the person goes on.
    if (dialog.type() === 'beforeunload') return void dialog.accept().catch(() => undefined);
    problems.push(`dialog: ${dialog.message()}`);
    // The page may be gone by then.
    dialog.dismiss().catch(() => undefined);
  });
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    const isInPage = protocol === 'data:' || protocol === 'blob:' || protocol === 'about:';
    if (asked !== watched.origin && !isInPage) problems.push(`request to another origin: ${request.url()}`);
  });
}

/** The browser itself logs each answer of 400 and above. Of the API they are part of the tests; of a file of the page never. */
function isProblem(message: ConsoleMessage): boolean {
  if (message.type() !== 'error' && message.type() !== 'warning') return false;
  const { pathname } = new URL(message.location().url || 'about:blank');
  return !(message.text().startsWith('Failed to load resource') && pathname.includes('/v1/'));
}
