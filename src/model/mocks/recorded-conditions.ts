/** Conditions on recorded requests, as verify and the filters of traffic take them: those of a response, but for targets that are not recorded. */
import { groupNames } from '../../languages/paths/path-pattern.ts';
import { namesOf, parseRoutePath } from '../../languages/paths/route-path.ts';
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { DETAILS_MAX, TRAFFIC_CONDITIONS_MAX, TRAFFIC_INSTRUCTIONS_MAX } from '../../limits.ts';
import { normaliser } from '../normalise.ts';
import { Type } from '../schema-type.ts';
import { compileCheck, refusalOf } from '../validate.ts';
import { unrecordedReason } from './definition/condition-kinds.ts';
import { placedConditions, refuseConditions } from './definition/condition-payload.ts';
import type { MockRoute } from './definition/definition.ts';
import { conditionInstructions, conditionProblem } from './definition/edit-checks.ts';
import { conditionOrGroupShape, type Condition, type RuleInput } from './definition/condition-schema.ts';

/** Compiled conditions for a thread, as plain data. */
export interface RecordedConditions {
  /** All must hold. */
  readonly rules: readonly Condition[];
  /** `settings.clock` of the mock: what time it was for a request. */
  readonly clock?: string | undefined;
  /** Routes with parameters that the conditions name, by version and id. */
  readonly routes?: ReadonlyMap<number, ReadonlyMap<string, RoutePath>> | undefined;
  /** A path that requests must have, as a route has it: parameters that the conditions name are those of this path. */
  readonly path?: RoutePath | undefined;
}

export type RoutePath = Pick<MockRoute, 'path' | 'pathKind'>;

export const recordedConditionsShape = Type.Array(conditionOrGroupShape, {
  maxItems: TRAFFIC_CONDITIONS_MAX,
  description:
    'Conditions like those of a response; all must hold. Conditions on `requestNumber` and `clientIp` are refused, because requests are recorded without them.',
});

const checkShape = compileCheck(recordedConditionsShape);
const normalise = normaliser(recordedConditionsShape);

/** @param at Of the object that has the `rules`. @returns With their defaults, or why they cannot be evaluated. */
export function parseRecordedConditions(rules: unknown, at: string): readonly Condition[] | Refusal {
  const problems = checkShape(rules, `${at}/rules`);
  if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
  const refused = refuseConditions(rules as readonly RuleInput[], `${at}/rules`, TRAFFIC_CONDITIONS_MAX);
  if (refused !== undefined) return refused;
  const filled = normalise(rules);
  const placed = placedConditions(filled);
  // Before anything is compiled.
  if (placed.reduce((sum, { rule }) => sum + conditionInstructions(rule), 0) > TRAFFIC_INSTRUCTIONS_MAX) {
    const message = `must take at most ${TRAFFIC_INSTRUCTIONS_MAX} instructions of patterns, JSONPaths and schemas`;
    return refuse('mockPayloadInvalid', [{ path: `${at}/rules`, message }]);
  }
  const details = placed.flatMap(({ rule, at: place }): Detail[] => {
    const unrecorded = unrecordedReason(rule.target);
    if (unrecorded !== undefined) return [{ path: `${at}/rules${place}/target`, message: unrecorded }];
    const problem = conditionProblem(rule);
    return problem === undefined ? [] : [{ path: `${at}/rules${place}`, message: problem }];
  });
  return details.length === 0 ? filled : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}

/** Names of path parameters that the conditions read. */
export function parametersIn(rules: readonly Condition[]): ReadonlySet<string> {
  return new Set(placedConditions(rules).flatMap(({ rule }) => (rule.target === 'urlParam' ? [rule.property] : [])));
}

/** Names of the parameters of a route. */
export function parametersOf({ path, pathKind }: RoutePath): readonly string[] {
  if (pathKind === 'regex') return groupNames(path);
  const segments = parseRoutePath(path);
  return typeof segments === 'string' ? [] : segments.flatMap((segment) => namesOf(segment));
}
