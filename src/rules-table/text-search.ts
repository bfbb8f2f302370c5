/**
 * Finds text in text, in time that is bounded beforehand.
 *
 * V8's search is usually the fastest, but quadratic for adversarial inputs: finding 10,000 characters in 64 KB takes half
 * a second. Long texts are therefore searched by the linear algorithm of Knuth, Morris and Pratt.
 */
import { take, type WorkBudget } from '../languages/work-budget.ts';

/** Work of a short search, in units of RULE_WORK_MAX. */
const FIND_WORK = 8;
/** V8's search makes at least 2 to this power, 16, comparisons per unit of work. */
const COMPARISONS_PER_WORK_BITS = 4;
/** V8 searches texts up to this length, and longer texts for search terms up to the second length. */
const SHORT_CHARS = 4_096;
const SHORT_WANTED_CHARS = 16;

/** Searches like `String.indexOf`. @returns -1 also when the budget is used up. */
export function find(text: string, wanted: string, from: number, budget: WorkBudget): number {
  const chars = text.length - from;
  if (wanted.length > chars) return -1;
  if (chars <= SHORT_CHARS || wanted.length <= SHORT_WANTED_CHARS) {
    if (!take(budget, FIND_WORK + ((chars * wanted.length) >> COMPARISONS_PER_WORK_BITS))) return -1;
    return text.indexOf(wanted, from);
  }
  return take(budget, 2 * (chars + wanted.length)) ? findLinear(text, wanted, from) : -1;
}

function findLinear(text: string, wanted: string, from: number): number {
  /** For each prefix of `wanted`, the length of its longest proper prefix that is also its suffix. */
  const borders = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (matched > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(matched))
      matched = borders[matched - 1] as number;
    if (wanted.charCodeAt(at) === wanted.charCodeAt(matched)) matched++;
    borders[at] = matched;
  }
  matched = 0;
  for (let at = from; at < text.length; at++) {
    while (matched > 0 && text.charCodeAt(at) !== wanted.charCodeAt(matched)) matched = borders[matched - 1] as number;
    if (text.charCodeAt(at) === wanted.charCodeAt(matched)) matched++;
    if (matched === wanted.length) return at - matched + 1;
  }
  return -1;
}
