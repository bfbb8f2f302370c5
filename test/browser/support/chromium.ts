/**
 * The browser of these tests: an installed Chromium, started once for each process that runs tests.
 *
 * None is downloaded. Without one the tests are skipped, which no-browser.test.ts tells.
 */
import { chromium, type Browser } from 'playwright-core';
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
