/** Makes a directory and what is missing above it, readable by its owner alone. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * One level at a time: `mkdir` with `recursive` never returns where a file system refuses new names with ENOENT, as /proc does.
 *
 * @throws The error of the file system.
 */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const each of missing.toReversed()) mkdirSync(each, { mode: 0o700 });
}
