/**
 * Searching text for text in time that is known beforehand.
 *
 * V8's own search is the fastest, but of two texts that are made for it, it compares each character with each: 10,000 characters in
 * 64 KB take half a second. So what is long is searched the slower way that never goes back (Knuth, Morris, Pratt).
 */
import { take, type WorkBudget } from '../languages/work-budget.ts';

/** Comparisons that V8's search makes at worst in a unit of work: 16. */
const COMPARISONS_PER_WORK_BITS = 4;
/** Text that is no longer is searched by V8 whatever it is searched for; other text for what is no longer than this. */
const SHORT_CHARS = 4_096;
const SHORT_WANTED_CHARS = 16;

/** As `String.indexOf`. @returns -1 also when the budget is used up. */
export function find(text: string, wanted: string, from: number, budget: WorkBudget): number {
  const chars = text.length - from;
  if (wanted.length > chars) return -1;
  if (chars <= SHORT_CHARS || wanted.length <= SHORT_WANTED_CHARS) {
    if (!take(budget, 1 + ((chars * wanted.length) >> COMPARISONS_PER_WORK_BITS))) return -1;
    return text.indexOf(wanted, from);
  }
  return take(budget, 2 * (chars + wanted.length)) ? findSteadily(text, wanted, from) : -1;
}

function findSteadily(text: string, wanted: string, from: number): number {
  /** Of each beginning of what is wanted: how much of its end is also its beginning. */
  const borders = new Int32Array(wanted.length);
  let held = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (held > 0 && wanted.charCodeAt(at) !== wanted.charCodeAt(held)) held = borders[held - 1] as number;
    if (wanted.charCodeAt(at) === wanted.charCodeAt(held)) held++;
    borders[at] = held;
  }
  held = 0;
  for (let at = from; at < text.length; at++) {
    while (held > 0 && text.charCodeAt(at) !== wanted.charCodeAt(held)) held = borders[held - 1] as number;
    if (text.charCodeAt(at) === wanted.charCodeAt(held)) held++;
    if (held === wanted.length) return at - held + 1;
  }
  return -1;
}
