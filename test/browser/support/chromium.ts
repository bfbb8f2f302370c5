/**
 * The browser of these tests: an installed Chromium, started once for each process that runs tests.
 *
 * None is downloaded. Without one the tests are skipped, which no-browser.test.ts tells.
 */
import { chromium, type Browser } from 'playwright-core';
import { sharedDirectory } from '../../support/server.ts';
import { findChromium } from './find-chromium.ts';

let running: Promise<Browser> | undefined;

/** The browser of this process, which ends with it. Started again when it has crashed. */
export async function theBrowser(): Promise<Browser> {
  running ??= launch();
  return running;
}

async function launch(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('no Chromium is installed: install one, or name it in CHROMIUM');
  // For Playwright's folders and those of the browser: a signal ends the process before they would be removed.
  const { TMPDIR: given } = process.env;
  process.env.TMPDIR = sharedDirectory();
  const launching = chromium.launch({
    executablePath,
    // Chromium refuses to run as root with its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    // One process draws all pages of a context: the start of another takes as long as the console.
    args: ['--renderer-process-limit=1'],
    // Signals end the process, and its end kills the browser.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  const browser = await launching.finally(() => {
    if (given === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = given;
  });
  browser.on('disconnected', () => (running = undefined));
  return browser;
}
