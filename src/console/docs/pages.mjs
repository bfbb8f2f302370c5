/**
 * The pages of the documents around what render.mjs makes: the frame, the navigation and the search.
 *
 * Addresses are relative, since the console and the site may live under a prefix. What differs between the two is in a `place`:
 *
 * @typedef {object} Place Seen from a page
 * @property {string} folder Leads to the folder of the pages.
 * @property {string} suffix Of the files of pages: `.html`, or nothing.
 * @property {readonly [href: string, text: string, isCurrent: boolean][]} links Above the navigation.
 * @property {string} [head] Further elements of the head.
 * @property {string} [version] Shown above the navigation.
 * @property {{ style: string, script: string, index: string }} assets Names of files in `assets`.
 */
import { GROUPS } from './documents.mjs';
import { escapeHtml } from './render.mjs';

/** Shorter pages need no list of their sections. */
const SECTIONS_LISTED_MIN = 3;

/** @param document Without a `name`, it is the index. */
export function documentPage({ name, title, html, sections }, documents, place) {
  const contents = sections.length < SECTIONS_LISTED_MIN ? '' : contentsOf(sections);
  return page({ title, current: name, documents, place, main: html.replace('</h1>\n', (end) => end + contents) });
}

function contentsOf(sections) {
  const items = sections.map(({ id, html }) => `<li><a href="#${id}">${html}</a></li>`);
  return `<nav aria-label="On this page">\n<ul>\n${items.join('\n')}\n</ul>\n</nav>\n`;
}

function addressOf(name, { folder, suffix }) {
  return `${folder}${name}${suffix}`;
}

function page({ title, current, documents, place, main }) {
  const { folder, suffix, links, head = '', version, assets } = place;
  const groups = GROUPS.map((group) => {
    const items = documents
      .filter((each) => each.group === group)
      .map((each) => linkItem(addressOf(each.name, place), labelOf(each.title), each.name === current));
    return `<p id="nav-${group}">${group}</p>\n<ul aria-labelledby="nav-${group}">\n${items.join('\n')}\n</ul>`;
  });
  const script =
    `<script defer src="${folder}assets/${assets.script}" data-index="${folder}assets/${assets.index}" ` +
    `data-folder="${folder}" data-suffix="${suffix}"></script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - Switchyard</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${folder}assets/${assets.style}">
${script}
</head>
<body>
<header>
<nav aria-label="Switchyard">
<ul>
${links.map(([href, text, isCurrent]) => linkItem(href, text, isCurrent)).join('\n')}
</ul>
</nav>
${version === undefined ? '' : `<span>Version ${escapeHtml(version)}</span>\n`}<form role="search" hidden>
<label for="search-words">Search</label>
<input id="search-words" type="search" autocomplete="off" aria-controls="search-results">
</form>
<div class="found">
<p id="search-status" role="status"></p>
<ul id="search-results" aria-label="Search results"></ul>
</div>
</header>
<main>
${main}</main>
<nav class="documents" aria-label="Documents">
${groups.join('\n')}
</nav>
</body>
</html>
`;
}

/** Below "Guides" a guide need not say that it is one. */
function labelOf(title) {
  return title.replace(/^Guide: (.)/, (_prefix, first) => first.toUpperCase());
}

function linkItem(href, text, isCurrent) {
  return `<li><a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`;
}
