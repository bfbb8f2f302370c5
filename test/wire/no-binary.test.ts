/** Without a usable binary of uWebSockets.js: one line that says what to do, for each cause. */
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { noBinary, type Runtime } from '../../src/wire/no-binary.ts';
import { Running } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';

const LINUX: Runtime = { version: '24.1.0', platform: 'linux', arch: 'x64', glibc: '2.41' };
const MISSING = Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
const UNLOADABLE = Object.assign(new Error('it wants a\nlibrary'), { code: 'ERR_DLOPEN_FAILED' });

describe('the message says what to do', () => {
  test.each<[what: string, error: NodeJS.ErrnoException, runtime: Partial<Runtime>, line: RegExp]>([
    [
      '18',
      MISSING,
      { version: '18.20.8' },
      /^Node\.js 18\.20\.8 on linux-x64 is not supported: use Node\.js 22 or 24 /,
    ],
    ['21', MISSING, { version: '21.7.3' }, / is not supported: use .* and install with it \(npm ci\)$/],
    ['25', MISSING, { version: '25.9.0' }, / is not supported: use /],
    ['28', MISSING, { version: '28.0.0' }, / is not supported: use /],
    [
      'Windows',
      MISSING,
      { platform: 'win32', glibc: undefined },
      /^Node\.js 24\.1\.0 on win32-x64 is not supported: use /,
    ],
    ['a 32-bit system', MISSING, { arch: 'arm' }, / on linux-arm is not supported: use /],
    ['musl', MISSING, { glibc: undefined }, / without glibc, which Alpine .*: use .* on Linux with glibc/],
    ['musl, with modules of another system', UNLOADABLE, { glibc: undefined }, / without glibc, /],
    ['modules of another Node.js', MISSING, {}, /^the packages were not installed with Node\.js 24\.1\.0 .*\(npm ci\)/],
    ['the same on macOS', MISSING, { platform: 'darwin', glibc: undefined }, /^the packages were not installed with /],
    [
      'Debian 12 with 24',
      UNLOADABLE,
      { glibc: '2.36' },
      / needs glibc 2\.38 .* has 2\.36: use Node\.js 22 .* or use a newer/,
    ],
    ['Debian 12 with 26', UNLOADABLE, { version: '26.0.0', glibc: '2.36' }, / needs glibc 2\.38 /],
    ['an old system with 24', UNLOADABLE, { glibc: '2.17' }, / needs glibc 2\.38 .* has 2\.17: use a newer system/],
    ['an old system with 22', UNLOADABLE, { version: '22.20.0', glibc: '2.17' }, / needs glibc 2\.27 .*: use a newer/],
    ['something else', UNLOADABLE, {}, /^Node\.js 24\.1\.0 on linux-x64 cannot load uWebSockets\.js; .*: it wants a$/],
  ])('%s', (_what, error, runtime, line) => {
    const message = noBinary(error, { ...LINUX, ...runtime });
    expect(message).toMatch(line);
    expect(message).not.toContain('\n');
  });
});

describe('a program whose modules were installed by another Node.js', () => {
  /** A copy without any module, since npm leaves out the binary's package. */
  const dist = (): string => {
    const directory = join(temporaryDirectory(), 'dist');
    cpSync(resolve(import.meta.dirname, '../../dist'), directory, { recursive: true });
    cpSync(resolve(import.meta.dirname, '../../package.json'), join(directory, '../package.json'));
    return directory;
  };
  const LINE = new RegExp(`the packages were not installed with Node\\.js ${process.versions.node} .*\\(npm ci\\)`);

  test.each([['serve'], ['keys', 'list'], ['--help']])('ends with 2 and one line: %s %s', async (...args) => {
    const { status, stdout, stderr } = await new Running(process.execPath, [join(dist(), 'cli.js'), ...args]).ended;
    expect([status, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1]);
    expect(stderr).toMatch(new RegExp(`^error: ${LINE.source}`));
  });

  test('and `startSwitchyard` passes the line on', async () => {
    const client = pathToFileURL(join(dist(), 'client.js')).href;
    const script = `import(${JSON.stringify(client)}).then((all) => all.startSwitchyard()).catch((error) => console.log(error.message))`;
    const { stdout } = await new Running(process.execPath, ['-e', script]).ended;
    expect(stdout).toMatch(/^Switchyard did not start: it exited with 2\n/);
    expect(stdout).toMatch(LINE);
  });
});
