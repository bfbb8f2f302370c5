/** Where a program is that this repository does not bring. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian has nginx where only root looks. */
const FURTHER_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin'];

/** @returns Its path, or undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...FURTHER_DIRECTORIES];
  return directories.map((directory) => join(directory, name)).find((file) => existsSync(file));
}
