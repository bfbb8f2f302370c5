/** Searches the documents of the package by section: each is found by its page and the anchor of its heading. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENTS_FOLDER } from '../../base/program-files.ts';
import { Type } from '../../model/schema-type.ts';
import { ToolError } from '../tool-error.ts';
import { tool } from './tool.ts';

const FOUND_MAX = 8;
const WHOLE_CHARS_MAX = 20_000;
const EXCERPT_CHARS = 1_500;

export const searchDocuments = tool({
  name: 'docs_search',
  verb: 'docs search',
  access: 'read',
  description:
    'Searches the documentation: conditions, templates, faults, scenarios, sessions, rules, formats. With `section` returns one section completely. Use it before you write anything you are not sure of.',
  input: Type.Object({
    q: Type.Optional(Type.String({ description: 'Words to look for.' })),
    section: Type.Optional(Type.String({ description: 'Section id from an answer: "templates#helpers".' })),
  }),
  async run(_api, { q = '', section }) {
    const all = await sections();
    if (section !== undefined) {
      const found = all.find(({ id }) => id === section);
      if (found === undefined) throw new ToolError(404, `unknown section: ${section}; search for it with q`);
      return { data: { section, text: found.text.slice(0, WHOLE_CHARS_MAX) } };
    }
    const words = q
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => word.length > 1);
    const ranked = all
      .map((each) => ({ each, score: scoreOf(each, words) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, FOUND_MAX);
    return { data: { sections: ranked.map(({ each }) => excerptOf(each, words)) } };
  },
});

/** All words somewhere; a word of the title counts for most. */
function scoreOf({ title, text, id }: Section, words: readonly string[]): number {
  const head = `${title} ${id}`.toLowerCase();
  const body = text.toLowerCase();
  let score = 0;
  for (const word of words) {
    const count = body.split(word).length - 1;
    if (count === 0) return 0;
    score += Math.min(count, 10) / Math.sqrt(body.length + 200) + (head.includes(word) ? 1 : 0);
  }
  return score;
}

function excerptOf({ id, title, text }: Section, [word = '']: readonly string[]): object {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_CHARS / 3);
  return {
    section: id,
    title,
    text: text.slice(at, at + EXCERPT_CHARS),
    ...(text.length > EXCERPT_CHARS ? { isCut: true } : {}),
  };
}

interface Section {
  /** "mocks-behaviour#faults"; the name of the page alone for its beginning. */
  readonly id: string;
  readonly title: string;
  /** Markdown, with its heading. */
  readonly text: string;
}

/** Documents of no use to those who use a server. */
const LEFT_OUT = new Set(['README.md', 'licences.md']);

let read: Promise<readonly Section[]> | undefined;

/** Read once. Empty where the package was installed without its documents. */
export function sections(): Promise<readonly Section[]> {
  return (read ??= readSections().catch(() => []));
}

async function readSections(): Promise<readonly Section[]> {
  const files = (await readdir(DOCUMENTS_FOLDER)).filter((name) => name.endsWith('.md') && !LEFT_OUT.has(name));
  const pages = await Promise.all(
    files
      .toSorted()
      .map(async (name) => sectionsOf(name.slice(0, -3), await readFile(join(DOCUMENTS_FOLDER, name), 'utf8'))),
  );
  return pages.flat();
}

const HEADING = /^(#{1,3}) (.+)$/;

/** Headings of the first three levels; a `#` in a block of code is not one. */
function sectionsOf(page: string, markdown: string): Section[] {
  const found: { id: string; title: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, marks = '', title = ''] = (!isCode && HEADING.exec(line)) || [];
    if (marks === '') found.at(-1)?.lines.push(line);
    else found.push({ id: marks === '#' ? page : `${page}#${anchorOf(title)}`, title, lines: [line] });
  }
  return found.map(({ id, title, lines }) => ({ id, title, text: lines.join('\n').trim() }));
}

/** Anchors in the form of GitHub. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
