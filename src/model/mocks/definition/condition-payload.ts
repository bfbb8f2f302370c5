/** Conditions as they are sent: single ones by their schema, groups of them here. */
import { isObject } from '../../../base/json-object.ts';
import { refuse, type Refusal } from '../../../errors.ts';
import { compileCheck, refusalOf, quoteValue } from '../../validate.ts';
import { GROUP_KINDS, groupKind, isConditionGroup, membersOf } from './conditions.ts';
import { matchShape, type Condition, type MatchCondition } from './condition-schema.ts';

/** Nesting of groups of conditions. (shown: Mock definitions) */
const DEPTH_MAX = 5;

const checkCondition = compileCheck(matchShape);

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

/** Targets that a part of a multipart body has. */
const PART_TARGETS: ReadonlySet<unknown> = new Set(['header', 'body']);

function refuseCondition(
  rule: unknown,
  at: string,
  depth: number,
  count: { left: number },
  isOfPart = false,
): Refusal | undefined {
  const given = rule as Readonly<Record<string, unknown>>;
  const fault = (path: string, message: string): Refusal =>
    refuse('mockPayloadInvalid', [{ path: `${at}${path}`, message }]);
  const group = GROUP_KINDS.find((name) => Object.hasOwn(given, name));
  if (group === undefined) {
    count.left--;
    const problems = checkCondition(given, at);
    if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
    return isOfPart && !PART_TARGETS.has(given['target'])
      ? fault('/target', 'a part has only the targets header and body')
      : undefined;
  }
  const other = Object.keys(given).find((name) => name !== group);
  if (other !== undefined) return fault(`/${group}`, `cannot be combined with ${other}: a group has only one member`);
  if (depth > DEPTH_MAX) return fault('', `groups may be nested at most ${DEPTH_MAX} deep`);
  if (isOfPart && group === 'anyPart') return fault('/anyPart', 'a part has no parts');
  const isPart = isOfPart || group === 'anyPart';
  const value = given[group];
  if (group === 'not') {
    return isObject(value)
      ? refuseCondition(value, `${at}/not`, depth + 1, count, isPart)
      : fault('/not', `expected a condition, got ${quoteValue(value)}`);
  }
  if (!Array.isArray(value)) return fault(`/${group}`, `expected an array of conditions, got ${quoteValue(value)}`);
  if (value.length === 0 && group !== 'anyPart') return fault(`/${group}`, 'must have at least one condition');
  for (const [index, each] of value.entries()) {
    const path = `/${group}/${index}`;
    if (!isObject(each)) return fault(path, `expected a condition, got ${quoteValue(each)}`);
    const refusal = refuseCondition(each, `${at}${path}`, depth + 1, count, isPart);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
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
  if (!isConditionGroup(rule)) return [{ rule, at }];
  if ('not' in rule) return placedCondition(rule.not, `${at}/not`);
  return membersOf(rule).flatMap((each, index) => placedCondition(each, `${at}/${groupKind(rule)}/${index}`));
}
