/** Runs in place of the browser tests where no browser is installed, and says so. */
import { expect, test } from 'vitest';

const NONE = 'no Chromium is installed (apt-get install chromium, or name one in CHROMIUM)';

test('a browser is installed', ({ skip }) => {
  if (process.env.SWITCHYARD_BROWSER === 'required') expect.fail(`${NONE}, and SWITCHYARD_BROWSER is "required"`);
  skip(`the browser tests are skipped: ${NONE}`);
});
