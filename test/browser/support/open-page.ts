/** A page of one test, which fails on what went wrong in it. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { watchedPage, type PageOptions, type WatchedPage } from './watched-page.ts';

/** Where a picture of the page stands when its test has failed. */
const PICTURES = join(tmpdir(), 'switchyard-failed-pages');

/** The page that tests use one after the other, while none does: a new one takes longer than most tests. */
let unused: WatchedPage | undefined;

/**
 * A page as new, of the page that the test before has left.
 *
 * @param origin The only one that it may send requests to.
 */
export async function openPage(origin: string, options?: PageOptions): Promise<Page> {
  const watched = unused;
  // A second one of a test is another.
  unused = undefined;
  if (watched === undefined || watched.page.isClosed()) return judged(await watchedPage(origin, options), true);
  await watched.reuse(origin, options);
  return judged(watched, true);
}

/** A page that no other test has used or will use: for one that changes the clock or the history of the tab, or has scripts run in each document. */
export async function openTab(origin: string, options?: PageOptions): Promise<Page> {
  return judged(await watchedPage(origin, options), false);
}

/** What goes wrong in it fails the test, at whose end it is emptied for others or closed. */
function judged(watched: WatchedPage, isForOthers: boolean): Page {
  const { page, problems, close, empty } = watched;
  onTestFinished(async ({ task }) => {
    const hasFailed = task.result?.state === 'fail';
    if (hasFailed) await takePicture(page, task.name);
    if (isForOthers && !hasFailed && unused === undefined && !page.isClosed()) {
      await empty();
      unused = watched;
    } else await close();
    if (problems.length > 0) expect.fail(`in the page:\n${problems.join('\n')}`);
  });
  return page;
}

async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(PICTURES, { recursive: true });
  const file = join(PICTURES, `${name.replaceAll(/[^\w-]+/g, '-').slice(0, 100)}.png`);
  // A page that has crashed has no picture; the test's own failure is what matters.
  await page.screenshot({ path: file }).then(
    () => console.log(`${name}: a picture of the page is ${file}`),
    () => undefined,
  );
}
