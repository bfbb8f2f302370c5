/** Where a program is installed that is no part of this repository. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian installs nginx where only root's PATH has it. */
const FURTHER_DIRECTORIES = ['/usr/sbin', '/usr/local/sbin'];

/** @returns Its path, or undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...FURTHER_DIRECTORIES];
  return directories.map((directory) => join(directory, name)).find((file) => existsSync(file));
}
