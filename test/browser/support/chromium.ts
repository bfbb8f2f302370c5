/**
 * The browser of these tests: an installed Chromium, started once for each process that runs tests.
 *
 * None is downloaded. Without one the tests are skipped, which no-browser.test.ts tells.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

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

let running: Promise<Browser> | undefined;

/** The browser of this process, which ends with it. Started again when it has crashed. */
export async function theBrowser(): Promise<Browser> {
  running ??= launch();
  return running;
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('no Chromium is installed: install one, or name it in CHROMIUM');
  const browser = await chromium.launch({
    executablePath,
    // Chromium refuses to run as root with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    // Signals end the process, and its end kills the browser.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  browser.on('disconnected', () => (running = undefined));
  return browser;
}
