/** Where a Chromium is installed. Apart from what drives it, which takes long to load: the configuration of all tests asks for it. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The shell draws no window of a browser around the page, which takes a third of the time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const MAC_APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/**
 * @returns The path of a Chromium, or undefined where none is installed.
 * @throws When CHROMIUM names a file that does not exist.
 */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM: given = '', PATH = '' } = env;
  if (given !== '') {
    if (!existsSync(given)) throw new Error(`CHROMIUM names ${given}, which does not exist`);
    return given;
  }
  const files = NAMES.flatMap((name) => PATH.split(delimiter).map((directory) => join(directory, name)));
  return [...files, ...MAC_APPLICATIONS].find((file) => existsSync(file));
}
