/** What `npm run build` writes is the same bytes from the same sources, wherever they are. What it is: test/build and test/console. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readFolder } from '../support/read-folder.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const BUILDS: readonly (readonly [what: string, args: readonly string[]])[] = [
  ['the programs', ['--import', import.meta.resolve('tsx'), 'src/build/build.ts']],
  ['the console', ['src/console/build.mjs']],
];

test.each(BUILDS)('%s, and nothing is left of an earlier build', (_what, args) => {
  const elsewhere = join(temporaryDirectory(), 'else/where');
  for (const name of ['src', 'docs', 'package.json', 'tsconfig.json', 'CHANGELOG.md', 'README.md']) {
    cpSync(join(ROOT, name), join(elsewhere, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(elsewhere, 'node_modules'));
  const [built, other] = [ROOT, elsewhere].map((cwd) => {
    const to = join(temporaryDirectory(), 'dist');
    mkdirSync(to);
    writeFileSync(join(to, 'chunk-LEFT.js'), 'of an earlier build');
    execFileSync(process.execPath, [...args, to], { cwd });
    return readFolder(to);
  });
  expect(built?.has('chunk-LEFT.js')).toBe(false);
  expect([...(other?.keys() ?? [])].toSorted()).toEqual([...(built?.keys() ?? [])].toSorted());
  for (const [path, bytes] of built ?? []) expect(other?.get(path)?.equals(bytes), path).toBe(true);
});
