/** Makes a directory and its missing parents, readable by their owner alone. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * One level at a time: `mkdir` with `recursive` never returns where a file system refuses new names with ENOENT, as
 * /proc does.
 *
 * @throws The error of the file system, or one that names the file which is in the place of a directory.
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  let at = resolve(path);
  let kind = kindOf(at);
  while (kind === undefined) {
    missing.push(at);
    at = dirname(at);
    kind = kindOf(at);
  }
  if (kind === 'file') throw new Error(`${at} is a file, not a directory`);
  for (const each of missing.toReversed()) mkdirSync(each, { mode: 0o700 });
}

/** @returns undefined when there is nothing at this path. */
function kindOf(path: string): 'directory' | 'file' | undefined {
  let stat;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A parent is a file.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
  }
  if (stat === undefined) return undefined;
  return stat.isDirectory() ? 'directory' : 'file';
}
