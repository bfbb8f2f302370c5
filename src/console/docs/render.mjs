/**
 * Markdown as HTML for the documents' pages, under the console's Content-Security-Policy: no HTML of the source, no
 * inline style.
 */
import { marked, Renderer } from 'marked';

/**
 * @param {string} markdown
 * @param {readonly string[]} names Of the documents that have a page: links to other files become plain text.
 * @returns {{ title: string, sections: { id: string, html: string }[], html: string }} `title` is plain text.
 */
export function renderDocument(markdown, names) {
  const sections = [];
  const html = marked.parse(markdown, { renderer: new PageRenderer(names, sections) });
  return { title: /^# (.+)$/m.exec(markdown)?.[1] ?? '', sections, html };
}

export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

class PageRenderer extends Renderer {
  #names;
  #sections;

  constructor(names, sections) {
    super();
    this.#names = names;
    this.#sections = sections;
  }

  heading({ tokens, depth, text }) {
    const id = anchorOf(text);
    const html = this.parser.parseInline(tokens);
    if (depth === 2) this.#sections.push({ id, html });
    return `<h${depth} id="${id}">${html}</h${depth}>\n`;
  }

  link({ href, tokens }) {
    const html = this.parser.parseInline(tokens);
    const target = this.#targetOf(href);
    return target === undefined ? html : `<a href="${escapeHtml(target)}">${html}</a>`;
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

  html({ text }) {
    return escapeHtml(text);
  }

  /** Relative to the folder of the pages. */
  #targetOf(href) {
    if (/^(?:https?:|#)/.test(href)) return href;
    const [, name, anchor] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
    return this.#names.includes(name) ? name + (anchor ?? '') : undefined;
  }
}

/** As GitHub makes them: lower case, without punctuation, with hyphens for spaces. */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
