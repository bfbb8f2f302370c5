/** What recorded requests have instead of what the conditions of a verification ask for. */
import { excerpt } from '../../../base/excerpt.ts';
import { TRAFFIC_REQUEST_WORK_MAX } from '../../../limits.ts';
import { readsBody } from '../../../model/mocks/definition/condition-kinds.ts';
import type { Condition, MatchCondition } from '../../../model/mocks/definition/definition.ts';
import type { RoutePath } from '../../../model/mocks/recorded-conditions.ts';
import { compileClock } from '../compile/clock.ts';
import { RouteTargets } from '../request/condition-target.ts';
import type { MockRequest } from '../request/mock-request.ts';
import { RequestView } from '../request/request-view.ts';
import { compilePath } from '../routing/compiled-path.ts';
import { parametersOnPath } from '../routing/path-parameters.ts';
import { judgeCondition, type ConditionVerdict, type GroupVerdict } from './explain-conditions.ts';

export interface RecordedRequest extends MockRequest {
  /** When it was recorded: milliseconds since 1970. */
  readonly time: number;
  readonly bodyTruncated: boolean;
  /** The route that answered it, where conditions read parameters. */
  readonly route: RoutePath | undefined;
}

export interface RecordedDifference {
  /** Behind `rules`: "/0/any/1". */
  readonly at: string;
  readonly expected: string;
  /** Empty when there is none, or where it is unknown. */
  readonly actual: readonly string[];
  /** Why it is unknown whether the condition holds. */
  readonly unjudged?: string;
}

/** Members of groups are evaluated on their own, too. */
const EXPLAINED_WORK_MAX = 4 * TRAFFIC_REQUEST_WORK_MAX;

/** @returns For each condition that does not hold, or is not known to; those of a group one by one. */
export function differencesOf(
  rules: readonly Condition[],
  request: RecordedRequest,
  clock: string | undefined,
): RecordedDifference[] {
  const { time, bodyTruncated, route } = request;
  const path = route && compilePath(route);
  const found = { params: path === undefined ? [] : parametersOnPath(path, request.path) };
  const targets = new RouteTargets(true);
  return rules.flatMap((rule, index) => {
    const view = new RequestView(
      request,
      path?.parameterNames ?? [],
      found,
      0,
      null,
      compileClock(clock, () => time),
    );
    view.work = EXPLAINED_WORK_MAX;
    const verdict = judgeCondition(rule, view, targets);
    const isTooMuch = view.work < 0;
    const unknown = (of: MatchCondition): string | undefined => {
      if (bodyTruncated && readsBody(of.target)) return 'the body was not recorded completely';
      return isTooMuch ? 'it takes too much work' : undefined;
    };
    return blamed(verdict, true, `/${index}`, unknown);
  });
}

type Verdict = ConditionVerdict | GroupVerdict;
type Unknown = (rule: MatchCondition) => string | undefined;

/** @param wanted Whether it was to hold: below `not` the opposite. */
function blamed(verdict: Verdict, wanted: boolean, at: string, unknown: Unknown): RecordedDifference[] {
  if (isHeld(verdict, unknown) === wanted) return [];
  if ('rule' in verdict) {
    const { rule, expected, actual } = verdict;
    const unjudged = unknown(rule);
    const text = excerpt([rule.target, rule.property, expected].filter((word) => word !== '').join(' '));
    const difference = { at, expected: wanted ? text : excerpt(`not: ${text}`) };
    return [unjudged === undefined ? { ...difference, actual } : { ...difference, actual: [], unjudged }];
  }
  const { group, rules } = verdict;
  if (group === 'not') return rules.flatMap((each) => blamed(each, !wanted, `${at}/not`, unknown));
  return rules.flatMap((each, index) => blamed(each, wanted, `${at}/${group}/${index}`, unknown));
}

/** @returns undefined where it is unknown. */
function isHeld(verdict: Verdict, unknown: Unknown): boolean | undefined {
  if ('rule' in verdict) return unknown(verdict.rule) === undefined ? verdict.holds : undefined;
  const held = verdict.rules.map((each) => isHeld(each, unknown));
  if (verdict.group === 'not') return held[0] === undefined ? undefined : !held[0];
  const decisive = verdict.group === 'any';
  if (held.includes(decisive)) return decisive;
  return held.includes(undefined) ? undefined : !decisive;
}
