/** The documents, in the order and the groups of the tables in docs/README.md, with their descriptions there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { titleOf } from './render.mjs';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Headings of the tables. */
export const GROUPS = ['Start', 'Guides', 'Reference'];

/** The name of docs/README.md, as links have it. */
export const INDEX = 'README';

/** @returns {Promise<{ title: string, markdown: string }>} */
export async function readIndex() {
  const markdown = await readFile(join(ROOT, 'docs', `${INDEX}.md`), 'utf8');
  return { title: titleOf(markdown), markdown };
}

/**
 * `name` is the file's name in `docs`, without `.md`. test/documents.test.ts holds that the index lists every document.
 *
 * @returns {Promise<{ name: string, title: string, description: string, group: string, markdown: string }[]>}
 */
export async function readDocuments() {
  const { markdown: index } = await readIndex();
  const rows = GROUPS.flatMap((group) => {
    const [table = ''] = index.split(`\n## ${group}\n`)[1]?.split('\n## ') ?? [];
    // A row may have several documents.
    return [...table.matchAll(/^\| (\[[^|]+) \| (.+) \|$/gm)].flatMap(([, links, description]) =>
      [...links.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => ({ name, description, group })),
    );
  });
  return Promise.all(
    rows.map(async ({ name, description, group }) => {
      const markdown = await readFile(join(ROOT, 'docs', `${name}.md`), 'utf8');
      return { name, title: titleOf(markdown), description, group, markdown };
    }),
  );
}

/**
 * @param {string} href As a document has it: `mocks-matching.md#scenarios`.
 * @returns {{ name: string, anchor: string } | undefined} undefined for anything but a document of the same folder.
 */
export function linkedDocument(href) {
  const [, name, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return name === undefined ? undefined : { name, anchor };
}
