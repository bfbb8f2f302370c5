/** The files that every page of the documents loads, with a digest of the content in each name. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { searchIndex } from './search-index.mjs';

const DIGEST_CHARS = 12;

/**
 * @param {Parameters<typeof searchIndex>[0]} documents The documents to search.
 * @returns {Promise<{ assets: { style: string, script: string, index: string }, files: [path: string, content: string][] }>}
 */
export async function hashedAssets(documents) {
  const [style, script] = await Promise.all(
    ['style.css', 'search.js'].map((name) => readFile(new URL(name, import.meta.url), 'utf8')),
  );
  const contents = { style: [style, '.css'], script: [script, '.js'], index: [searchIndex(documents), '.json'] };
  const named = Object.entries(contents).map(([key, [content, extension]]) => {
    const digest = createHash('sha256').update(content).digest('hex').slice(0, DIGEST_CHARS);
    return [key, `${key}-${digest}${extension}`, content];
  });
  return {
    assets: Object.fromEntries(named.map(([key, name]) => [key, name])),
    files: named.map(([, name, content]) => [`assets/${name}`, content]),
  };
}
