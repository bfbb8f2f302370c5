/** Compares recorded requests with the conditions of a verification. */
import { TRAFFIC_REQUEST_WORK_MAX } from '../../../limits.ts';
import { readsBody } from '../../../model/mocks/definition/condition-kinds.ts';
import type { RoutePath } from '../../../model/mocks/recorded-conditions.ts';
import { compileClock } from '../compile/clock.ts';
import { RouteTargets } from '../request/condition-target.ts';
import type { MockRequest } from '../request/mock-request.ts';
import { RequestView } from '../request/request-view.ts';
import { compilePath } from '../routing/compiled-path.ts';
import { parametersOnPath } from '../routing/path-parameters.ts';
import { differencesIn, judgeCondition, type ConditionDifference } from './explain-conditions.ts';
import type { Condition, MatchCondition } from '../../../model/mocks/definition/condition-schema.ts';

export interface RecordedRequest extends MockRequest {
  /** When it was recorded: milliseconds since 1970. */
  readonly time: number;
  readonly bodyTruncated: boolean;
  /** The route that answered it, where conditions read parameters. */
  readonly route: RoutePath | undefined;
}

/** Members of groups are evaluated on their own, too. */
const EXPLAINED_WORK_MAX = 4 * TRAFFIC_REQUEST_WORK_MAX;

/** @returns For each condition that does not hold, or is not known to; those of a group one by one. */
export function differencesOf(
  rules: readonly Condition[],
  request: RecordedRequest,
  clock: string | undefined,
): ConditionDifference[] {
  const { time, bodyTruncated, route } = request;
  const path = route && compilePath(route);
  const found = { params: path === undefined ? [] : parametersOnPath(path, request.path) };
  const targets = new RouteTargets(true);
  return rules.flatMap((rule, index) => {
    const view = new RequestView(request, path?.parameterNames ?? [], found, 0);
    view.now = compileClock(clock, () => time);
    view.work = EXPLAINED_WORK_MAX;
    const verdict = judgeCondition(rule, view, targets);
    const isTooMuch = view.work < 0;
    const unknown = (of: MatchCondition): string | undefined => {
      if (bodyTruncated && readsBody(of.target)) return 'the body was not recorded completely';
      return isTooMuch ? 'it takes too much work' : undefined;
    };
    return differencesIn(verdict, `/${index}`, unknown);
  });
}
