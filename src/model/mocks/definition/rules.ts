/** The conditions of a response as a tree: conditions, and groups of them (docs/mocks.md, "Rules"). */
import type { MatchRule, Rule, RuleGroup } from './definition.ts';

export function isRuleGroup(rule: Rule): rule is RuleGroup {
  return !('target' in rule);
}

/** What a group joins. */
export function membersOf(group: RuleGroup): readonly Rule[] {
  if ('all' in group) return group.all;
  return 'any' in group ? group.any : [group.not];
}

/** All conditions, also those in groups, in their order. */
export function conditionsOf(rules: readonly Rule[]): readonly MatchRule[] {
  if (!rules.some(isRuleGroup)) return rules as readonly MatchRule[];
  return rules.flatMap((rule) => (isRuleGroup(rule) ? conditionsOf(membersOf(rule)) : [rule]));
}
