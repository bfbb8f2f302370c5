/**
 * Markdown as HTML for the pages of the documents, in the console and on the site, under a Content-Security-Policy that
 * allows no inline script or style: no HTML of the source, no inline style.
 */
import { marked, Renderer } from 'marked';

/**
 * @param {string} markdown
 * @param {(href: string) => string | undefined} targetOf Where a link to another file leads from the page; undefined when it has
 *   no page: the link becomes plain text.
 * @returns {{ title: string, sections: { id: string, html: string }[], html: string }} `title` is plain text, `sections` are
 *   the headings of the second level.
 */
export function renderDocument(markdown, targetOf) {
  const sections = [];
  const html = marked.parse(markdown, { renderer: new PageRenderer(targetOf, sections) });
  return { title: titleOf(markdown), sections, html };
}

/** @returns {string} The heading of the first level, as plain text. */
export function titleOf(markdown) {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? '';
}

/** Whether a paragraph is a line of links to the sections of its page. */
export function isContents(text) {
  return /^\[[^\]]*\]\(#/.test(text);
}

export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

class PageRenderer extends Renderer {
  #targetOf;
  #sections;

  constructor(targetOf, sections) {
    super();
    this.#targetOf = targetOf;
    this.#sections = sections;
  }

  heading({ tokens, depth, text }) {
    const id = anchorOf(text);
    const html = this.parser.parseInline(tokens);
    if (depth === 2) this.#sections.push({ id, html });
    return `<h${depth} id="${id}">${html}</h${depth}>\n`;
  }

  /** A page has a list of its sections already. */
  paragraph(token) {
    return isContents(token.text) ? '' : super.paragraph(token);
  }

  link({ href, tokens }) {
    const html = this.parser.parseInline(tokens);
    const target = /^(?:https?:|#)/.test(href) ? href : this.#targetOf(href);
    return target === undefined ? html : `<a href="${escapeHtml(target)}">${html}</a>`;
  }

  image({ href, text }) {
    const target = this.#targetOf(href);
    return target === undefined ? escapeHtml(text) : `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}">`;
  }

  /** Wide ones scroll on their own, also by the keyboard. */
  table(token) {
    return `<div class="scroll" role="group" aria-label="Table" tabindex="0">\n${super.table(token)}</div>\n`;
  }

  tablecell({ tokens, header, text }) {
    const html = this.parser.parseInline(tokens);
    return header && text !== '' ? `<th scope="col">${html}</th>\n` : `<td>${html}</td>\n`;
  }

  code({ text }) {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  /** Comments mark the generated parts of the source. */
  html({ text }) {
    return escapeHtml(text.replaceAll(/<!--.*?-->\n*/gs, ''));
  }
}

/** Anchors in the form of GitHub: lower case, without punctuation, with hyphens for spaces. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
