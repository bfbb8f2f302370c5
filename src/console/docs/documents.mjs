/**
 * The documents, in the order of the README's tables "Further reading", with what these say of each.
 *
 * Guides are those whose name begins with `guide-`; all others are reference.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { titleOf } from './render.mjs';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * `name` is the file's name in `docs`, without `.md`. test/documents.test.ts holds that the README lists every document.
 *
 * @returns {Promise<{ name: string, title: string, description: string, group: 'Guides' | 'Reference', markdown: string }[]>}
 */
export async function readDocuments() {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  // A row may have several documents.
  const rows = [...readme.matchAll(/^\| (\[docs\/[^|]+) \| (.+) \|$/gm)].flatMap(([, links, description]) =>
    [...links.matchAll(/\[docs\/([\w-]+)\.md\]/g)].map(([, name]) => ({ name, description })),
  );
  return Promise.all(
    rows.map(async ({ name, description }) => {
      const markdown = await readFile(join(ROOT, 'docs', `${name}.md`), 'utf8');
      const group = name.startsWith('guide-') ? 'Guides' : 'Reference';
      return { name, title: titleOf(markdown), description, group, markdown };
    }),
  );
}

/**
 * @param {string} href As a document has it: `mocks.md#scenarios`.
 * @returns {{ name: string, anchor: string } | undefined} undefined for anything but a document of the same folder.
 */
export function linkedDocument(href) {
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return name === undefined ? undefined : { name, anchor };
}
