/**
 * Why routes that matched a request had no answer and passed it on, for its 404: the condition that failed, or the state of a scenario
 * that was not there. Runs for misses alone, and within bounds: what takes more is not explained.
 */
import { PASSED_ROUTES_MAX, PASSED_WORK_MAX } from '../../../limits.ts';
import { COMPILE_WORK_PER_INSTRUCTION } from '../../../languages/linear-pattern.ts';
import { take } from '../../../languages/work-budget.ts';
import { requiredStates, stepsOf } from '../../../model/mocks/behaviour/behaviour-checks.ts';
import { conditionsOf } from '../../../model/mocks/definition/conditions.ts';
import type { Scenario } from '../../../model/mocks/definition/definition.ts';
import { conditionInstructions } from '../../../model/mocks/definition/edit-checks.ts';
import { isSecretHeader, SECRET_TARGETS } from '../../../model/mocks/secret-parts.ts';
import type { CompiledRoute, FoundRoute, Requirements } from '../compile/compiled-mock.ts';
import { RouteTargets } from '../request/condition-target.ts';
import type { MockRequest } from '../request/mock-request.ts';
import { RequestView } from '../request/request-view.ts';
import type { Verdict } from '../../../model/mocks/show/explanation.ts';
import { differencesIn, judgeCondition } from './explain-conditions.ts';

/** A route that matched. */
export interface PassedRoute {
  readonly method: string;
  readonly path: string;
  /** "requires state Started of scenario cart; it is: has item" */
  readonly reason: string;
}

/** State that the requests of the mock share. */
interface SharedState {
  readonly scenarios: readonly Scenario[];
  /** The states of the scenarios, by index. */
  readonly words: Int32Array;
  /** @returns The number that the last request of a route got. */
  readonly numberOf: (route: CompiledRoute) => number;
}

const RESPONSES_MAX = 20;
const REASON_CHARS_MAX = 500;
const NOT_EXPLAINED = 'the conditions of none of its responses hold';

export function explainPassed(
  routes: Iterable<FoundRoute>,
  request: MockRequest,
  states: SharedState,
): readonly PassedRoute[] {
  const passed: PassedRoute[] = [];
  let work = PASSED_WORK_MAX;
  for (const found of routes) {
    const { method, path, parameterNames, clock, usesCounter } = found.route;
    const number = usesCounter ? states.numberOf(found.route) : 0;
    const view = new RequestView(request, parameterNames, found, number);
    view.now = clock;
    view.work = work;
    passed.push({ method, path, reason: reasonOf(found.route, view, states) });
    work = view.work;
    if (passed.length >= PASSED_ROUTES_MAX) break;
  }
  return passed;
}

/** Explains the response that lacks least. */
function reasonOf({ requirements = [], templates }: CompiledRoute, view: RequestView, states: SharedState): string {
  const targets = new RouteTargets(true, templates);
  let least: readonly string[] | undefined;
  for (const response of requirements.slice(0, RESPONSES_MAX)) {
    const lacking = [...lackingStates(response, states), ...lackingConditions(response, view, targets)];
    if (view.work < 0) break;
    if (lacking.length > 0 && lacking.length < (least?.length ?? Infinity)) least = lacking;
  }
  if (least === undefined) return NOT_EXPLAINED;
  const others = requirements.length === 1 ? '' : ` (the closest of ${requirements.length} responses)`;
  const reason = least.slice(0, 3).join(', and ');
  return `${reason.slice(0, REASON_CHARS_MAX)}${others}`;
}

function lackingStates({ scenario }: Requirements, { scenarios, words }: SharedState): string[] {
  return stepsOf(scenario).flatMap((step) => {
    const index = scenarios.findIndex(({ name }) => name === step.name);
    const required = requiredStates(step);
    const state = scenarios[index]?.states[Atomics.load(words, Math.max(0, index))];
    if (required === undefined || state === undefined || required.includes(state)) return [];
    return [`requires state ${required.join(' or ')} of scenario ${step.name}; it is: ${state}`];
  });
}

/** Everybody who reaches the mock port reads this: of credentials it names where they are, not what they are. */
function withoutSecrets(verdict: Verdict): Verdict {
  if (!('rule' in verdict)) return { ...verdict, rules: verdict.rules.map(withoutSecrets) };
  const { target, property, operator, invert } = verdict.rule;
  const isSecret = SECRET_TARGETS.has(target) || target === 'template';
  if (!isSecret && !(target === 'header' && isSecretHeader(property))) return verdict;
  return { ...verdict, expected: `${invert ? 'not ' : ''}${operator} …`, actual: verdict.actual.map(() => '…') };
}

function lackingConditions({ rules, rulesOperator }: Requirements, view: RequestView, targets: RouteTargets): string[] {
  // Each is compiled for this.
  const instructions = conditionsOf(rules).reduce((sum, rule) => sum + conditionInstructions(rule), 0);
  if (!take(view, instructions * COMPILE_WORK_PER_INSTRUCTION)) return [];
  const verdicts = rules.map((rule) => withoutSecrets(judgeCondition(rule, view, targets)));
  if (rulesOperator === 'OR' && verdicts.some(({ holds }) => holds)) return [];
  return verdicts
    .flatMap((verdict) => differencesIn(verdict, ''))
    .map(
      ({ expected, actual }) =>
        `requires ${expected}; got ${actual.map((value) => JSON.stringify(value)).join(', ') || 'nothing'}`,
    );
}
