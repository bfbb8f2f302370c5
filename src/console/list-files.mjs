/**
 * Lists the files that a server is to serve, with the type and the entity tag of each form, in `files.json` beside them: a
 * server that starts need not read and hash them (src/http/static/read-files.ts).
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** Files of other kinds are not served. */
const CONTENT_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};
const LIST = 'files.json';

/** In the order in which they are preferred; the last is the file as it is. */
const FORMS = [
  ['br', '.br'],
  ['gzip', '.gz'],
  [undefined, ''],
];

/** @param {string} directory */
export async function listFiles(directory) {
  const names = new Set(await readdir(directory, { recursive: true }));
  const files = [];
  for (const name of [...names].toSorted((one, other) => (one < other ? -1 : 1))) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined || name === LIST) continue;
    const forms = [];
    for (const [encoding, suffix] of FORMS) {
      if (!names.has(name + suffix)) continue;
      const digest = createHash('sha256').update(await readFile(join(directory, name + suffix)));
      forms.push({ encoding, etag: `"${digest.digest('base64url')}"` });
    }
    files.push({ path: name.replaceAll(sep, '/'), contentType, forms });
  }
  await writeFile(join(directory, LIST), `${JSON.stringify(files)}\n`);
}
