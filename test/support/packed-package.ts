/** The package as it is published, but for what `npm run package` alone builds: its declarations of types. */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** @returns The name of the file in the folder. */
export async function packInto(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
  return stdout.trim();
}

/** Lets npm in a folder run no scripts, and keep there what npx installs. What it has downloaded before is used, without a question. */
export async function configureNpm(folder: string): Promise<void> {
  const { stdout } = await run('npm', ['config', 'get', 'cache'], { cwd: ROOT });
  const downloads = join(stdout.trim(), '_cacache');
  mkdirSync(downloads, { recursive: true });
  const cache = join(folder, '.npm');
  mkdirSync(cache);
  symlinkSync(downloads, join(cache, '_cacache'));
  writeFileSync(join(folder, '.npmrc'), `ignore-scripts=true\nprefer-offline=true\ncache=${cache}\n`);
}
