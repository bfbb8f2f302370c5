/**
 * Searches a text for another in linear time, and estimates the cost.
 *
 * V8 searches for texts of more than 250 characters in quadratic time: "baaa…" of 10,000 characters in a megabyte of
 * "a" took minutes. Such texts are searched with the algorithm of Knuth, Morris and Pratt.
 */

/** V8's table of skips after a mismatch covers only this many characters at the end of the searched text. */
const NATIVE_CHARS_MAX = 250;
/** Up to this length it compares at each occurrence of the first character. */
const SIMPLE_CHARS_MAX = 6;

/**
 * In units of RULE_WORK_MAX: "aaaaab" in a text of only "a" takes 12 ns a character, longer ones 5 ns;
 * Knuth-Morris-Pratt 20 ns.
 */
export function searchWork(text: string, expected: string): number {
  const { length } = expected;
  if (length > text.length || length === 0) return 1;
  if (length === 1) return 1 + (text.length >> 5);
  if (length <= SIMPLE_CHARS_MAX) return 1 + Math.ceil(text.length * 1.2);
  return 1 + Math.ceil(length <= NATIVE_CHARS_MAX ? text.length >> 1 : 2.5 * (text.length + length));
}

export function containsText(text: string, expected: string): boolean {
  return indexOfText(text, expected, 0) !== -1;
}

/** Like `String.indexOf`. */
export function indexOfText(text: string, expected: string, from: number): number {
  if (expected.length <= NATIVE_CHARS_MAX) return text.indexOf(expected, from);
  return expected.length <= text.length - from ? linearIndexOf(text, expected, from) : -1;
}

function linearIndexOf(text: string, expected: string, from: number): number {
  const borders = bordersOf(expected);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && expected.charCodeAt(matched) !== code) matched = borders[matched] as number;
    if (expected.charCodeAt(matched) === code && ++matched === expected.length) return at + 1 - matched;
  }
  return -1;
}

/** For each count of matched characters: how many stay matched when the next one does not match. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  let matched = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && text.charCodeAt(matched) !== code) matched = borders[matched] as number;
    if (text.charCodeAt(matched) === code) matched++;
    borders[at + 1] = matched;
  }
  return borders;
}
