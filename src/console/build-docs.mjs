/**
 * Renders `docs/*.md` as pages below `/console/docs`: `node src/console/build-docs.mjs [folder]`.
 *
 * The README's table "Where to read on" gives their order, and what the index says of each.
 */
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { indexPage, documentPage } from './docs/pages.mjs';
import { renderDocument } from './docs/render.mjs';
import { listFiles } from './list-files.mjs';
import { writeCompressed } from './write-compressed.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIGEST_CHARS = 12;

/** @param {string} directory The console's folder: only `docs` in it is written, and is replaced. */
export async function buildDocs(directory) {
  const style = await readFile(new URL('docs/style.css', import.meta.url));
  const styleName = `style-${createHash('sha256').update(style).digest('hex').slice(0, DIGEST_CHARS)}.css`;
  const listed = documentsOf(await readFile(join(ROOT, 'README.md'), 'utf8'));
  const names = listed.map(({ name }) => name);
  const documents = await Promise.all(
    listed.map(async ({ name, description }) => {
      const markdown = await readFile(join(ROOT, 'docs', `${name}.md`), 'utf8');
      return { name, description, ...renderDocument(markdown, names) };
    }),
  );
  const pages = [
    ['index.html', indexPage(documents, styleName)],
    ...documents.map((document) => [`${document.name}.html`, documentPage(document, documents, styleName)]),
    [`assets/${styleName}`, style],
  ];
  await rm(join(directory, 'docs'), { recursive: true, force: true });
  await Promise.all(pages.map(([path, content]) => writeCompressed(join(directory, 'docs', path), content)));
}

/** The rows of the README that are of documents in `docs`: test/documents.test.ts holds that none is missing. */
function documentsOf(readme) {
  return [...readme.matchAll(/^\| \[docs\/([\w-]+)\.md\]\([^)]*\) \| (.+) \|$/gm)].map(([, name, description]) => ({
    name,
    description,
  }));
}

if (basename(process.argv[1] ?? '') === 'build-docs.mjs') {
  const to = resolve(process.argv[2] ?? join(ROOT, 'dist/console'));
  await buildDocs(to);
  await listFiles(to);
}
