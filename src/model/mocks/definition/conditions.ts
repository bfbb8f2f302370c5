/** The conditions of a response as a tree: conditions, and groups of them (docs/mocks-matching.md, "Operators"). */
import { readsBody } from './condition-kinds.ts';
import type { MatchCondition, Condition, ConditionGroup } from './condition-schema.ts';

export function isConditionGroup(rule: Condition): rule is ConditionGroup {
  return !('target' in rule);
}

/** Those of a list: all of a group but the one that `not` has. */
const LISTS = ['all', 'any', 'anyPart'] as const;
export const GROUP_KINDS = [...LISTS, 'not'] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

export function groupKind(group: ConditionGroup): GroupKind {
  return GROUP_KINDS.find((kind) => kind in group) as GroupKind;
}

/** The conditions in a group. */
export function membersOf(group: ConditionGroup): readonly Condition[] {
  if ('not' in group) return [group.not];
  return Object.values(group)[0] as readonly Condition[];
}

/** The same group of other conditions. */
export function mapGroup<Mapped>(
  group: ConditionGroup,
  map: (rule: Condition) => Mapped,
): Readonly<Partial<Record<GroupKind, Mapped | readonly Mapped[]>>> {
  return 'not' in group ? { not: map(group.not) } : { [groupKind(group)]: membersOf(group).map(map) };
}

/** All conditions, also those in groups, in their order. @param withParts Whether those on parts of the body are among them. */
export function conditionsOf(rules: readonly Condition[], withParts = true): readonly MatchCondition[] {
  if (!rules.some(isConditionGroup)) return rules as readonly MatchCondition[];
  return rules.flatMap((rule) => {
    if (!isConditionGroup(rule)) return [rule];
    return 'anyPart' in rule && !withParts ? [] : conditionsOf(membersOf(rule), withParts);
  });
}

/** Whether some condition reads the body. */
export function testsBody(rules: readonly Condition[]): boolean {
  return rules.some((rule) =>
    isConditionGroup(rule) ? 'anyPart' in rule || testsBody(membersOf(rule)) : readsBody(rule.target),
  );
}
