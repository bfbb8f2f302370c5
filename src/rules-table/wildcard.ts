/** Texts with stars: each takes the shortest text that lets the whole fit, from the first character to the last. */
import type { WorkBudget } from '../languages/work-budget.ts';
import { find } from './text-search.ts';

/** What stands between the stars: one more than there are stars. */
export type Wildcard = readonly string[];

export function parseWildcard(text: string): Wildcard {
  return text.split('*');
}

/**
 * Taking each piece where it is found first leaves the most room for the next, so nothing is ever tried twice.
 *
 * @returns What the stars took; undefined when the text does not fit, or the budget is used up.
 */
export function matchWildcard(pieces: Wildcard, text: string, budget: WorkBudget): readonly string[] | undefined {
  const first = pieces[0] as string;
  if (pieces.length === 1) return text === first ? [] : undefined;
  const last = pieces.at(-1) as string;
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return undefined;

  const taken: string[] = [];
  let at = first.length;
  for (let index = 1; index < pieces.length - 1; index++) {
    const piece = pieces[index] as string;
    const found = find(text, piece, at, budget);
    if (found === -1 || found + piece.length > end) return undefined;
    taken.push(text.slice(at, found));
    at = found + piece.length;
  }
  taken.push(text.slice(at, end));
  return taken;
}
