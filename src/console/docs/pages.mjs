/**
 * The pages of the documents around what render.mjs makes.
 *
 * Addresses are relative, since the service may live under a prefix: documents are at `/console/docs/<name>`, and the
 * index at `/console/docs`, one level up.
 */
import { escapeHtml } from './render.mjs';

export function documentPage({ name, title, html }, documents, styleName) {
  return page({ title, current: name, toDocs: '', documents, styleName, main: html });
}

export function indexPage(documents, styleName) {
  const list = documents.map(
    ({ name, title, description, sections }) => `<section aria-labelledby="${name}">
<h2 id="${name}"><a href="docs/${name}">${escapeHtml(title)}</a></h2>
<p>${escapeHtml(description)}</p>
<ul>
${sections.map(({ id, html }) => `<li><a href="docs/${name}#${id}">${html}</a></li>`).join('\n')}
</ul>
</section>
`,
  );
  const main = `<h1>Documents</h1>\n${list.join('')}`;
  return page({ title: 'Documents', current: undefined, toDocs: 'docs/', documents, styleName, main });
}

/** `toDocs` is what leads from the page to the folder of the documents. */
function page({ title, current, toDocs, documents, styleName, main }) {
  const up = toDocs === '' ? '../' : '';
  const links = [
    [`${up}../console`, 'Console', false],
    [`${up}docs`, 'Documents', current === undefined],
    ...documents.map((each) => [toDocs + each.name, each.title, each.name === current]),
    [`${up}../docs`, 'Try the API', false],
  ];
  const items = links.map(
    ([href, text, isCurrent]) =>
      `<li><a href="${href}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} - Switchyard</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${toDocs}assets/${styleName}">
</head>
<body>
<header>
<nav aria-label="Documents">
<ul>
${items.join('\n')}
</ul>
</nav>
</header>
<main>
${main}</main>
</body>
</html>
`;
}
