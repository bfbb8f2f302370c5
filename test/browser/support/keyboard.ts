/** The keyboard alone: goes to controls as a person does, who must see where the focus is. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const STEPS_MAX = 100;

/**
 * Presses Tab until a control has the focus, and expects that it can be seen there.
 *
 * @param key `Shift+Tab` goes backwards; an arrow goes through a grid, a list or tabs.
 * @throws With everything that had the focus on the way, when the control is not reached.
 */
export async function moveTo(page: Page, control: Locator, key = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < STEPS_MAX; step++) {
    if (await hasFocus(control)) return expectFocusSeen(page);
    await page.keyboard.press(key);
    passed.push(await focused(page));
  }
  expect.fail(`${String(control)} is not reached by ${key}; the focus was at ${[...new Set(passed)].join(', ')}`);
}

/** Whether it, or what stands in it or in its shadow, has the focus. */
export async function hasFocus(control: Locator): Promise<boolean> {
  if ((await control.count()) === 0) return false;
  return control.evaluate((element) => element === document.activeElement);
}

/** What has the focus, as a person would name it: "button Save". */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing';
    const labels = [...((element as HTMLInputElement).labels ?? [])].map((label) => label.textContent);
    const name = element.getAttribute('aria-label') ?? labels[0] ?? element.textContent ?? '';
    return `${element.getAttribute('role') ?? element.tagName.toLowerCase()} ${name.trim().slice(0, 40)}`;
  });
}

/** The control with the focus is marked, and nothing covers it (WCAG 2.4.7 and 2.4.11). */
export async function expectFocusSeen(page: Page): Promise<void> {
  const problem = await page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return 'nothing has the focus';
    const { left, top, width, height } = element.getBoundingClientRect();
    // Corners too: a bar may cover a part only.
    const inset = 2;
    const points = [
      [left + width / 2, top + height / 2],
      [left + inset, top + inset],
      [left + width - inset, top + height - inset],
    ] as const;
    const isSeen = points.some(([x, y]) => {
      const shown = document.elementFromPoint(x, y);
      return shown !== null && (element.contains(shown) || shown.contains(element));
    });
    if (!isSeen) return 'it is covered, or outside the window';
    const marks = [element, element.parentElement as Element].flatMap((each) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
      return [outlineStyle !== 'none' && outlineWidth !== '0px', boxShadow !== 'none'];
    });
    return marks.includes(true) ? undefined : 'no outline or shadow marks it';
  });
  expect(problem, `the focus at ${await focused(page)}`).toBeUndefined();
}
