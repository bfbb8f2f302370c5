/** How URL rules put another URL in the place of the one before. */
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../excerpt.ts';
import type { Stage } from '../stage.ts';
import type { WireUrl } from '../wire-url.ts';

/** The fragment is the client's, who never sends it: it stays, unless a rule names another. @returns Whether it is another URL. */
export function changeUrl(stage: Stage, next: WireUrl): boolean {
  const { url } = stage;
  // What reading it anew has taken, and what the next rules will.
  if (!take(stage.budget, 2 * next.text.length)) return false;
  if (next.text === url.text) return false;
  stage.url = next.fragment === '' ? { ...next, fragment: url.fragment } : next;
  stage.changed.push({ what: 'url', before: excerpt(url.text), after: excerpt(next.text) });
  return true;
}
