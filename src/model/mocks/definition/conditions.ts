/** The conditions of a response as a tree: conditions, and groups of them (docs/mocks-matching.md, "Operators"). */
import type { MatchCondition, Condition, ConditionGroup } from './definition.ts';

export function isConditionGroup(rule: Condition): rule is ConditionGroup {
  return !('target' in rule);
}

/** The conditions in a group. */
export function membersOf(group: ConditionGroup): readonly Condition[] {
  if ('all' in group) return group.all;
  return 'any' in group ? group.any : [group.not];
}

/** All conditions, also those in groups, in their order. */
export function conditionsOf(rules: readonly Condition[]): readonly MatchCondition[] {
  if (!rules.some(isConditionGroup)) return rules as readonly MatchCondition[];
  return rules.flatMap((rule) => (isConditionGroup(rule) ? conditionsOf(membersOf(rule)) : [rule]));
}
