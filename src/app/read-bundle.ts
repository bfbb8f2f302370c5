/**
 * Reads a file or a folder from the disk as the files of an import.
 *
 * A folder is read with all files below it, except hidden ones and `node_modules`. A link is followed to a file within the folder alone, so that a
 * folder of somebody else brings in nothing but its own files. That is checked again of each file when it is open: who can write to the
 * folder can put a link in the place of a file, or of a folder, after it was listed.
 */
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isFileAt, isWithin, openAt } from '../base/open-file.ts';
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
  /** Where each of them is, without links. */
  readonly places: readonly string[];
  /** Every folder that was listed, or the one that holds the file. */
  readonly folders: readonly string[];
  /** Changes when a file is written, replaced, added or removed. */
  readonly stamp: string;
}

/** @throws OperatorError when it cannot be listed, or has too much in it. */
export async function listBundle(path: string): Promise<Listing> {
  const isFolder = (await orRefuse(path, stat(path))).isDirectory();
  const folders: string[] = [];
  const files = isFolder ? await filesBelow(path, '', await realpath(path), folders) : [{ name: '', place: path }];
  const names = files.map(({ name }) => name);
  const stamp = await stampOf(names.map((name) => join(path, name)));
  const listed = isFolder ? folders : [resolve(path, '..')];
  const places = files.map(({ place }) => place);
  return { path, isFolder, names, places, folders: listed, stamp: `${names.join(' ')} ${stamp}` };
}

/** @throws OperatorError when a file cannot be read, is another one than was listed, or there is none. */
export async function readBundle({ path, isFolder, names, places }: Listing): Promise<SourceFile[]> {
  if (names.length === 0) throw new OperatorError(`${path} has no files`);
  let left = IMPORT_BODY_BYTES_MAX;
  const files: SourceFile[] = [];
  for (const [index, name] of names.entries()) {
    const file = join(path, name);
    const place = places[index] as string;
    const handle = await orRefuse(file, isFolder ? openAt(place) : open(place));
    try {
      if (isFolder && !(await isFileAt(handle, place))) throw new OperatorError(`${file} changed while it was read`);
      const take = (bytes: number): void => {
        if (bytes > left) throw new OperatorError(`${path} has more than ${IMPORT_BODY_BYTES_MAX} bytes`);
      };
      take((await orRefuse(file, handle.stat())).size);
      const bytes = await orRefuse(file, handle.readFile());
      take(bytes.length);
      left -= bytes.length;
      files.push({ path: name, bytes });
    } finally {
      await handle.close();
    }
  }
  return files;
}

/** As a report or a message names a file of the bundle. @param name "" for a file that came alone. */
export function shownPath(path: string, name: string): string {
  const base = basename(resolve(path));
  return name === '' ? base : `${base}/${name}`;
}

interface ListedFile {
  readonly name: string;
  readonly place: string;
}

/** @param folders Gets every folder that is listed. */
async function filesBelow(root: string, folder: string, realRoot: string, folders: string[]): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  const at = join(root, folder);
  folders.push(at);
  const entries = await orRefuse(at, readdir(at, { withFileTypes: true }));
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) files.push(...(await filesBelow(root, name, realRoot, folders)));
    else if (entry.isFile()) files.push({ name, place: join(realRoot, name) });
    else if (entry.isSymbolicLink()) {
      const place = await fileWithin(join(root, name), realRoot);
      if (place !== undefined) files.push({ name, place });
    }
    if (files.length > IMPORT_FILES_MAX) throw new OperatorError(`${root} has more than ${IMPORT_FILES_MAX} files`);
  }
  return files;
}

/** @returns Where a link leads; undefined when that is not a file. @throws OperatorError for a link that leads out. */
async function fileWithin(link: string, realRoot: string): Promise<string | undefined> {
  const target = await orRefuse(link, realpath(link));
  if (!isWithin(target, realRoot)) throw new OperatorError(`the link ${link} points outside the folder`);
  return (await orRefuse(link, stat(target))).isFile() ? target : undefined;
}

async function orRefuse<Result>(path: string, read: Promise<Result>): Promise<Result> {
  try {
    return await read;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new OperatorError(`cannot read ${path}: ${code === 'ENOENT' ? 'no such file or folder' : message}`);
  }
}
