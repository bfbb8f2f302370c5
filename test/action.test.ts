/** The action in `action`: both scripts as a runner runs them, with the build in the workspace's node_modules. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createClient } from 'switchyard-server';
import { packInto } from './support/packed-package.ts';
import { endAll, eventually, Running } from './support/process.ts';
import { onUndo, temporaryDirectory } from './support/server.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'deploy/action');
const action = load(readFileSync(join(FOLDER, 'action.yml'), 'utf8')) as {
  inputs: Record<string, object>;
  outputs: Record<string, object>;
  runs: { main: string; post: string };
};
const MOCK = {
  switchyard: 1,
  kind: 'mock',
  name: 'Shop | 1',
  routes: [
    { method: 'GET', path: '/orders/:id', responses: [{ body: 'an order' }] },
    { method: 'POST', path: '/orders', responses: [{ status: 201 }] },
  ],
};

let workspace: string;
let temporary: string;
beforeEach(() => {
  [workspace, temporary] = [temporaryDirectory(), temporaryDirectory()];
  mkdirSync(join(workspace, 'node_modules'));
  symlinkSync(ROOT, join(workspace, 'node_modules/switchyard-server'));
  writeFileSync(join(workspace, 'shop.json'), JSON.stringify(MOCK));
});
afterAll(endAll);

/** @param inputs As they are in a workflow. @param state What an earlier script saved. */
async function run(script: 'main' | 'post', inputs: Record<string, string> = {}, state: Record<string, string> = {}) {
  const folder = temporaryDirectory();
  const files = Object.fromEntries(
    ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY'].map((name) => [name, join(folder, name)]),
  );
  for (const file of Object.values(files)) writeFileSync(file, '');
  const given = Object.keys(action.inputs).map((name) => [`INPUT_${name.toUpperCase()}`, inputs[name] ?? '']);
  const kept = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value]);
  const places = { GITHUB_WORKSPACE: workspace, RUNNER_TEMP: temporary, npm_config_prefer_offline: 'true', ...files };
  const env = { ...places, ...Object.fromEntries([...given, ...kept]) };
  const { status, stdout } = await new Running(process.execPath, [join(FOLDER, action.runs[script])], {
    env,
    cwd: workspace,
  }).ended;
  const read = (name: string): string => readFileSync(files[name] as string, 'utf8');
  const values = (name: string): Record<string, string> =>
    Object.fromEntries(
      read(name)
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2)),
    );
  const saved = values('GITHUB_STATE');
  onUndo(() => isRunning(saved.pid) && process.kill(Number(saved.pid), 'SIGKILL'));
  return {
    status,
    stdout,
    output: values('GITHUB_OUTPUT'),
    state: saved,
    summary: read('GITHUB_STEP_SUMMARY'),
  };
}

function isRunning(pid = ''): boolean {
  try {
    // Empty for a process that has ended, until its parent has noticed.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('switchyard-server/dist/cli.js');
  } catch {
    return false;
  }
}

test('a job has a server of mocks, and a summary of what they were asked', async () => {
  const { status, stdout, output, state } = await run('main', { mocks: '\n  shop.json\n', args: '--workers  1' });
  expect([status, Object.keys(output)], stdout).toEqual([0, Object.keys(action.outputs)]);
  expect(stdout.indexOf(`::add-mask::${output.key}\n`)).toBe(0);
  expect(stdout.lastIndexOf(output.key as string)).toBe('::add-mask::'.length);
  expect(output['mocks-url']).toContain(`:${output['mock-port']}/`);

  const client = createClient({ apiUrl: output['api-url'] as string, key: output.key as string });
  expect(await client.mocks.get('shop')).toMatchObject({ name: 'Shop | 1' });
  expect(await (await fetch(`${output['mocks-url']}/shop/orders/7`)).text()).toBe('an order');
  for (const path of ['ordrs/[b](c)?token=secret', 'ordrs/(https://a.test/b', 'ordrs/c@a.test'])
    expect((await fetch(`${output['mocks-url']}/shop/${path}`)).status).toBe(404);

  const end = await run('post', {}, state);
  expect([end.status, end.stdout]).toEqual([0, '']);
  expect(end.summary).toContain('| Shop &#124; 1 | 4 | 3 | 1 |\n');
  expect(end.summary).toContain(
    '- GET /ordrs/&#91;b&#93;(c)&#58; 404 no route matches&#59; nearest is GET /orders/&#58;id',
  );
  expect(end.summary).toContain('- POST /orders\n');
  expect(end.summary).not.toContain('secret');
  // A runner makes links of addresses.
  expect(end.summary).toContain('- GET /ordrs/(https&#58;//a&#46;test/b');
  expect(end.summary).toContain('- GET /ordrs/c&#64;<!-- -->a&#46;test');
  expect([isRunning(state.pid), readdirSync(temporary)]).toEqual([false, []]);
});

test('a summary is not longer than a runner takes', async () => {
  for (const name of ['b', 'c']) writeFileSync(join(workspace, `${name}.json`), JSON.stringify(MOCK));
  const mocks = ['shop.json', 'b.json', 'c.json'];
  const { output, state } = await run('main', { mocks: mocks.join('\n') });
  for (const id of ['shop', 'b', 'c']) {
    for (let number = 0; number < 10; number++)
      expect((await fetch(`${output['mocks-url']}/${id}/${'~'.repeat(8_000)}${number}`)).status).toBe(404);
  }
  const { summary } = await run('post', {}, state);
  expect(summary.length).toBeGreaterThan(500_000);
  expect(summary.length).toBeLessThan(1_048_576);
  expect(summary.endsWith('\n\nThe rest is left out.\n')).toBe(true);
});

test('a packed file is installed, where the workspace has no package', async () => {
  rmSync(join(workspace, 'node_modules'), { recursive: true });
  const { status, stdout, output, state } = await run('main', { version: `./${await packInto(workspace)}` });
  expect(status, stdout).toBe(0);
  expect((await fetch(new URL('/readyz', output['api-url']))).status).toBe(200);
  expect(state.program?.startsWith(temporary)).toBe(true);
  expect(await run('post', {}, state)).toMatchObject({ status: 0, stdout: '' });
  expect([isRunning(state.pid), readdirSync(temporary)]).toEqual([false, []]);
});

test('a packed file that is missing is named, and not looked for elsewhere', async () => {
  rmSync(join(workspace, 'node_modules'), { recursive: true });
  const { status, stdout } = await run('main', { version: 'dist/switchyard-server-0.2.0.tgz' });
  const path = join(workspace, 'dist/switchyard-server-0.2.0.tgz');
  expect([status, stdout]).toEqual([1, `::error::the packed file ${path} does not exist\n`]);
});

test('a file that is no mock fails the step, says why on one line, and leaves no server', async () => {
  writeFileSync(join(workspace, 'shop.json'), '{');
  const { status, stdout, output, state } = await run('main', { mocks: 'shop.json' });
  expect([status, output['api-url']]).toEqual([1, undefined]);
  expect(stdout).toMatch(/^::error::Switchyard did not start: .*shop\.json.*\n$/);
  expect(await run('post', {}, state)).toMatchObject({ status: 0, stdout: '', summary: '' });
  expect([isRunning(state.pid), readdirSync(temporary)]).toEqual([false, []]);
});

test('a server that a signal ends before it is ready is not waited for', async () => {
  const installed = join(workspace, 'node_modules/switchyard-server');
  rmSync(installed);
  mkdirSync(join(installed, 'dist'), { recursive: true });
  writeFileSync(join(installed, 'dist/cli.js'), "process.kill(process.pid, 'SIGKILL')");
  const began = Date.now();
  expect(await run('main')).toMatchObject({ status: 1, stdout: '::error::Switchyard did not start: \n' });
  expect(Date.now() - began).toBeLessThan(20_000);
});

test('a server that has ended is reported with its log, of which no line is a command, and nothing else fails', async () => {
  const { state } = await run('main');
  process.kill(Number(state.pid), 'SIGKILL');
  expect(await eventually(() => !isRunning(state.pid))).toBe(true);
  const { status, stdout, summary } = await run('post', {}, state);
  expect([status, summary]).toEqual([0, '']);
  const [, end] = /^::warning::.*\n::stop-commands::(.+)\n/.exec(stdout) ?? [];
  expect(stdout).toMatch(/Switchyard .* is ready/);
  expect(stdout.endsWith(`\n::${end}::\n`)).toBe(true);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a server is stopped, also after a step has emptied the temporary folder', async () => {
  const { state } = await run('main');
  for (const name of readdirSync(temporary)) rmSync(join(temporary, name), { recursive: true });
  expect(await run('post', {}, state)).toMatchObject({ status: 0, summary: '' });
  expect(isRunning(state.pid)).toBe(false);
});

test('without a server there is nothing to report', async () => {
  expect(await run('post')).toMatchObject({ status: 0, stdout: '', summary: '' });
});
