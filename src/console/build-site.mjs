/**
 * Renders README.md, `docs/*.md` and the API's endpoints as a static site, by the renderer of the console's documents:
 * `npm run site`, or `node src/console/build-site.mjs [folder]` after a build. Without a folder, `site`.
 *
 * Beside the pages are their sources (`start.md`), `llms.txt`, `llms-full.txt` and `openapi.json`. Same sources give the same
 * bytes; no page sends a request to another server.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hashedAssets } from './docs/assets.mjs';
import { GROUPS, INDEX, linkedDocument, readDocuments, readIndex, ROOT } from './docs/documents.mjs';
import { endpointsDocument } from './docs/endpoints.mjs';
import { documentPage } from './docs/pages.mjs';
import { renderDocument, titleOf } from './docs/render.mjs';

const HOME = 'index';
/** The page of docs/README.md. */
const DOCUMENTS = 'documents';
const PICTURE = 'docs/console.png';
/** The server's policy for the console, without `frame-ancestors`, which a page cannot set for itself. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'";
const HEAD = `<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
`;

/** @param {string} to The folder, created or replaced. */
async function buildSite(to) {
  const before = await readdir(to).catch(() => []);
  if (before.length > 0 && !before.includes('llms.txt')) {
    process.stderr.write(`error: ${to} holds something else than a site: name another folder\n`);
    process.exit(2);
  }
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const openApi = await openApiDocument();
  const endpoints = endpointsDocument(openApi, 'openapi.json');
  const listed = [
    // The site has a longer page of endpoints.
    ...(await readDocuments()).filter(({ name }) => name !== 'endpoints'),
    {
      name: 'endpoints',
      title: titleOf(endpoints),
      description: 'every endpoint: parameters, bodies, answers, refusals',
      group: 'Reference',
      markdown: endpoints,
    },
  ];
  const home = { name: HOME, title: titleOf(readme), markdown: readme };
  const index = { name: DOCUMENTS, ...(await readIndex()) };
  const others = [home, index];
  const names = new Set([...others, ...listed].map(({ name }) => name));
  const targetOf = (href) => {
    if (href === 'openapi.json') return href;
    if (href === PICTURE) return 'console.png';
    const { name, anchor } = linkedDocument(href.replace(/^docs\//, '').replace(/^\.\.\/README\b/, HOME)) ?? {};
    const page = name === INDEX ? DOCUMENTS : name;
    return names.has(page) ? `${page}.html${anchor}` : undefined;
  };
  const { assets, files } = await hashedAssets([...others, ...listed]);
  const pages = [...others, ...listed].map((document) => {
    const links = [
      [`${HOME}.html`, 'Home', document === home],
      [`${DOCUMENTS}.html`, 'Documents', document === index],
      ['openapi.json', 'OpenAPI', false],
    ];
    const place = { folder: '', suffix: '.html', links, head: HEAD, version, assets };
    const rendered = { ...document, ...renderDocument(document.markdown, targetOf) };
    return [`${document.name}.html`, documentPage(rendered, listed, place)];
  });
  await rm(to, { recursive: true, force: true });
  await writeAll(to, [
    ...pages,
    ...files,
    ...listed.map(({ name, markdown }) => [`${name}.md`, markdown]),
    ['openapi.json', `${JSON.stringify(openApi)}\n`],
    ['llms.txt', llmsText(home, listed)],
    [
      'llms-full.txt',
      [home, ...listed.filter(({ name }) => name !== 'endpoints')].map(({ markdown }) => markdown).join('\n'),
    ],
  ]);
  await copyFile(join(ROOT, PICTURE), join(to, 'console.png'));
  console.log(`${pages.length} pages in ${to}: start at ${join(to, `${HOME}.html`)}`);
}

/** The document that a server of this version returns. */
async function openApiDocument() {
  const { startSwitchyard } = await import(new URL('../../dist/client.js', import.meta.url).href);
  const { apiUrl, stop } = await startSwitchyard();
  try {
    const response = await fetch(`${apiUrl}/openapi.json`);
    return await response.json();
  } finally {
    await stop();
  }
}

/** One line per document, in the form of llmstxt.org. */
function llmsText({ title, markdown }, documents) {
  const [, summary = ''] = markdown.split('\n\n');
  const groups = GROUPS.map((group) => {
    const own = documents.filter((each) => each.group === group);
    const lines = own.map(({ name, title: heading, description }) => `- [${heading}](${name}.md): ${description}`);
    return `## ${group}\n\n${lines.join('\n')}`;
  });
  const optional = `## Optional

- [All documents in one file](llms-full.txt)
- [OpenAPI 3.1 document](openapi.json)`;
  const quoted = summary
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '');
  return [`# ${title}`, `> ${quoted}`, ...groups, `${optional}\n`].join('\n\n');
}

async function writeAll(to, files) {
  for (const [path, content] of files) {
    const file = join(to, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

await buildSite(resolve(process.argv[2] ?? join(ROOT, 'site')));
