/**
 * Reads a file or a folder from the disk as the files of an import.
 *
 * An OpenAPI document, alone or at the top of a folder, is read with the files that it refers to within its folder. Any other folder is read with all files below it, except hidden ones and `node_modules`. A link is followed to a file within the folder alone, so that a
 * folder of somebody else brings in nothing but its own files. That is checked again of each file when it is open: who can write to the
 * folder can put a link in the place of a file, or of a folder, after it was listed.
 */
import { open, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, posix, resolve, sep } from 'node:path';
import { isFileAt, isWithin, openAt } from '../base/open-file.ts';
import { OperatorError } from '../base/operator-error.ts';
import type { SourceFile } from '../interchange/source/bundle.ts';
import { IMPORT_BODY_BYTES_MAX, IMPORT_FILES_MAX } from '../limits.ts';
import { stampOf } from './look-at-files.ts';

/** Files on the disk that are not read yet. */
export interface Listing {
  /** Path as given. */
  readonly path: string;
  readonly isFolder: boolean;
  /** The folder of the names; of a file that came alone the file. */
  readonly root: string;
  /** The name of the file to begin with, where that is known. */
  readonly entry?: string;
  /** Names within the folder; "" for a file that came alone. */
  readonly names: readonly string[];
  /** Where each of them is, without links. */
  readonly places: readonly string[];
  /** Every folder that was listed, or the one that holds the file. */
  readonly folders: readonly string[];
  /** Changes when a file is written, replaced, added or removed. */
  readonly stamp: string;
}

/**
 * @param entry The name of the file of a folder to begin with, where somebody has named it.
 * @param known What was listed before: files that lead to others are not read again unless one of them has changed.
 * @throws OperatorError when it cannot be listed, or has too much in it.
 */
export async function listBundle(path: string, entry?: string, known?: Listing): Promise<Listing> {
  const isByName = known !== undefined && (known.entry !== undefined || !known.isFolder);
  if (isByName && known.stamp === (await stampIn(known))) return known;
  const isFolder = (await orRefuse(path, stat(path))).isDirectory();
  const [root, first] = isFolder ? [path, entry ?? (await documentIn(path))] : [resolve(path, '..'), basename(path)];
  const referred = first === undefined ? [] : await filesReferredTo(root, first);
  if (referred.length > 1) {
    const folders = [...new Set(referred.map(({ name }) => resolve(root, name, '..')))];
    return listingOf({ path, isFolder, root, entry: first, folders }, referred);
  }
  if (!isFolder) return listingOf({ path, isFolder, root: path, folders: [root] }, [{ name: '', place: path }]);
  const folders: string[] = [];
  return listingOf({ path, isFolder, root, folders }, await filesBelow(path, '', await realpath(path), folders));
}

async function listingOf(
  listing: Omit<Listing, 'names' | 'places' | 'stamp' | 'entry'> & { readonly entry?: string | undefined },
  files: readonly ListedFile[],
): Promise<Listing> {
  const { entry, ...own } = listing;
  const names = files.map(({ name }) => name);
  const stamp = await stampIn({ root: own.root, names });
  const places = files.map(({ place }) => place);
  return { ...own, ...(entry === undefined ? {} : { entry }), names, places, stamp };
}

async function stampIn({ root, names }: Pick<Listing, 'root' | 'names'>): Promise<string> {
  return `${names.join(' ')} ${await stampOf(names.map((name) => join(root, name)))}`;
}

/** @returns The name of an OpenAPI document that is called so. */
async function documentIn(folder: string): Promise<string | undefined> {
  const names = await orRefuse(folder, readdir(folder));
  return names.toSorted().find((name) => /^(?:openapi|swagger)\.(?:json|ya?ml)$/.test(name));
}

const DOCUMENT = /["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]/;
/** The file of a reference, or of an example elsewhere. */
const REFERENCE = /["']?(?:\$ref|externalValue)["']?\s*:\s*["']?([^\s"'#,}\]:]+)/g;

/** @returns The document and the files within its folder that it leads to; nothing for what is no OpenAPI document. */
async function filesReferredTo(root: string, entry: string): Promise<ListedFile[]> {
  const realRoot = await realpath(root);
  const found = new Map<string, ListedFile>();
  const waiting = [entry];
  let bytesLeft = IMPORT_BODY_BYTES_MAX;
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const place = await realpath(join(root, name)).catch(() => undefined);
    // The import reports what is missing.
    if (place === undefined || !place.startsWith(realRoot + sep) || !(await stat(place)).isFile()) continue;
    if (found.size >= IMPORT_FILES_MAX) throw new OperatorError(`${root} has more than ${IMPORT_FILES_MAX} files`);
    found.set(name, { name, place });
    bytesLeft -= (await stat(place)).size;
    if (bytesLeft < 0)
      throw new OperatorError(`${join(root, name === entry ? name : '')} has more than ${IMPORT_BODY_BYTES_MAX} bytes`);
    const text = await orRefuse(place, readFile(place, 'utf8'));
    if (name === entry && !DOCUMENT.test(text)) return [];
    for (const [, to = ''] of text.matchAll(REFERENCE)) {
      const target = posix.join(posix.dirname(name), to);
      if (!target.startsWith('..') && !posix.isAbsolute(to)) waiting.push(target);
    }
  }
  return [...found.values()];
}

/** @throws OperatorError when a file cannot be read, is another one than was listed, or there is none. */
export async function readBundle({ path, root, names, places }: Listing): Promise<SourceFile[]> {
  if (names.length === 0) throw new OperatorError(`${path} has no files`);
  let left = IMPORT_BODY_BYTES_MAX;
  const files: SourceFile[] = [];
  for (const [index, name] of names.entries()) {
    const file = join(root, name);
    const place = places[index] as string;
    const isListed = name !== '';
    const handle = await orRefuse(file, isListed ? openAt(place) : open(place));
    try {
      if (isListed && !(await isFileAt(handle, place))) throw new OperatorError(`${file} changed while it was read`);
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

/** Name of a file of the bundle in reports and messages. @param name "" for a file that came alone. */
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
