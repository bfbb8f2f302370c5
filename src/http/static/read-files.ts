/**
 * Files that are served as they are, such as those of the console, in the forms that the build has written beside each
 * other (`main.js`, `main.js.br`, `main.js.gz`).
 *
 * The build lists them with their types and entity tags (src/console/list-files.mjs): a start reads that list, and a
 * file is read at its first request. serve-file.ts answers requests with them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The list of a folder, within it. */
const LIST = 'files.json';
const SUFFIXES = { br: '.br', gzip: '.gz' } as const;

/** An entry of the list that the build writes. */
interface ListedFile {
  readonly path: string;
  readonly contentType: string;
  readonly forms: readonly Pick<Form, 'encoding' | 'etag'>[];
}

export interface StaticFile {
  /** Within the folder, with slashes: `assets/main-3f2a.js`. */
  readonly path: string;
  readonly contentType: string;
  /** In the order in which they are preferred. The last is the file as it is, which every client accepts. */
  readonly forms: readonly Form[];
}

/** A file in one encoding. */
export interface Form {
  readonly encoding?: keyof typeof SUFFIXES;
  /** A strong entity tag: each form has its own, since its bytes are others (RFC 9110, 8.8.3.3). */
  readonly etag: string;
  /** Read by the first call, and kept. */
  readonly bytes: () => Promise<Buffer>;
}

/** @returns The files that the list of a folder names; none when there is no list. */
export async function readFiles(directory: string): Promise<StaticFile[]> {
  const list = await readFile(join(directory, LIST), 'utf8').catch(noSuchFile);
  const files = JSON.parse(list) as ListedFile[];
  return files.map(({ path, contentType, forms }) => ({
    path,
    contentType,
    forms: forms.map((form) => ({ ...form, bytes: readOnce(join(directory, path + suffixOf(form))) })),
  }));
}

function suffixOf({ encoding }: Pick<Form, 'encoding'>): string {
  return encoding === undefined ? '' : SUFFIXES[encoding];
}

/** A file that could not be read is tried again at the next request. */
function readOnce(file: string): () => Promise<Buffer> {
  let reading: Promise<Buffer> | undefined;
  return () => {
    reading ??= readFile(file).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

function noSuchFile(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '[]';
  throw error;
}
