/**
 * The two builds that are compared, each in a temporary folder of its own: the working tree as it is now, and a commit.
 *
 * A copy, so that the working tree can be edited and built while it is compared. The commit is unpacked from an archive, not
 * checked out as a worktree: nothing of it is left in the repository, however this ends.
 */
import { cpSync, existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runCommand, temporaryDirectory } from '../processes.ts';

/** @returns The folder of the build. `npm run bench:compare` has built it. */
export function copyWorkingTree(): string {
  const directory = temporaryDirectory();
  cpSync(join(ROOT, 'dist'), join(directory, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  linkDependencies(directory);
  return directory;
}

/**
 * BENCH_BUILDS names a folder that keeps builds of commits, for several comparisons with the same one.
 *
 * @param ref Anything that git understands as a commit. @returns The folder of its build.
 */
export async function buildCommit(ref: string): Promise<string> {
  const { BENCH_BUILDS: builds } = process.env;
  if (builds === undefined) return buildAnew(ref);
  const kept = join(builds, (await runCommand('git', ['rev-parse', `${ref}^{commit}`])).trim());
  // One that was interrupted has not got its name.
  if (!existsSync(kept)) renameSync(await buildAnew(ref), kept);
  return kept;
}

async function buildAnew(ref: string): Promise<string> {
  const directory = temporaryDirectory();
  const archive = join(temporaryDirectory(), 'commit.tar');
  await runCommand('git', ['archive', '--output', archive, `${ref}^{commit}`]);
  await runCommand('tar', ['-xf', archive, '-C', directory]);
  if (packagesOf(directory) === packagesOf(ROOT)) linkDependencies(directory);
  else await runCommand('npm', ['ci', '--no-audit', '--no-fund'], directory);
  await runCommand('npm', ['run', 'build'], directory);
  return directory;
}

/** What is installed, whatever it is for. */
function packagesOf(directory: string): string {
  const { packages } = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly version?: string }>;
  };
  return JSON.stringify(
    Object.entries(packages).flatMap(([path, { version }]) => (path === '' ? [] : [path, version])),
  );
}

/** One installation for both: the same files of the same packages. */
function linkDependencies(directory: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
}
