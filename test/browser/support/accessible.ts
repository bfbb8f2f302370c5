/**
 * Whether a page is accessible as it stands: axe finds nothing, wide in one colour scheme and narrow in the other; nothing moves when motion
 * is to be reduced; and it needs no scrolling sideways.
 *
 * axe comes in as a file of the page's own origin where that serves it, and by `evaluate` elsewhere: the page's content security policy stays in
 * force.
 */
import type axe from 'axe-core';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { AXE, AXE_PATH, axeOrigins } from './axe-file.ts';
import { HEIGHT } from './watched-page.ts';

/** WCAG 2.2 at AA, and what axe advises beyond it. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const OPTIONS: RunOptions = { runOnly: { type: 'tag', values: TAGS }, resultTypes: ['violations'] };
/** What colours and the width change most: all that the second look of a run asks for. */
const LOOKS: RunOptions = {
  runOnly: {
    type: 'rule',
    values: ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'],
  },
  resultTypes: ['violations'],
};
const NARROW_WIDTH = 400;
/** Another in some runs, and the same when a test is tried again: each look takes a third of such a test. */
const WIDE_SCHEME = Math.random() < 0.5 ? 'light' : 'dark';
const IS_WIDE_WHOLE = Math.random() < 0.5;
/** Longer than this is movement, and not a change. */
const MOTION_MS = 50;

/**
 * Leaves the page as it was. @param where The screen and its state, for the message.
 *
 * Cost: some seconds on a busy machine.
 */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: HEIGHT };
  const isDark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  const found: string[] = [];
  const look = async (colorScheme: 'light' | 'dark', width: number, options: RunOptions): Promise<void> => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: HEIGHT });
    await settled(page);
    found.push(...(await violations(page, options)).map((each) => `${colorScheme}, ${width} px: ${each}`));
  };

  await look(WIDE_SCHEME, size.width, IS_WIDE_WHOLE ? OPTIONS : LOOKS);
  found.push(...(await movements(page)));
  await look(WIDE_SCHEME === 'light' ? 'dark' : 'light', NARROW_WIDTH, IS_WIDE_WHOLE ? LOOKS : OPTIONS);
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (excess > 0) found.push(`${NARROW_WIDTH} px: the page is ${excess} px too wide`);
  await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
  await page.setViewportSize(size);
  await settled(page);
  if (found.length > 0) expect.fail(`${where} is not accessible:\n${found.join('\n')}`);
}

async function violations(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) {
    // As text: vitest would make an import of its own of it.
    const isServed = axeOrigins.has(new URL(page.url()).origin);
    await page.evaluate(isServed ? `import('${AXE_PATH}').then(() => undefined)` : AXE);
  }
  const results = await page.evaluate(
    (asked) => (window as unknown as { axe: typeof axe }).axe.run(document, asked),
    options,
  );
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      const reasons = failureSummary.split('\n').slice(1).join(' ').trim();
      return `${id}: ${help}, at ${target.join(' ')} (${reasons})`;
    }),
  );
}

async function movements(page: Page): Promise<string[]> {
  const names = await page.evaluate(
    (longMs) =>
      document
        .getAnimations()
        .filter((each) => each.playState === 'running' && Number(each.effect?.getComputedTiming().duration) > longMs)
        .map((each) => {
          const target = (each.effect as KeyframeEffect | null)?.target;
          return `${target?.tagName.toLowerCase()}.${target?.className}`;
        }),
    MOTION_MS,
  );
  return names.map((name) => `moves although motion is to be reduced: ${name}`);
}

/** Two frames: styles have been computed, and what follows the size has been drawn. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(undefined)))),
  );
}
