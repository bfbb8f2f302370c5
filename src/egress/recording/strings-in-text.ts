/** Strings as JSON writes them, wherever they stand in a text, also within further strings; and what is replaced there. */
import { oneByteEach } from '../forward/lines.ts';
import type { Secrets } from './secrets.ts';

export const SPACES_MAX = 1_000;
const PARTS_MAX = 4_096;

/** A text from parts of another one, and what stands between them. */
export class TextEdits {
  readonly #text: string;
  /** Joined now and then: all at the end would take as long as the search. */
  #joined = '';
  #parts: string[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  replace(from: number, to: number, by: string): void {
    this.#parts.push(this.#text.slice(this.#at, from), by);
    this.#at = to;
    if (this.#parts.length < PARTS_MAX) return;
    this.#joined += this.#parts.join('');
    this.#parts = [];
  }

  get text(): string {
    return this.#at === 0 ? this.#text : this.#joined + this.#parts.join('') + this.#text.slice(this.#at);
  }
}

export const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
const BACKSLASH = 92;

/** Backslashes before a place. */
export function slashesBefore(text: string, at: number): number {
  let count = 0;
  while (text.charCodeAt(at - 1 - count) === BACKSLASH) count++;
  return count;
}

/** Whether a quote is one of the string whose quotes have `slashes`: the others before it are of its content. */
const isLevel = (count: number, slashes: number): boolean => (count - slashes) % (2 * (slashes + 1)) === 0;

/** The backslashes that belong to a quote with so many before it. */
export function levelOf(count: number): number {
  let slashes = 0;
  while (!isLevel(count, slashes)) slashes = 2 * slashes + 1;
  return slashes;
}

/**
 * The end of a string of JSON: where its closing quote begins, with the backslashes that belong to it.
 *
 * @param from    Behind its opening quote.
 * @param slashes Backslashes that its quotes have: 0, 1 within a string, 3 within a string of that, …
 * @returns The end of the text for a string that is cut.
 */
export function endOfString(text: string, from: number, slashes: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    const count = slashesBefore(text, at);
    // The string around it has ended.
    if (count < slashes) return at - count;
    if (isLevel(count, slashes)) return at - slashes;
  }
  return text.length;
}

/** Where what follows the spaces begins. */
export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at - from < SPACES_MAX && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** A string of JSON as the text that it stands for, also where it is within further strings. */
export function unescaped(raw: string, slashes = 0): string {
  if (!raw.includes('\\')) return raw;
  let text = raw;
  for (let level = slashes; ; level = (level - 1) / 2) {
    try {
      text = JSON.parse(`"${text}"`) as string;
    } catch {
      return text;
    }
    if (level < 1) break;
  }
  // What was escaped may be beyond one byte, and equal to what was not.
  return raw.includes('\\u') ? oneByteEach(text) : text;
}

const SCHEME = /^((?:bearer|basic|digest|token|apikey|negotiate) +)(\S[^]*)$/i;

/** The name of a scheme stays. @param slashes Undefined where the text is not JSON. */
export function redactedString(raw: string, slashes: number | undefined, secrets: Secrets): string {
  const [, scheme = '', credential = raw] = SCHEME.exec(raw) ?? [];
  return `${scheme}${secrets.replace(slashes === undefined ? credential : unescaped(credential, slashes))}`;
}
