/** An example as someone has it who copied its folder and installed the package: the build stands for the package. */
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { CLI, temporaryDirectory } from './server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * @param packages Further packages that it has installed, by their names, or by the folders that they are in.
 * @returns A copy of a folder of `examples`, in which `npx switchyard-server` runs the build.
 */
export function exampleFolder(name: string, packages: readonly string[] = []): string {
  const folder = join(temporaryDirectory(), name);
  cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
  const bin = join(folder, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules/switchyard-server'));
  for (const each of packages) {
    const from = resolve(ROOT, 'node_modules', each);
    const to = join(folder, 'node_modules', isAbsolute(each) ? basename(each) : each);
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
  }
  // As npm writes it on Windows; elsewhere a link to a program that an installation made executable, which a build does not.
  writeFileSync(join(bin, 'switchyard-server'), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(join(bin, 'switchyard-server'), 0o755);
  return folder;
}
