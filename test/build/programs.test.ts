/** Each program that src/base/program-files.ts names: it starts, and what it throws leads to a line of the sources. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LATE_PACKAGES, loadPackage, programFile, PROGRAMS } from '../../src/base/program-files.ts';
import { CLI, onUndo, temporaryDirectory } from '../support/server.ts';

type Program = keyof typeof PROGRAMS;

const ROOT = resolve(import.meta.dirname, '../..');
const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
const VERSION_LINE = expect.stringMatching(
  new RegExp(`^${VERSION} \\((?:commit [0-9a-f]+(?:-dirty)?, )?store format \\d+\\)\\n$`),
) as string;
const SOURCE_MAPS = '--enable-source-maps';

async function outcomeOf(child: ChildProcess): Promise<{ status: unknown; stdout: string; stderr: string }> {
  onUndo(() => child.kill('SIGKILL'));
  const { stdout, stderr } = child;
  const [printed, errors, [status]] = await Promise.all([
    stdout === null ? '' : text(stdout),
    stderr === null ? '' : text(stderr),
    // Not `close`, which does not come when the channel was closed early.
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { status, stdout: printed, stderr: errors };
}

const run = (args: readonly string[]) =>
  outcomeOf(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }));

/** A program that another process forks. @param message Sent to it; without one the channel is closed. */
function forked(name: Program, message?: object | null, flags: readonly string[] = []) {
  const child = fork(programFile(name), [], {
    execArgv: [...flags],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  if (message === undefined) child.disconnect();
  else child.send(message as object);
  return outcomeOf(child);
}

/** A program of a thread. @param call What is called of it. */
function inThread(name: Program, call = '', flags: readonly string[] = []) {
  const script = `const loaded = await import(${JSON.stringify(programFile(name).href)}); ${call}`;
  const start = `new (require('node:worker_threads').Worker)(new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(script)}`)}))`;
  return run([...flags, '--eval', start]);
}

const pathOf = (name: Program): string => fileURLToPath(programFile(name));

describe('starts:', () => {
  test.each<[Program, () => ReturnType<typeof run>, string]>([
    ['cli', () => run([pathOf('cli'), '--version']), VERSION_LINE],
    // It runs for as long as its input is open.
    [
      'serve-while-attached',
      () =>
        outcomeOf(
          spawn(process.execPath, [pathOf('serve-while-attached'), '', '--version'], {
            stdio: ['pipe', 'pipe', 'pipe'],
          }),
        ),
      VERSION_LINE,
    ],
    ['data-plane', () => forked('data-plane'), ''],
    ['serving-thread', () => inThread('serving-thread'), ''],
    ['egress', () => forked('egress'), ''],
    ['sandbox-thread', () => inThread('sandbox-thread', 'await loaded.start("imports");'), ''],
    ['code-thread', () => inThread('code-thread', 'await loaded.start();'), ''],
    ['inspection-process', () => forked('inspection-process'), ''],
  ])('%s', async (_name, start, stdout) => {
    const ended = await start();
    expect(ended).toMatchObject({ stdout, stderr: '' });
    // The data plane may kill itself when its channel is closed.
    expect(ended.status ?? 0).toBe(0);
  });

  test('that is all of them', () => {
    const started = [
      'cli',
      'serve-while-attached',
      'data-plane',
      'serving-thread',
      'egress',
      'sandbox-thread',
      'code-thread',
      'inspection-process',
    ];
    expect(Object.keys(PROGRAMS)).toEqual(started);
  });
});

describe('an error leads to a line of the sources:', () => {
  /** Makes the first thing fail that `serve` does. */
  const noUmask = `data:text/javascript,process.umask=()=>{throw new Error('made')}`;
  const served = ['--import', noUmask, CLI, 'serve', '--data', '/nowhere'];

  const CASES: [Program, (flags: readonly string[]) => ReturnType<typeof run>, string][] = [
    ['cli', (flags) => run([...flags, ...served]), 'src/cli/serve.ts'],
    ['data-plane', (flags) => forked('data-plane', { kind: 'start' }, flags), 'src/serving/process/threads.ts'],
    [
      'serving-thread',
      (flags) => inThread('serving-thread', 'await loaded.default({});', flags),
      'src/serving/thread/worker.ts',
    ],
    [
      'sandbox-thread',
      (flags) => inThread('sandbox-thread', 'await loaded.nearestRoutes();', flags),
      'src/sandbox/sandbox-worker.ts',
    ],
    [
      'inspection-process',
      (flags) => forked('inspection-process', null, flags),
      'src/store/check/inspection-process.ts',
    ],
  ];

  test.each(CASES)('%s, with source maps', async (_name, fail, source) => {
    const { stderr } = await fail([SOURCE_MAPS]);
    const [, line] =
      new RegExp(` at .*${ROOT}/${source}:(\\d+):\\d+`).exec(stderr) ?? expect.fail(stderr.slice(0, 2_000));
    const lines = readFileSync(join(ROOT, source), 'utf8').split('\n');
    expect(lines[Number(line) - 1]).toMatch(/\w/);
  });

  test.each(CASES)('%s names functions and places of a readable file without', async (_name, fail) => {
    const { stderr } = await fail([]);
    const [, file = '', line] = /(\/dist\/[\w-]+\.js):(\d+)/.exec(stderr) ?? expect.fail(stderr.slice(0, 2_000));
    const named = readFileSync(join(ROOT, file), 'utf8').split('\n')[Number(line) - 1] ?? '';
    expect(named.length).toBeGreaterThan(5);
    expect(named.length).toBeLessThan(300);
  });
});

describe('packages of their own', () => {
  test.each(Object.keys(LATE_PACKAGES))('%s has in the build what it has in the tree', (name) => {
    const built = module.createRequire(programFile('cli'))(`./${name}.cjs`) as object;
    expect(Object.keys(built)).toEqual(Object.keys(loadPackage(name as keyof typeof LATE_PACKAGES) as object));
  });

  test('are not loaded by a start', async () => {
    const list = `import module from 'node:module';
      process.on('exit', () => process.stderr.write(Object.keys(module._cache).filter((path) => path.endsWith('.cjs')).join('\\n')));`;
    const preload = `data:text/javascript,${encodeURIComponent(list)}`;
    const args = ['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--data', temporaryDirectory()];
    const child = spawn(process.execPath, ['--import', preload, CLI, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => chunk.includes('ready') && child.kill('SIGTERM'));
    const { status, stderr } = await outcomeOf(child);
    const loaded = stderr.split('\n').filter((path) => path.startsWith(join(ROOT, 'dist')));
    expect([status, loaded]).toEqual([0, []]);
    // The list is one: native packages are in it.
    expect(stderr).toContain('lmdb');
  });
});

describe('the cache of compiled code', () => {
  const NAME = `switchyard-code-${process.getuid?.()}`;
  const hasCache = 'enableCompileCache' in module;

  /** @returns The folder of temporary files after a command. */
  async function used(env: Record<string, string> = {}, prepare?: (folder: string) => void): Promise<string> {
    const TMPDIR = temporaryDirectory();
    prepare?.(join(TMPDIR, NAME));
    const child = spawn(process.execPath, [CLI, '--version'], { env: { ...process.env, TMPDIR, ...env } });
    expect((await outcomeOf(child)).stdout).toEqual(VERSION_LINE);
    return TMPDIR;
  }

  test('is in a folder of the user alone, where Node.js has one', async () => {
    const temporary = await used();
    expect(readdirSync(temporary)).toEqual(hasCache ? [NAME] : []);
    if (!hasCache) return;
    expect(statSync(join(temporary, NAME)).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(temporary, NAME))).toHaveLength(1);
  });

  test('is not used in a folder that others may write to', async () => {
    const temporary = await used({}, (folder) => {
      mkdirSync(folder);
      chmodSync(folder, 0o777);
    });
    expect(readdirSync(join(temporary, NAME))).toEqual([]);
  });

  test("is switched off, and put elsewhere, by Node.js's own variables", async () => {
    const off = await used({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(readdirSync(off, { recursive: true }).filter((name) => name !== NAME)).toEqual([]);
    const elsewhere = temporaryDirectory();
    const left = await used({ NODE_COMPILE_CACHE: elsewhere });
    expect(readdirSync(left, { recursive: true }).filter((name) => name !== NAME)).toEqual([]);
    expect(readdirSync(elsewhere)).toHaveLength(hasCache ? 1 : 0);
  });
});
