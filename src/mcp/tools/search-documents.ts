/** Passages of the documents. */
import { Type } from '../../model/schema-type.ts';
import { ToolError } from '../tool-error.ts';
import { tool } from './tool.ts';
import { sections, type Section } from '../documents.ts';

const FOUND_MAX = 8;
const WHOLE_CHARS_MAX = 20_000;
const EXCERPT_CHARS = 1_500;

export const searchDocuments = tool({
  name: 'docs_search',
  verb: 'docs search',
  access: 'read',
  description:
    'Finds sections of the documents: conditions, templates, faults, scenarios, sessions, rules, formats. With `section` one of them whole. Use it before you write what you are not sure of.',
  input: Type.Object({
    q: Type.Optional(Type.String({ description: 'Words to look for.' })),
    section: Type.Optional(Type.String({ description: 'As in an answer: "templates#helpers".' })),
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
