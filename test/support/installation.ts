/** A copy of the built program with another console beside it: the console is read from where the program is. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CLI, temporaryDirectory } from './server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Installation {
  /** The program that is started. */
  readonly cli: string;
  /** Where its console is: an empty folder. */
  readonly console: string;
}

export function installation(): Installation {
  const directory = temporaryDirectory();
  const built = dirname(CLI);
  const copied = join(directory, 'dist');
  cpSync(built, copied, { recursive: true, filter: (path) => path !== join(built, 'console') });
  cpSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  mkdirSync(join(copied, 'console'));
  return { cli: join(copied, 'cli.js'), console: join(copied, 'console') };
}
