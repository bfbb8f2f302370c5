/**
 * `npm run prove:nodes`: the tests of what meets uWebSockets.js, and the proofs that send it malformed requests, on Node.js 24 and 26, each in
 * a clone of the working tree that it installed itself. `npm run prove:nodes -- 22` runs these versions alone. `--tests` leaves the proofs
 * out, and installs nothing anew: the clone has links to the tree's own packages and the binary of that version beside them. The versions are
 * exact: package.json beside.
 *
 * Ends with 1 when anything fails, or an installation warns of an engine, and with 2 when it knows no such version. A version that cannot run
 * on this system is left out, and a line says why.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryDirectory } from '../support/server.ts';
import { UnavailableError, underNewerCLibrary, type Words } from './newer-c-library.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Not of the sources. */
const LEFT_OUT_AT_TOP = new Set(['.git', 'dist', 'snapshots', 'bench/results']);
const LEFT_OUT = /(^|\/)(node_modules|\.cache)$/;

/** The last one installs the package. */
const TESTS = ['test/http', 'test/serving', 'test/wire', 'test/contract/paths', 'test/examples/openapi'];
/** With `--tests`, of serving only what goes over a socket: the rest is computed alike by any version. */
const SOCKET_TESTS = ['data-plane', 'framing', 'hostile', 'processes', 'scenarios', 'sessions', 'tls', 'traffic'];
const PROOFS = ['malformed', 'http-fuzz'];
/** What binaries from Node.js 24 on want, of glibc 2; those before run on any system of today. */
const GLIBC_MINOR = 38;

const { dependencies, devDependencies } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'),
) as Record<'dependencies' | 'devDependencies', Record<string, string>>;
const known = Object.keys({ ...dependencies, ...devDependencies });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tests: { type: 'boolean', default: false } },
});
const names = positionals.length > 0 ? positionals.map((major) => `node-${major}`) : Object.keys(devDependencies);
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`error: there is no ${unknown.join(', ')}, but ${known.join(', ')}\n`);
  process.exit(2);
}
const platform = `${process.platform}-${process.arch}`;
if (platform !== 'linux-x64') {
  say(`SKIPPED: the binaries of Node.js are for linux-x64, and this is ${platform}`);
  process.exit();
}
// An exit removes the clones; the signal by itself would not.
process.once('SIGINT', () => process.exit(130));

const VITEST: Words = [
  'node',
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  '--root',
  '.',
];
const PROJECTS = ['--project', 'tests', '--project', 'processes', '--project', 'timed'];
const steps: readonly Words[] = values.tests
  ? [[...VITEST, ...PROJECTS, ...TESTS.flatMap(narrowed)]]
  : [
      ['npm', 'test', '--', '--project', 'processes', ...TESTS],
      ['npm', 'run', 'prove', '--', ...PROOFS],
    ];
let hasFailed = !installNodes();
for (const name of hasFailed ? [] : names) {
  try {
    const failed = runOn(name);
    say(failed === undefined ? `${name}: green` : `${name}: FAILED: ${failed}`);
    hasFailed ||= failed !== undefined;
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    say(`${name}: SKIPPED: ${error.message}`);
  }
}
process.exit(hasFailed ? 1 : 0);

/** CI asks for one of three, each of which is 200 MB. @returns Whether they are there. */
function installNodes(): boolean {
  const all = names.some((name) => name in devDependencies);
  const args = ['ci', '--no-audit', '--no-fund', ...(all ? [] : ['--omit=dev'])];
  const { status, stderr } = spawnSync('npm', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  if (status !== 0) say(`npm ci in test/nodes: FAILED:\n${stderr}`);
  return status === 0;
}

/** @returns What failed. @throws UnavailableError */
function runOn(name: string): string | undefined {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${import.meta.dirname}/node_modules/${name}/bin:${process.env['PATH']}`,
  };
  const wrap = wrapperFor(name);
  const clone = join(temporaryDirectory(), 'clone');
  cpSync(ROOT, clone, { recursive: true, filter: isSource });
  say(`${name}: installing`);
  // A dry run looks at the engines of all packages, too.
  const [install, ...how] = wrap(['npm', 'ci', '--no-audit', '--no-fund', ...(values.tests ? ['--dry-run'] : [])]);
  const { status, stderr } = spawnSync(install, how, { cwd: clone, env, encoding: 'utf8' });
  if (status !== 0 || stderr.includes('EBADENGINE')) return `npm ci\n${stderr}`;
  if (values.tests) linkInstallation(clone, name.replace('node-', ''));
  for (const step of steps) {
    const [command, ...args] = wrap(step);
    if (spawnSync(command, args, { cwd: clone, env, stdio: 'inherit' }).status !== 0) return step.join(' ');
  }
  return undefined;
}

/** The build and the packages of the tree in a clone, with the binary of another version of Node.js. @throws When that cannot be had whole. */
function linkInstallation(clone: string, major: string): void {
  cpSync(join(ROOT, 'dist'), join(clone, 'dist'), { recursive: true });
  const packages = join(clone, 'node_modules');
  mkdirSync(join(packages, '@uwsjs'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((each) => each !== '@uwsjs')) {
    symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
  }
  const binary = `@uwsjs/${platform}-${major}`;
  const { version, integrity } = lockedPackage(binary);
  const folder = temporaryDirectory();
  run('npm', ['pack', '--silent', '--pack-destination', folder, `${binary}@${version}`]);
  const [packed = ''] = readdirSync(folder);
  const digest = createHash('sha512')
    .update(readFileSync(join(folder, packed)))
    .digest('base64');
  if (integrity !== `sha512-${digest}`) throw new Error(`${packed} is not what package-lock.json names`);
  run('tar', ['-xzf', join(folder, packed), '-C', folder]);
  cpSync(join(folder, 'package'), join(packages, binary), { recursive: true });
}

function lockedPackage(name: string): { readonly version: string; readonly integrity: string } {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly version: string; readonly integrity: string }>;
  };
  return packages[`node_modules/${name}`] as { version: string; integrity: string };
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
}

function narrowed(tests: string): readonly string[] {
  return tests === 'test/serving' ? SOCKET_TESTS.map((name) => `${tests}/${name}.test.ts`) : [tests];
}

function isSource(path: string): boolean {
  const name = relative(ROOT, path);
  return !LEFT_OUT_AT_TOP.has(name) && !LEFT_OUT.test(name);
}

/** What the commands of a version are run by. @throws UnavailableError */
function wrapperFor(name: string): (words: Words) => Words {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const [, minor = 0] = (header.glibcVersionRuntime ?? '').split('.').map(Number);
  if (name < 'node-24' || minor >= GLIBC_MINOR) return (words) => words;
  try {
    return underNewerCLibrary();
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    throw new UnavailableError(
      `it needs glibc 2.${GLIBC_MINOR}, this system has ${header.glibcVersionRuntime}: ${error.message}`,
    );
  }
}

function say(line: string): void {
  process.stdout.write(`prove:nodes: ${line}\n`);
}
