/**
 * Tests that fail, in each runner: what is printed of the requests that nothing answered, and the messages of `toHaveBeenRequested`.
 *
 * The rest of what the fixtures do is shared (fixture.test.ts), or is shown by the examples.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { freePort } from '../support/free-port.ts';
import { endAll, Running } from '../support/process.ts';

afterAll(endAll);

/** @returns What the runner prints of a test file that takes the place of those of an example. */
async function outputOf(
  folder: string,
  file: string,
  text: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  for (const name of readdirSync(folder).filter((each) => /\.(?:spec|test)\.[jt]s$/.test(each)))
    rmSync(join(folder, name));
  writeFileSync(join(folder, file), text);
  // vitest within vitest would take itself for a worker of the other.
  const plain = { NO_COLOR: '1', VITEST: '', VITEST_WORKER_ID: '', VITEST_POOL_ID: '', ...env };
  const { stdout, stderr, status } = await new Running(process.execPath, args, { cwd: folder, env: plain }).ended;
  expect(status, stdout + stderr).toBe(1);
  return stdout + stderr;
}

const BODIES = `
test('asks for another path', async ({ mocks }) => {
  const mock = mocks.session();
  await mock.fetch('/stok/7');
  await expect(mock).not.toHaveBeenRequested({ path: '/none' });
  await expect(mock).not.toHaveBeenRequested({ path: '/stok/7' }, { times: 2 });
  await expect(mock).toHaveBeenRequested({ path: '/asked' }, { times: 2 });
});
test('asks for what must not be asked', async ({ mocks }) => {
  await mocks.session().fetch('/never');
  await expect(mocks.session()).not.toHaveBeenRequested({ path: '/never' });
});
test('asks as often as it must not', async ({ mocks }) => {
  await mocks.session().fetch('/once');
  await expect(mocks.session()).toHaveBeenRequested({ path: '/once' });
  await expect(mocks.session()).not.toHaveBeenRequested({ path: '/once' }, { times: 1 });
});
`;
const MESSAGES = [
  'expected exactly 2 of {"path":"/asked"}, but 0 arrived\n *closest:\n *GET /stok/7 -> 404 \\(differs in path\\)',
  'expected exactly 0 of {"path":"/never"}, but 1 arrived',
  'expected any number except 1 of {"path":"/once"}',
];
const MISS = 'expected no request to go unmatched, but 1 did\n *GET /stok/7 -> 404: no route matches; nearest is';

test('vitest', async () => {
  const text = `import { expect } from 'vitest'; import { test } from 'switchyard-server/vitest';${BODIES}`;
  const folder = exampleFolder('vitest-parallel', ['vitest']);
  const printed = await outputOf(folder, 'fails.spec.ts', text, ['node_modules/vitest/vitest.mjs', 'run']);
  expect(printed).toMatch('3 failed');
  for (const message of [...MESSAGES, MISS]) expect(printed).toMatch(new RegExp(message));
});

test('Playwright, with the traffic of the session as HAR', async () => {
  const text = `import { expect, test } from 'switchyard-server/playwright';${BODIES}`;
  const folder = exampleFolder('playwright-ssr', ['@playwright/test']);
  const env = { PORT: String(await freePort()), MOCK_PORT: String(await freePort()) };
  const args = ['node_modules/@playwright/test/cli.js', 'test', '--reporter', 'list,json'];
  const report = join(folder, 'report.json');
  const printed = await outputOf(folder, 'fails.spec.ts', text, args, { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report });
  expect(printed).toMatch('3 failed');
  for (const message of [...MESSAGES, MISS]) expect(printed).toMatch(new RegExp(message));
  const attached = /"name": "shop\.har",\s*"contentType": "application\/json",\s*"body": "([^"]+)"/.exec(
    readFileSync(report, 'utf8'),
  );
  expect(Buffer.from(attached?.[1] ?? '', 'base64').toString()).toContain('/stok/7');
});

test('node:test', async () => {
  const text = `import { after, before, test } from 'node:test'; import { withSwitchyard } from 'switchyard-server/node-test';
const switchyard = withSwitchyard({ mocks: ['payments.json'] });
before(switchyard.before);
after(switchyard.after);
test('asks for another path', async (t) => {
  const payments = (await switchyard.session(t)).session();
  await payments.fetch('/stok/7');
  await payments.assertVerified({ match: { path: '/asked' }, exactly: 2 });
});
`;
  const printed = await outputOf(exampleFolder('node-test'), 'fails.test.js', text, ['--test']);
  expect(printed).toMatch(/# fail 1$/m);
  for (const message of [MESSAGES[0] ?? '', MISS.replace('\n', '\n# ')]) expect(printed).toMatch(new RegExp(message));
});
