/** Wildcard texts: each star captures the shortest text with which the wildcard matches the whole text. */
import type { WorkBudget } from '../languages/work-budget.ts';
import { find } from './text-search.ts';

/** The texts between the stars: one more than there are stars. */
export type Wildcard = readonly string[];

export function parseWildcard(text: string): Wildcard {
  return text.split('*');
}

/**
 * Greedy: taking the first occurrence of each piece leaves the most text for the next one, so it never backtracks.
 *
 * @returns What the stars captured; undefined when the text does not match, or the budget is used up.
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
