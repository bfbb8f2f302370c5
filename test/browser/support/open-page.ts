/** A page of one test: at its end the page is closed, and the test fails on what went wrong in it. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { watchedPage, type PageOptions } from './watched-page.ts';

/** Where a picture of the page stands when its test has failed. */
const PICTURES = join(tmpdir(), 'switchyard-failed-pages');

/** @param origin The only one that the page may send requests to. */
export async function openPage(origin: string, options?: PageOptions): Promise<Page> {
  const { page, problems, close } = await watchedPage(origin, options);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await takePicture(page, task.name);
    await close();
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
