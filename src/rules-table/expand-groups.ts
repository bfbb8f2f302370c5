/**
 * Replaces group references by the captured texts, in one pass: captured text comes from the URL's author, so it is
 * never expanded again.
 */
import { take, type WorkBudget } from '../languages/work-budget.ts';
import type { Groups } from './source.ts';

const GROUP = /\$([1-9])/g;
const GROUP_OR_WHOLE = /\$([1-9$&])/g;

/**
 * "$1" to "$9". A group that did not participate is empty; a reference to a group that does not exist stays as written.
 */
export function fillGroups(template: string, groups: Groups, charsMax: number, budget: WorkBudget): string | undefined {
  return fill(template, GROUP, charsMax, budget, (digit) => groupText(groups, digit));
}

/** "$1" to "$9", "$&" for the whole match and "$$" for a dollar. */
export function fillReplacement(
  template: string,
  whole: string,
  groups: Groups,
  charsMax: number,
  budget: WorkBudget,
): string | undefined {
  return fill(template, GROUP_OR_WHOLE, charsMax, budget, (sign) => {
    if (sign === '$') return '$';
    return sign === '&' ? whole : groupText(groups, sign);
  });
}

export function hasGroups(template: string): boolean {
  return /\$[1-9]/.test(template);
}

function groupText(groups: Groups, digit: string): string | undefined {
  const index = Number(digit) - 1;
  return index < groups.length ? (groups[index] ?? '') : undefined;
}

/** @returns undefined when the result would exceed `charsMax`, or the budget is used up. */
function fill(
  template: string,
  signs: RegExp,
  charsMax: number,
  budget: WorkBudget,
  textOf: (sign: string) => string | undefined,
): string | undefined {
  let out = '';
  let at = 0;
  for (const { 0: sign, 1: name = '', index } of template.matchAll(signs)) {
    out += template.slice(at, index) + (textOf(name) ?? sign);
    at = index + sign.length;
    if (out.length > charsMax || !take(budget, 10)) return undefined;
  }
  out += template.slice(at);
  return out.length > charsMax || !take(budget, out.length >> 4) ? undefined : out;
}
