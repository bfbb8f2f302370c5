/**
 * Node.js's cache of compiled code (from 22.8 on): a start takes less processor time when it finds one.
 *
 * Code is run from it, so the folder must belong to this user alone. Where it does not, or cannot be written, a start has
 * no cache. NODE_DISABLE_COMPILE_CACHE=1 switches it off, and NODE_COMPILE_CACHE names another
 * folder: both are Node.js's own.
 */
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const OTHERS = 0o077;

/** Types of Node.js 20 lack them. */
const { enableCompileCache, getCompileCacheDir } = module as {
  enableCompileCache?: (directory: string) => unknown;
  getCompileCacheDir?: () => string | undefined;
};

/** For the modules that this process loads from now on. */
export function useCompileCache(): void {
  if (enableCompileCache === undefined) return;
  try {
    const uid = process.getuid?.();
    const directory = join(tmpdir(), `switchyard-code-${uid}`);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const stat = lstatSync(directory);
    if (stat.isDirectory() && stat.uid === uid && (stat.mode & OTHERS) === 0) enableCompileCache(directory);
  } catch {
    // The start is only slower.
  }
}

/** For a child process: the same folder. Node.js keeps versions of itself and users apart within it. */
export function compileCacheEnvironment(): Record<string, string> {
  const used = getCompileCacheDir?.();
  return used === undefined ? {} : { NODE_COMPILE_CACHE: dirname(used) };
}
