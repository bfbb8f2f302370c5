/** examples/playwright-ssr and examples/playwright-gateway, in the browser that is installed: their tests pass, and one that names another origin. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { freePort } from '../support/free-port.ts';
import { CLI } from '../support/server.ts';
import { endAll, Running } from '../support/process.ts';
import { findChromium } from './support/find-chromium.ts';

afterAll(endAll);

/** Runs the tests of a folder. @returns Exit status and output. */
async function runPlaywright(
  cwd: string,
  args: readonly string[] = [],
  before: readonly string[] = [],
): Promise<[status: number | string, printed: string]> {
  const [PORT = '', MOCK_PORT = '', NAMED_PORT = ''] = (await Promise.all([freePort(), freePort(), freePort()])).map(
    String,
  );
  const env = { PORT, MOCK_PORT, NAMED_PORT, CHROMIUM: findChromium() ?? '' };
  const all = [...before, 'node_modules/@playwright/test/cli.js', 'test', ...args];
  const { stdout, stderr, status } = await new Running(process.execPath, all, { cwd, env }).ended;
  return [status, stdout + stderr];
}

test('pages that are rendered at once have answers of their own, and a third party does not see the session', async () => {
  const folder = exampleFolder('playwright-ssr', ['@playwright/test']);
  expect(await runPlaywright(folder)).toEqual([0, expect.stringContaining('5 passed')]);
});

const NAMED = `
import { createServer } from 'node:http';
import { expect, test } from 'switchyard-server/playwright';

const origin = 'http://127.0.0.1:' + process.env.NAMED_PORT;
test.use({ mockOrigins: [origin] });

test('a named origin sees the session', async ({ page, mocks }) => {
  const seen: unknown[] = [];
  const named = createServer(({ headers }, response) => {
    seen.push(headers['baggage']);
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  }).listen(Number(process.env.NAMED_PORT), '127.0.0.1');
  await page.goto('/');
  await page.evaluate((url) => fetch(url), origin);
  named.close();
  expect(seen).toEqual(['mock-session=' + mocks.id]);
});
`;

test('an origin that is named sees it', async () => {
  const folder = exampleFolder('playwright-ssr', ['@playwright/test']);
  writeFileSync(join(folder, 'named.spec.ts'), NAMED);
  expect(await runPlaywright(folder, ['named.spec.ts'])).toEqual([0, expect.stringContaining('1 passed')]);
});

test('through the gateway: pages and the server that renders them get the answers and rules of their test', async () => {
  const folder = exampleFolder('playwright-gateway', ['@playwright/test', 'undici']);
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { test: string } };
  const [, options = ''] = /^switchyard (run .* --) playwright test$/.exec(scripts.test) ?? [];
  const before = [CLI, ...options.split(' '), process.execPath];
  expect(await runPlaywright(folder, [], before)).toEqual([0, expect.stringContaining('5 passed')]);
});
