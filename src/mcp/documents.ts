/** The documents of the package by section: each is found by its page and the anchor of its heading. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENTS_FOLDER } from '../base/program-files.ts';

export interface Section {
  /** "mocks#faults"; the name of the page alone for its beginning. */
  readonly id: string;
  readonly title: string;
  /** Markdown, with its heading. */
  readonly text: string;
}

/** What is of no use to those who use a server. */
const LEFT_OUT = new Set(['licences.md']);

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

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
