/**
 * Segments of a path that mix text and parameters: `:id.json`, `users.:format`, `:from-:to`, `v:major(\\d+)`.
 *
 * A ":" begins a parameter at the beginning of a segment, behind a character other than a letter, digit or "_", or where "(" follows its
 * name: "things:cancel" is text.
 */
import { decodeOnce } from '../../base/percent.ts';
import { compilePattern, estimatedSize, isPattern, type LinearPattern } from '../linear-pattern.ts';

export interface SegmentForm {
  /** Its text, decoded, and its parameters. */
  readonly pieces: readonly Piece[];
  /** Its parameters, in their order. */
  readonly names: readonly string[];
  /** Equal for forms that match the same segments: names are left out. */
  readonly shape: string;
  /** Characters of its text: the more, the more specific it is. */
  readonly textChars: number;
  readonly hasPattern: boolean;
  /** Pattern of the whole segment, with a group for each parameter. */
  readonly source: string;
}

const PARAMETER = /:([A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*)/y;

export type Piece = string | { readonly name: string; readonly pattern?: string | undefined };

/** @returns undefined for a segment without a parameter; the reason why it is invalid. */
export function parseForm(
  text: string,
): { readonly form: SegmentForm; readonly optional: boolean } | string | undefined {
  const pieces: Piece[] = [];
  let literal = '';
  let at = 0;
  let optional = false;
  while (at < text.length) {
    const parameter = parameterAt(text, at);
    if (typeof parameter === 'string') return parameter;
    if (parameter === undefined) {
      literal += text[at++];
      continue;
    }
    if (literal !== '') pieces.push(literal);
    else if (pieces.length > 0) return `${text} has two parameters without text between them`;
    literal = '';
    pieces.push(parameter);
    at = parameter.end;
    if (text[at] === '?' && at === text.length - 1 && pieces.length === 1) {
      optional = true;
      at++;
    }
  }
  if (literal !== '') pieces.push(literal);
  if (pieces.every((piece) => typeof piece === 'string')) return undefined;
  const texts = pieces.filter((piece) => typeof piece === 'string');
  if (texts.some((each) => /[?#*]/.test(each))) {
    return `${text} has "?", "#" or "*" beside a parameter: literal ones are %3F, %23 and %2A`;
  }
  const form = formOf(pieces);
  if (!isPattern(compilePattern(form.source))) {
    return `the pattern in ${text}, read as RE2: ${compilePattern(form.source) as string}`;
  }
  return { form, optional };
}

function parameterAt(
  text: string,
  at: number,
): (Exclude<Piece, string> & { readonly end: number }) | string | undefined {
  PARAMETER.lastIndex = at;
  const [whole, name] = PARAMETER.exec(text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  const behind = at + whole.length;
  const isBegun = at === 0 || !/[A-Za-z0-9_]/.test(text[at - 1] as string);
  if (text[behind] !== '(') return isBegun ? { name, pattern: undefined, end: behind } : undefined;
  const end = endOfPattern(text, behind);
  if (end === undefined) return `${text} lacks a ")"`;
  return { name, pattern: text.slice(behind + 1, end), end: end + 1 };
}

function endOfPattern(text: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at;
  }
  return undefined;
}

function formOf(pieces: readonly Piece[]): SegmentForm {
  const names: string[] = [];
  let source = '';
  let shape = '';
  let textChars = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const text = decodeOnce(piece);
      source += text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);
      shape += encodeURIComponent(text.toWellFormed());
      textChars += text.length;
    } else {
      names.push(piece.name);
      source += piece.pattern === undefined ? '((?s:.+?))' : `(${withoutGroups(piece.pattern)})`;
      shape += piece.pattern === undefined ? ':' : `:(${piece.pattern})`;
    }
  }
  const hasPattern = pieces.some((piece) => typeof piece !== 'string' && piece.pattern !== undefined);
  const decodedPieces = pieces.map((piece) => (typeof piece === 'string' ? decodeOnce(piece) : piece));
  return { pieces: decodedPieces, names, shape, textChars, hasPattern, source: `^(?:${source})$` };
}

/** Groups of a pattern that capture would be counted as parameters. */
function withoutGroups(pattern: string): string {
  let text = '';
  let isClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    text += char;
    if (char === '\\') text += pattern[++at] ?? '';
    else if (char === '[') isClass = true;
    else if (char === ']') isClass = false;
    else if (char === '(' && !isClass && pattern[at + 1] !== '?') text += '?:';
  }
  return text;
}

/** Text in a path. */
export function textOfForm({ pieces }: SegmentForm): string {
  return pieces
    .map((piece) =>
      typeof piece === 'string' ? piece : `:${piece.name}${piece.pattern === undefined ? '' : `(${piece.pattern})`}`,
    )
    .join('');
}

const compiled = new WeakMap<SegmentForm, LinearPattern>();

/** Compiled once for each form. */
export function patternOf(form: SegmentForm): LinearPattern {
  let pattern = compiled.get(form);
  if (pattern === undefined) {
    pattern = compilePattern(form.source) as LinearPattern;
    compiled.set(form, pattern);
  }
  return pattern;
}

/** @param text Decoded. @returns The values of its parameters; undefined when it does not match. */
export function formValues(form: SegmentForm, text: string): readonly string[] | undefined {
  const places = patternOf(form).findGroups(text, 0);
  return places && form.names.map((_, index) => text.slice(places[2 * index + 2], places[2 * index + 3]));
}

/** The more specific one first. */
export function compareForms(one: SegmentForm, other: SegmentForm): number {
  return (
    other.textChars - one.textChars ||
    Number(other.hasPattern) - Number(one.hasPattern) ||
    (one.shape < other.shape ? -1 : one.shape > other.shape ? 1 : 0)
  );
}

/** The cost of keeping it, in instructions of a pattern. */
export function formInstructions(form: SegmentForm): number {
  return estimatedSize(form.source);
}
