/**
 * Files that are served as they are, such as those of the console: read into memory once, at the start, with the
 * compressed forms that the build has written beside them (`main.js`, `main.js.br`, `main.js.gz`).
 *
 * serve-file.ts answers requests with them.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

export interface StaticFile {
  /** Within the folder, with slashes: `assets/main-3f2a.js`. */
  readonly path: string;
  readonly contentType: string;
  /** In the order in which they are preferred. The last is the file as it is, which every client accepts. */
  readonly forms: readonly Form[];
}

/** A file in one encoding. */
export interface Form {
  readonly encoding: 'br' | 'gzip' | undefined;
  readonly bytes: Buffer;
  /** A strong entity tag: each form has its own, since its bytes are others (RFC 9110, 8.8.3.3). */
  readonly etag: string;
}

/** Files of other kinds are not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** @returns The files of a folder and of the folders in it; none when there is no such folder. */
export async function readFiles(directory: string): Promise<StaticFile[]> {
  const names = await readdir(directory, { recursive: true }).catch(noSuchFolder);
  const known = new Set(names);
  const files: StaticFile[] = [];
  // One after the other: descriptors may be few (base/load-module.ts).
  for (const name of names.toSorted()) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const forms: Form[] = [];
    for (const [encoding, suffix] of ENCODINGS) {
      if (known.has(name + suffix)) forms.push(formOf(encoding, await readFile(join(directory, name + suffix))));
    }
    forms.push(formOf(undefined, await readFile(join(directory, name))));
    files.push({ path: name.replaceAll(sep, '/'), contentType, forms });
  }
  return files;
}

function formOf(encoding: Form['encoding'], bytes: Buffer): Form {
  return { encoding, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

function noSuchFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
