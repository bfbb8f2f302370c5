/** Conditions on GraphQL for formats that know bodies alone: a request in JSON has variables and the hash of a persisted query there. */
import { isConditionGroup } from '../model/mocks/definition/conditions.ts';
import type { Condition } from '../model/mocks/definition/definition.ts';

/** @returns Those that no condition on the body says stay as they are. */
export function withGraphqlAsBody(rules: readonly Condition[]): readonly Condition[] {
  return rules.map(asBody);
}

function asBody(rule: Condition): Condition {
  if (isConditionGroup(rule)) {
    if ('not' in rule) return { not: asBody(rule.not) };
    return 'all' in rule ? { all: rule.all.map(asBody) } : { any: rule.any.map(asBody) };
  }
  if (rule.target !== 'graphql') return rule;
  const { property } = rule;
  if (property === 'hash') return { ...rule, target: 'body', property: 'extensions.persistedQuery.sha256Hash' };
  return /^variables(?:\.|$)/.test(property) ? { ...rule, target: 'body' } : rule;
}
