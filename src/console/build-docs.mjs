/**
 * Renders `docs/*.md` as pages below `/console/docs`: `node src/console/build-docs.mjs [folder]`.
 *
 * Documents are at `/console/docs/<name>`, and docs/README.md, their index, at `/console/docs`, one level up.
 */
import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { hashedAssets } from './docs/assets.mjs';
import { INDEX, linkedDocument, readDocuments, readIndex, ROOT } from './docs/documents.mjs';
import { documentPage } from './docs/pages.mjs';
import { renderDocument } from './docs/render.mjs';
import { listFiles } from './list-files.mjs';
import { writeCompressed } from './write-compressed.mjs';

/** @param {string} directory The console's folder: this replaces `docs` in it, and nothing else. */
export async function buildDocs(directory) {
  const listed = await readDocuments();
  const names = new Set(listed.map(({ name }) => name));
  const targetFrom = (folder) => (href) => {
    const { name, anchor } = linkedDocument(href) ?? {};
    if (name === INDEX) return `${upFrom(folder)}docs`;
    return names.has(name) ? folder + name + anchor : undefined;
  };
  const documents = listed.map((each) => ({ ...each, ...renderDocument(each.markdown, targetFrom('')) }));
  const { assets, files } = await hashedAssets(documents);
  const index = renderDocument((await readIndex()).markdown, targetFrom('docs/'));
  const pages = [
    ['index.html', documentPage(index, documents, placeOf('docs/', assets))],
    ...documents.map((each) => [`${each.name}.html`, documentPage(each, documents, placeOf('', assets))]),
    ...files,
  ];
  await rm(join(directory, 'docs'), { recursive: true, force: true });
  await Promise.all(pages.map(([path, content]) => writeCompressed(join(directory, 'docs', path), content)));
}

/** @param {string} folder Leads from the page to the folder of the documents. */
function placeOf(folder, assets) {
  const up = upFrom(folder);
  const links = [
    [`${up}../console`, 'Console', false],
    [`${up}docs`, 'Documents', folder !== ''],
    [`${up}../docs`, 'Try the API', false],
  ];
  return { folder, suffix: '', links, assets };
}

function upFrom(folder) {
  return folder === '' ? '../' : '';
}

if (basename(process.argv[1] ?? '') === 'build-docs.mjs') {
  const to = resolve(process.argv[2] ?? join(ROOT, 'dist/console'));
  await buildDocs(to);
  await listFiles(to);
}
