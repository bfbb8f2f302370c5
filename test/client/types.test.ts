/**
 * The types of the package, as it is packed, compiled into programs that have little or much of a platform's types themselves.
 *
 * With `skipLibCheck: false`: what the package declares is checked as strictly as what is compiled with it. At full
 * effort so is what typebox declares, which takes ten times what all others take, and each kind of platform is tried.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { isFullEffort } from '../support/effort.ts';
import { packInto } from '../support/packed-package.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const run = promisify(execFile);

/** What every program can write. */
const PLAIN = `
import { createClient, startSwitchyard, SwitchyardError, VerificationError } from 'switchyard-server';
import type { Client, EvaluateInput, Evaluation, MockInput, RequestRecord, RuleInput, Switchyard } from 'switchyard-server';

const shop: MockInput = { name: 'shop', start: true, routes: [{ method: 'GET', path: '/', responses: [{ body: 'x' }] }] };
export const server: Switchyard = await startSwitchyard({ workers: 1 });
const { mocks, rules }: Client = createClient({ apiUrl: server.apiUrl, key: server.key });
const mock = await mocks.create(shop);

const answer = await mocks.fetch(mock, '/', { method: 'POST', headers: { 'x-plan': 'gold' }, body: 'x' });
export const status: number = answer.status;
export const plan: string | null = answer.headers.get('x-plan');
export const text: string = await answer.text();

for await (const event of mocks.follow(mock.id)) {
  if (event.type === 'request') ((request: RequestRecord): string => request.path)(event.request);
}
try {
  await mocks.assertVerified(mock.id, { match: { path: '/' }, exactly: 1 });
} catch (error) {
  if (error instanceof VerificationError) error.verification.count.toFixed();
  if (error instanceof SwitchyardError) error.details.map(({ message }) => message);
}
const question: EvaluateInput = {
  request: { url: 'https://a.test/', headers: { accept: 'text/html' } },
  rules: [{ name: 'r', ruleType: 'Cancel', pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'a' } }] }],
};
const evaluation: Evaluation = await rules.evaluate(question);
export const acted: readonly string[] = evaluation.steps.map(({ name }) => name);
export const group = evaluation.skipped.map(async ({ ruleId }) => (await rules.get(ruleId)).effectiveStatus);
export const create = (rule: RuleInput): Promise<{ readonly id: string }> => rules.create(rule);

// @ts-expect-error A status is not a text: what is known of an answer is not \`any\`.
export const wrong: string = answer.status;
// @ts-expect-error Nor is what is asked.
await mocks.fetch(mock, '/', { method: 7 });
// @ts-expect-error And a text is no signal.
mocks.follow(mock.id, { signal: 'now' });
// @ts-expect-error A misspelt member would evaluate what nobody meant.
await rules.evaluate({ request: { url: 'https://a.test/' }, rule: [] });
await server.stop();
`;

/** What a program can write whose platform has fetch: its own types go in and come out. */
const WITH_FETCH = `${PLAIN}
const { signal } = new AbortController();
mocks.follow(mock.id, { signal });
const init: RequestInit = { signal, body: new URLSearchParams({ a: 'b' }), redirect: 'manual' };
export const response: Response = await mocks.fetch(mock, '/', init);
export const copied: Response = response.clone();
`;

const ROUTES = [{ method: 'GET', path: '/a', responses: [{ body: 'A' }] }];
const MOCK = JSON.stringify({ switchyard: 1, kind: 'mock', name: 'a', routes: ROUTES });

/** As someone installs it: what `npm run package` packs, and of other packages only what it depends on. */
const installed = temporaryDirectory();
/** The same, but that the declarations of typebox are used and not checked. */
const unchecked = temporaryDirectory();

beforeAll(async () => {
  await run('tar', ['-xf', join(installed, await packInto(installed)), '-C', installed]);
  const types = join(installed, 'package/dist/types');
  await run(process.execPath, ['--import', import.meta.resolve('tsx'), join(ROOT, 'src/build/types.ts'), types]);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package/package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const directory of [installed, unchecked]) {
    cpSync(join(installed, 'package'), join(directory, 'node_modules/switchyard-server'), { recursive: true });
    for (const name of [...Object.keys(dependencies), '@types/node', 'undici-types', '@uwsjs']) {
      if (directory === unchecked && name === 'typebox')
        copyUnchecked(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name));
      else link(name, directory);
    }
  }
});

/** Installs a package. */
function link(name: string, directory: string): void {
  const place = join(directory, 'node_modules', name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), place);
}

function copyUnchecked(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const path of readdirSync(to, { recursive: true }) as string[]) {
    if (!/\.d\.[cm]?ts$/.test(path)) continue;
    writeFileSync(join(to, path), `// @ts-nocheck\n${readFileSync(join(to, path), 'utf8')}`);
  }
}

const PROGRAMS = [
  ['without types of a platform', PLAIN, { lib: ['es2022'], types: [], module: 'nodenext' }],
  ['with types of both platforms', WITH_FETCH, { lib: ['es2022', 'dom'], types: ['node'], module: 'nodenext' }],
] as const;
const FURTHER = [
  [
    'without types of a platform, for a bundler',
    PLAIN,
    { lib: ['es2022'], types: [], module: 'es2022', moduleResolution: 'bundler' },
  ],
  ['with @types/node', WITH_FETCH, { lib: ['es2022'], types: ['node'], module: 'nodenext' }],
  ['with lib dom', WITH_FETCH, { lib: ['es2022', 'dom', 'dom.iterable'], types: [], module: 'nodenext' }],
] as const;

test.each([...PROGRAMS, ...(isFullEffort ? FURTHER : [])])('a program compiles %s', async (name, program, options) => {
  const folder = newProject(isFullEffort ? installed : unchecked, name);
  writeFileSync(join(folder, 'program.ts'), program);
  expect(await errorsOf(folder, { skipLibCheck: false, ...options })).toBe('');
});

test('the examples to copy compile in a project of its own, under module: nodenext', async () => {
  link('vitest', unchecked);
  link('@playwright/test', unchecked);
  const folder = newProject(unchecked, 'examples');
  for (const copied of ['test/examples/checkout.test.ts', 'examples/vitest-parallel', 'examples/playwright-ssr'])
    cpSync(join(ROOT, copied), join(folder, basename(copied)), { recursive: true });
  expect(await errorsOf(folder, { skipLibCheck: true, lib: ['es2022'], types: ['node'], module: 'nodenext' })).toBe('');
});

function newProject(directory: string, name: string): string {
  const folder = join(directory, name.replaceAll(/[^a-z]+/g, '-'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

async function errorsOf(folder: string, options: object): Promise<string> {
  const compilerOptions = { target: 'es2022', strict: true, noEmit: true, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  return run(process.execPath, [TSC, '--pretty', 'false', '--singleThreaded', '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

test('CommonJS code requires it, also where modules cannot be required, as in jest', async () => {
  const program = `const { VerificationError } = require('switchyard-server');
    const { before, after, run } = require('switchyard-server/node-test').withSwitchyard({ mocks: ['a.json'] });
    before().then(async () => {
      await run('a', async (mocks) => {
        console.log(await (await mocks.session().fetch('/a')).text());
        await mocks.session().never({ path: '/a' }).catch((error) => console.log(error instanceof VerificationError));
      });
      await after();
    });`;
  writeFileSync(join(installed, 'a.json'), MOCK);
  const flag = '--no-experimental-require-module';
  const args = process.allowedNodeEnvironmentFlags.has(flag) ? [flag] : [];
  const { stdout } = await run(process.execPath, [...args, '--input-type=commonjs', '-e', program], { cwd: installed });
  expect(stdout).toBe('A\ntrue\n');
});

test('ten lines of vitest pass in an empty project', async () => {
  link('vitest', installed);
  const folder = newProject(installed, 'ten-lines');
  const files = {
    'a.json': MOCK,
    'setup.js': `import { globalSetup } from 'switchyard-server/global-setup';
      export default globalSetup({ mocks: ['a.json'] });`,
    'vitest.config.js': `export default { test: { globalSetup: 'setup.js' } };`,
    'a.test.js': `import { expect } from 'vitest';
      import { test } from 'switchyard-server/vitest';
      test('is asked once', async ({ mocks }) => {
        const a = mocks.session();
        expect(await (await fetch(a.url + '/a')).text()).toBe('A');
        await expect(a).toHaveBeenRequested({ path: '/a' }, { times: 1 });
      });`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const vitest = join(installed, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await run(process.execPath, [vitest, 'run'], { cwd: folder, env: { PATH: process.env['PATH'] } });
  expect(stdout).toMatch(/1 passed/);
});
