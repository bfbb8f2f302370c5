/**
 * The search index of the documents: the headings of each, with the first sentence below each. search.js reads it.
 *
 * `{"pages": [{"name": "mocks-matching", "title": "Mocks", "sections": [["scenarios", "Scenarios", "A mock has named states."]]}]}`;
 * the first section is the page itself, with the anchor "".
 */
import { marked } from 'marked';
import { anchorOf, isContents } from './render.mjs';

/** Longer first sentences are truncated at a word. */
const SENTENCE_CHARS_MAX = 140;

/** @param {readonly { name: string, title: string, markdown: string }[]} documents @returns {string} */
export function searchIndex(documents) {
  const pages = documents.map(({ name, title, markdown }) => ({ name, title, sections: sectionsOf(markdown) }));
  return `${JSON.stringify({ pages })}\n`;
}

function sectionsOf(markdown) {
  const sections = [];
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') {
      const anchor = sections.length === 0 ? '' : anchorOf(token.text);
      sections.push([anchor, plainText(token.text), '']);
    } else if (token.type === 'paragraph' && sections.at(-1)?.[2] === '' && !isContents(token.text)) {
      sections.at(-1)[2] = firstSentence(plainText(token.text));
    }
  }
  return sections;
}

function firstSentence(text) {
  const sentence = /^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;
  if (sentence.length <= SENTENCE_CHARS_MAX) return sentence;
  return `${sentence.slice(0, SENTENCE_CHARS_MAX).replace(/\s+\S*$/, '')} …`;
}

function plainText(markdown) {
  return markdown
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ');
}
