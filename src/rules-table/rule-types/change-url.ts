/** Replaces the URL of an exchange, for all URL rules. */
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../../base/excerpt.ts';
import type { Stage } from '../stage.ts';
import type { WireUrl } from '../wire-url.ts';

/**
 * Keeps the client's fragment unless the new URL has one.
 *
 * @returns Whether the URL changed; false also when the budget is used up.
 */
export function changeUrl(stage: Stage, next: WireUrl): boolean {
  const { url } = stage;
  // The work of parsing it, and of matching later rules against it.
  if (!take(stage.budget, 2 * next.text.length)) return false;
  if (next.text === url.text) return false;
  stage.url = next.fragment === '' ? { ...next, fragment: url.fragment } : next;
  stage.changed.push({ what: 'url', before: excerpt(url.text), after: excerpt(next.text) });
  return true;
}
