/**
 * Overlay of a session on its owner's rules: some switched off or on, and rules of its own behind all others.
 *
 * It lies over the table of the owner, which it does not copy: what is found there is changed as it is found. So a session
 * follows each edit, and costs what its overlay has.
 */
import type { SentRuleOverlay } from '../model/gateway/session.ts';
import { asIfActive, compileRule, type CompiledRule } from './compile-rule.ts';
import type { FindCandidates, RuleOverlay, RuleTable } from './rule-table.ts';

/** @returns Undefined for one that changes nothing. */
export function compileOverlay({ rules, disabledRules, enabledRules }: SentRuleOverlay): RuleOverlay | undefined {
  if (rules.length + disabledRules.length + enabledRules.length === 0) return undefined;
  return { disabled: new Set(disabledRules), enabled: new Set(enabledRules), added: rules.map(compileRule) };
}

/** Estimated memory where it acts, beside its text. */
export function overlayBytes({ rules }: SentRuleOverlay): number {
  return rules.reduce((sum, rule) => sum + compileRule(rule).bytes, 0);
}

/** The rules that are found, as the session has them, and its own. */
export function applyOverlay(
  found: readonly CompiledRule[],
  { disabled, enabled, added }: RuleOverlay,
): readonly CompiledRule[] {
  const changed: CompiledRule[] = [];
  for (const rule of found) {
    if (disabled.has(rule.id)) changed.push({ ...rule, status: 'Inactive' });
    else changed.push(enabled.has(rule.id) ? asIfActive(rule) : rule);
  }
  changed.push(...added);
  return changed;
}

/** A table as a session has it, and what finds rules in it. */
export function overlaid(
  table: RuleTable,
  find: FindCandidates,
  overlay: RuleOverlay | undefined,
): { readonly table: RuleTable; readonly find: FindCandidates } {
  if (overlay === undefined) return { table, find };
  let last: readonly CompiledRule[] | undefined;
  let shown: readonly CompiledRule[] = [];
  return {
    table: { ...table, overlay },
    // The same list for the same one: evaluation then goes on in it.
    find(_, url) {
      const found = find(table, url);
      if (found !== last) shown = applyOverlay(found, overlay);
      last = found;
      return shown;
    },
  };
}
