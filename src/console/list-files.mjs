/**
 * Lists the files to serve in `files.json` beside them, with the type and entity tag of each form, so that a
 * starting server need not read and hash them (src/http/static/read-files.ts).
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';

/** Other kinds are not served. */
const CONTENT_TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};
const LIST = 'files.json';

/** In order of preference; the last is the uncompressed file. */
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
