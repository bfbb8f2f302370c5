/** For explanations: conditions one by one, with what was expected and what a request has. The fast way is choose-response.ts. */
import { excerpt } from '../../../base/excerpt.ts';
import { EXPLAINED_VALUES_MAX } from '../../../limits.ts';
import { groupKind, isConditionGroup, membersOf } from '../../../model/mocks/definition/conditions.ts';
import type { GroupVerdict, Verdict } from '../../../model/mocks/show/explanation.ts';
import { compileOperator, isOperatorTest, textOf } from '../../../model/mocks/definition/operators.ts';
import { expectedOf, type RouteTargets } from '../request/condition-target.ts';
import { judgement } from '../request/jayway-target.ts';
import type { RequestView } from '../request/request-view.ts';
import type { Condition, MatchCondition } from '../../../model/mocks/definition/condition-schema.ts';

/** @param targets Whose values are shared. */
export function judgeCondition(rule: Condition, view: RequestView, targets: RouteTargets): Verdict {
  if (isConditionGroup(rule)) {
    if ('anyPart' in rule) return judgeParts(rule.anyPart, view, targets);
    const rules = membersOf(rule).map((each) => judgeCondition(each, view, targets));
    return { group: groupKind(rule), holds: isHeld(rule, view, targets), rules };
  }
  const holds = isConditionHeld(rule, view, targets);
  const values = targets.compile(rule.target, rule.property, rule.operator)(view);
  return {
    rule,
    holds,
    expected: [rule.invert ? 'not' : '', rule.operator, rule.value, rule.ignoreCase === true ? '(ignoring case)' : '']
      .filter((word) => word !== '')
      .join(' '),
    actual: values.slice(0, EXPLAINED_VALUES_MAX).map((value) => excerpt(textOf(value, view))),
  };
}

/** Judges each part, and keeps the one for which most conditions hold. */
function judgeParts(rules: readonly Condition[], view: RequestView, targets: RouteTargets): GroupVerdict {
  let closest: GroupVerdict = { group: 'anyPart', holds: false, rules: [] };
  let most = -1;
  for (const [index, part] of view.parts.entries()) {
    part.work = view.work;
    const verdicts = rules.map((each) => judgeCondition(each, part, targets));
    view.work = part.work;
    const count = verdicts.filter(({ holds }) => holds).length;
    if (view.work < 0 || count <= most) continue;
    most = count;
    closest = { group: 'anyPart', holds: count === rules.length, part: index + 1, rules: verdicts };
    if (closest.holds) break;
  }
  return closest;
}

function isConditionHeld(rule: MatchCondition, view: RequestView, targets: RouteTargets): boolean {
  const values = targets.compile(rule.target, rule.property, rule.operator)(view);
  const test = compileOperator(rule.operator, expectedOf(rule), rule);
  return judgement(rule, isOperatorTest(test) ? test : () => false)(values, view);
}

/** A condition or a group. Stops early, as serving does. */
export function isHeld(rule: Condition, view: RequestView, targets: RouteTargets): boolean {
  if (!isConditionGroup(rule)) return isConditionHeld(rule, view, targets);
  const held = (each: Condition): boolean => isHeld(each, view, targets) && view.work >= 0;
  if ('not' in rule) return !held(rule.not) && view.work >= 0;
  if ('anyPart' in rule)
    return view.somePart((part) => rule.anyPart.every((each) => isHeld(each, part, targets) && part.work >= 0));
  return 'any' in rule ? rule.any.some(held) : rule.all.every(held);
}

/** A condition that does not hold, or is not known to. */
export interface ConditionDifference {
  /** JSON pointer: "/0/any/1". */
  readonly at: string;
  /** "body amount equals 5" */
  readonly expected: string;
  /** Values of the request; empty without any, or when they are unknown. */
  readonly actual: readonly string[];
  /** Why it is unknown whether the condition holds. */
  readonly unjudged?: string;
}

/** @returns Why it is unknown whether a condition holds; undefined where it is known. */
type Unknown = (rule: MatchCondition) => string | undefined;

/** @returns Each condition that keeps it from holding; none where it holds. */
export function differencesIn(
  verdict: Verdict,
  at: string,
  unknown: Unknown = () => undefined,
  wanted = true,
): ConditionDifference[] {
  if (knownToHold(verdict, unknown) === wanted) return [];
  if ('rule' in verdict) {
    const { rule, expected, actual } = verdict;
    const unjudged = unknown(rule);
    const text = [rule.target, rule.property, expected].filter((word) => word !== '').join(' ');
    const difference = { at, expected: excerpt(wanted ? text : `not: ${text}`) };
    return [unjudged === undefined ? { ...difference, actual } : { ...difference, actual: [], unjudged }];
  }
  const { group, rules } = verdict;
  const isNot = group === 'not';
  if (group === 'anyPart' && (rules.length === 0 || !wanted)) {
    const unjudged = unknown(A_BODY);
    const text = `${wanted ? '' : 'not: '}${rules.length === 0 ? 'a part' : 'such a part'} of a multipart body`;
    return [{ at, expected: text, actual: [], ...(unjudged === undefined ? {} : { unjudged }) }];
  }
  return rules.flatMap((each, index) =>
    differencesIn(each, isNot ? `${at}/not` : `${at}/${group}/${index}`, unknown, isNot ? !wanted : wanted),
  );
}

/** Parts are known where the body is. */
const A_BODY: MatchCondition = { target: 'body', property: '', operator: 'exists', value: '', invert: false };

/** @returns undefined where it is unknown. */
function knownToHold(verdict: Verdict, unknown: Unknown): boolean | undefined {
  if ('rule' in verdict) return unknown(verdict.rule) === undefined ? verdict.holds : undefined;
  if (verdict.group === 'anyPart') return unknown(A_BODY) === undefined ? verdict.holds : undefined;
  const held = verdict.rules.map((each) => knownToHold(each, unknown));
  if (verdict.group === 'not') return held[0] === undefined ? undefined : !held[0];
  const decisive = verdict.group === 'any';
  if (held.includes(decisive)) return decisive;
  return held.includes(undefined) ? undefined : !decisive;
}
