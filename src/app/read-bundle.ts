/**
 * Reads a file or a folder from the disk as the files of an import.
 *
 * Of a folder: all files below it, but hidden ones and `node_modules`. A link is followed to a file within the folder alone, so that a
 * folder of somebody else brings in nothing but its own files.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import type { SourceFile } from '../interchange/source/bundle.ts';
import { IMPORT_BODY_BYTES_MAX, IMPORT_FILES_MAX } from '../limits.ts';
import { stampOf } from './look-at-files.ts';

/** What is on the disk, not yet read. */
export interface Listing {
  /** As it was given. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Names within the folder; "" for a file. */
  readonly names: readonly string[];
  /** Every folder that was listed, or the one that holds the file. */
  readonly folders: readonly string[];
  /** Changes when a file is written, replaced, added or removed. */
  readonly stamp: string;
}

/** @throws OperatorError when it cannot be listed, or has too much in it. */
export async function listBundle(path: string): Promise<Listing> {
  const isFolder = (await orRefuse(path, stat(path))).isDirectory();
  const folders: string[] = [];
  const names = isFolder ? await namesBelow(path, '', await realpath(path), folders) : [''];
  const stamp = await stampOf(names.map((name) => join(path, name)));
  const listed = isFolder ? folders : [resolve(path, '..')];
  return { path, isFolder, names, folders: listed, stamp: `${names.join(' ')} ${stamp}` };
}

/** @throws OperatorError when a file cannot be read, or there is none. */
export async function readBundle({ path, names }: Listing): Promise<SourceFile[]> {
  if (names.length === 0) throw new OperatorError(`${path} has no files`);
  let left = IMPORT_BODY_BYTES_MAX;
  const files: SourceFile[] = [];
  for (const name of names) {
    const file = join(path, name);
    left -= (await orRefuse(file, stat(file))).size;
    if (left < 0) throw new OperatorError(`${path} has more than ${IMPORT_BODY_BYTES_MAX} bytes`);
    files.push({ path: name, bytes: await orRefuse(file, readFile(file)) });
  }
  return files;
}

/** As a report or a message names a file of the bundle. @param name "" for a file that came alone. */
export function shownPath(path: string, name: string): string {
  const base = basename(resolve(path));
  return name === '' ? base : `${base}/${name}`;
}

/** @param folders Gets every folder that is listed. */
async function namesBelow(root: string, folder: string, realRoot: string, folders: string[]): Promise<string[]> {
  const names: string[] = [];
  const at = join(root, folder);
  folders.push(at);
  const entries = await orRefuse(at, readdir(at, { withFileTypes: true }));
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) names.push(...(await namesBelow(root, name, realRoot, folders)));
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isFileWithin(join(root, name), realRoot)))) {
      names.push(name);
    }
    if (names.length > IMPORT_FILES_MAX) throw new OperatorError(`${root} has more than ${IMPORT_FILES_MAX} files`);
  }
  return names;
}

/** @throws OperatorError for a link that leads out. */
async function isFileWithin(link: string, realRoot: string): Promise<boolean> {
  const target = await orRefuse(link, realpath(link));
  if (!`${target}${sep}`.startsWith(realRoot + sep))
    throw new OperatorError(`the link ${link} leads out of the folder`);
  return (await orRefuse(link, stat(target))).isFile();
}

async function orRefuse<Result>(path: string, read: Promise<Result>): Promise<Result> {
  try {
    return await read;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(`cannot read ${path}: ${code === 'ENOENT' ? 'there is no such file or folder' : message}`);
  }
}
