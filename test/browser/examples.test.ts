/** examples/playwright-ssr: its tests pass, in the browser that is installed. */
import { afterAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { freePort } from '../support/free-port.ts';
import { endAll, Running } from '../support/process.ts';
import { findChromium } from './support/find-chromium.ts';

afterAll(endAll);

test('pages that are rendered at once have answers of their own, and a third party does not see the session', async () => {
  const env = { PORT: String(await freePort()), MOCK_PORT: String(await freePort()), CHROMIUM: findChromium() ?? '' };
  const cwd = exampleFolder('playwright-ssr', ['@playwright/test']);
  const { ended } = new Running(process.execPath, ['node_modules/@playwright/test/cli.js', 'test'], { cwd, env });
  const { stdout, stderr, status } = await ended;
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('5 passed')]);
});
