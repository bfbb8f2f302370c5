/** What `npm run build` writes is the same bytes from the same sources: of the programs, wherever they are. What is in it: test/build and test/console. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readFolder } from '../support/read-folder.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A copy of what the programs are built of, with the same packages. */
function copiedSources(): string {
  const elsewhere = join(temporaryDirectory(), 'else/where');
  for (const name of ['src', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, name), join(elsewhere, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(elsewhere, 'node_modules'));
  return elsewhere;
}

const BUILDS: readonly (readonly [what: string, args: readonly string[], other: () => string])[] = [
  ['the programs', ['--import', import.meta.resolve('tsx'), 'src/build/build.ts'], copiedSources],
  ['the console', ['src/console/build.mjs'], () => ROOT],
];

test.each(BUILDS)('%s, and nothing is left of an earlier build', (_what, args, other) => {
  const [first, second] = [ROOT, other()].map((cwd) => {
    const to = join(temporaryDirectory(), 'dist');
    mkdirSync(to);
    writeFileSync(join(to, 'chunk-LEFT.js'), 'of an earlier build');
    execFileSync(process.execPath, [...args, to], { cwd });
    const built = new Map(readFolder(to));
    // Only a repository has a commit.
    built.delete('commit.txt');
    return built;
  });
  expect(first?.has('chunk-LEFT.js')).toBe(false);
  expect([...(second?.keys() ?? [])].toSorted()).toEqual([...(first?.keys() ?? [])].toSorted());
  for (const [path, bytes] of first ?? []) expect(second?.get(path)?.equals(bytes), path).toBe(true);
});
