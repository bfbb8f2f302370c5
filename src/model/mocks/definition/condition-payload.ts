/** Conditions as they are sent: single ones by their schema, groups of them here, with their defaults. */
import { isObject } from '../../../base/json-object.ts';
import { refuse, type Refusal } from '../../../errors.ts';
import { compileCheck, refusalOf, shown } from '../../validate.ts';
import type { MatchCondition, Condition } from './definition.ts';
import { flagsOf } from './condition-kinds.ts';
import { conditionShape } from './schema.ts';

/** Nesting of groups of conditions. (shown: Mock definitions) */
const DEPTH_MAX = 5;
const GROUPS = ['all', 'any', 'not'] as const;

const checkCondition = compileCheck(conditionShape);

/** @param at Pointer of the list. @param most Conditions in it, in groups and beside them. @returns The first fault, with its place. */
export function refuseConditions(rules: readonly unknown[] | undefined, at: string, most: number): Refusal | undefined {
  const count = { left: most };
  for (const [index, rule] of (rules ?? []).entries()) {
    const refusal = refuseCondition(rule, `${at}/${index}`, 1, count);
    if (refusal !== undefined) return refusal;
  }
  return count.left < 0
    ? refuse('mockPayloadInvalid', [
        { path: at, message: `must have at most ${most} conditions, including those in groups` },
      ])
    : undefined;
}

function refuseCondition(rule: unknown, at: string, depth: number, count: { left: number }): Refusal | undefined {
  const given = rule as Readonly<Record<string, unknown>>;
  const group = GROUPS.find((name) => Object.hasOwn(given, name));
  if (group === undefined) {
    count.left--;
    const problems = checkCondition(given, at);
    return problems && refusalOf(problems, 'mockPayloadInvalid');
  }
  const fault = (path: string, message: string): Refusal =>
    refuse('mockPayloadInvalid', [{ path: `${at}${path}`, message }]);
  const other = Object.keys(given).find((name) => name !== group);
  if (other !== undefined) return fault(`/${group}`, `cannot be combined with ${other}: a group has only one member`);
  if (depth > DEPTH_MAX) return fault('', `groups may be nested at most ${DEPTH_MAX} deep`);
  const value = given[group];
  if (group === 'not') {
    return isObject(value)
      ? refuseCondition(value, `${at}/not`, depth + 1, count)
      : fault('/not', `expected a condition, got ${shown(value)}`);
  }
  if (!Array.isArray(value)) return fault(`/${group}`, `expected an array of conditions, got ${shown(value)}`);
  if (value.length === 0) return fault(`/${group}`, 'must have at least one condition');
  for (const [index, each] of value.entries()) {
    const path = `/${group}/${index}`;
    if (!isObject(each)) return fault(path, `expected a condition, got ${shown(each)}`);
    const refusal = refuseCondition(each, `${at}${path}`, depth + 1, count);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** @param given One that was checked. */
export function fillCondition(given: Condition): Condition {
  if ('all' in given) return { all: given.all.map(fillCondition) };
  if ('any' in given) return { any: given.any.map(fillCondition) };
  return 'not' in given ? { not: fillCondition(given.not) } : fillMatch(given);
}

function fillMatch(given: Partial<MatchCondition> & Pick<MatchCondition, 'target' | 'operator'>): MatchCondition {
  const { target, operator, property = '', value = '', invert = false } = given;
  return { target, property, operator, value, invert, ...flagsOf(given) };
}

/** A condition with its place among the conditions of its response. */
interface PlacedCondition {
  readonly rule: MatchCondition;
  /** "/2/all/1" */
  readonly at: string;
}

export function placedConditions(rules: readonly Condition[]): readonly PlacedCondition[] {
  return rules.flatMap((rule, index) => placedCondition(rule, `/${index}`));
}

function placedCondition(rule: Condition, at: string): readonly PlacedCondition[] {
  if ('all' in rule) return rule.all.flatMap((each, index) => placedCondition(each, `${at}/all/${index}`));
  if ('any' in rule) return rule.any.flatMap((each, index) => placedCondition(each, `${at}/any/${index}`));
  return 'not' in rule ? placedCondition(rule.not, `${at}/not`) : [{ rule, at }];
}
