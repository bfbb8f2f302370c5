/**
 * A page in a context of its own, and all that goes wrong in it: errors and warnings of the console (what the content security policy
 * refuses is among them), exceptions, dialogs, downloads nobody asked for, and requests that leave the page's origin.
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
  readonly problems: readonly string[];
  /** Closes the page and its context. */
  readonly close: () => Promise<void>;
}

/** @param origin The only one that the page may send requests to. */
export async function watchedPage(
  origin: string,
  { scheme = 'light', width = 1280 }: PageOptions = {},
): Promise<WatchedPage> {
  const browser = await theBrowser();
  const context = await browser.newContext({
    viewport: { width, height: HEIGHT },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(WAIT_MS_MAX);
  const problems: string[] = [];
  watch(context, origin, problems);
  return { page: await context.newPage(), problems, close: () => context.close() };
}

function watch(context: BrowserContext, origin: string, problems: string[]): void {
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
    if (asked !== origin && !isInPage) problems.push(`request to another origin: ${request.url()}`);
  });
}

/** The browser itself logs each answer of 400 and above. Of the API they are part of the tests; of a file of the page never. */
function isProblem(message: ConsoleMessage): boolean {
  if (message.type() !== 'error' && message.type() !== 'warning') return false;
  const { pathname } = new URL(message.location().url || 'about:blank');
  return !(message.text().startsWith('Failed to load resource') && pathname.includes('/v1/'));
}
