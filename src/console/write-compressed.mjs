/** Writes a file of the console with its compressed forms, which the server sends unchanged. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Brotli's 11 takes ten times as long and saves seven percent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const GZIP = { level: 9 };

/**
 * Writes `path`, `path.br` and `path.gz`. The same content gives the same bytes.
 *
 * @param {string} path Its folder is created if missing.
 * @param {string | Uint8Array} content
 */
export async function writeCompressed(path, content) {
  await mkdir(dirname(path), { recursive: true });
  const [br, gz] = await Promise.all([promisify(brotliCompress)(content, BROTLI), promisify(gzip)(content, GZIP)]);
  await Promise.all([writeFile(path, content), writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
}
