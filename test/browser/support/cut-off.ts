/** Finds fields whose choices do not fit into them. */
import type { Page } from 'playwright-core';

/** The labels of all selects on the page that are narrower than their longest option needs. */
export function cutOffSelects(page: Page): Promise<string[]> {
  return page.locator('select').evaluateAll((selects) =>
    selects.flatMap((select) => {
      const copy = select.cloneNode(true) as HTMLSelectElement;
      copy.style.cssText = 'position: absolute; width: max-content; visibility: hidden';
      select.after(copy);
      const isCut = copy.offsetWidth > (select as HTMLSelectElement).offsetWidth + 1;
      copy.remove();
      return isCut ? [select.getAttribute('aria-label') ?? select.closest('.field')?.textContent ?? 'a select'] : [];
    }),
  );
}
