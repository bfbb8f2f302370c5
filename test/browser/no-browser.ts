/** Runs in place of the browser tests where no browser is installed, and says so. */
import { expect, test } from 'vitest';

const NONE = 'no Chromium is installed (apt-get install chromium-headless-shell, or name one in CHROMIUM)';

test('a browser is installed', ({ skip }) => {
  expect(process.env.SWITCHYARD_BROWSER, NONE).not.toBe('required');
  skip(`the browser tests are skipped: ${NONE}`);
});
