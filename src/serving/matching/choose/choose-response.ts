/**
 * Chooses one of a route's responses (docs/mocks-matching.md): one function per selection, built when the mock is
 * compiled.
 */
import type { MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { operatorInstructions } from '../../../model/mocks/definition/edit-checks.ts';
import { compilePattern, isPattern } from '../../../languages/linear-pattern.ts';
import { MOCK_INSTRUCTIONS_MAX, RULE_WORK_MAX } from '../../../limits.ts';
import { isConditionGroup, membersOf } from '../../../model/mocks/definition/conditions.ts';
import {
  compileOperator,
  HEAVY_OPERATORS,
  isOperatorTest,
  type OperatorTest,
} from '../../../model/mocks/definition/operators.ts';
import { take } from '../../../languages/work-budget.ts';
import { drawStream } from '../compile/draw-streams.ts';
import type { RequestView } from '../request/request-view.ts';
import {
  equalsGroup,
  NO_CHOICE,
  PATTERN_GROUP_INSTRUCTIONS_MAX,
  PATTERN_GROUP_MIN,
  patternGroup,
  type Step,
} from './condition-groups.ts';
import { expectedOf, type RouteTargets } from '../request/condition-target.ts';
import { judgement } from '../request/jayway-target.ts';
import type { MatchCondition, Condition } from '../../../model/mocks/definition/condition-schema.ts';

/**
 * Patterns, JSONPaths and schemas of one mock that are compiled when it is published; the others when a request first
 * needs them. A definition of 10 MB can hold a hundred thousand, and publishing it must not block a thread for minutes.
 */
export const RULES_COMPILED_EARLY_MAX = 1_000;
/**
 * Work of compiling an instruction, in units of RULE_WORK_MAX. Less than it takes: a request that compiles everything that a mock may
 * have is answered, and needs up to half a second, once for each version in each thread.
 */
const COMPILE_WORK = RULE_WORK_MAX / MOCK_INSTRUCTIONS_MAX;

/** @returns The index of the response; an arbitrary one when the view's budget is used up. */
export type Choose = (view: RequestView) => number;

/** A condition on a request. */
export type Predicate = (view: RequestView) => boolean;

/** The index of the response if every request gets the same; else undefined. */
export function onlyChoice({ selection, responses, otherwise }: MockRoute): number | undefined {
  if (otherwise === 'next') return undefined;
  if (responses.length === 1) return 0;
  if (selection === 'default') return defaultIndex(responses);
  if (selection === 'rules' && responses.every(({ rules }) => rules.length === 0)) return defaultIndex(responses);
  return undefined;
}

type Conditions = Pick<MockResponse, 'rules' | 'rulesOperator'>;

/** Compiles the choosers of the routes of one mock. */
export class ChooserCompiler {
  #compiledEarly = 0;

  compile(route: MockRoute, targets: RouteTargets): Choose {
    const only = onlyChoice(route);
    if (only !== undefined) return () => only;
    switch (route.selection) {
      case 'sequential':
        return sequential(route.responses.length);
      case 'random':
        return weighted(route.responses, drawStream(route, 'choice'));
      default:
        return this.#byRules(route, targets);
    }
  }

  /** Compiles the conditions of a response, or others. */
  conditions(of: Conditions, targets: RouteTargets): Predicate {
    return this.#allConditions(of, targets);
  }

  #byRules({ responses, otherwise }: MockRoute, targets: RouteTargets): Choose {
    const fallback = otherwise === 'next' ? NO_CHOICE : defaultIndex(responses);
    const steps = this.#steps(responses, targets);
    return (view) => {
      for (const step of steps) {
        const index = step(view);
        if (index !== NO_CHOICE) return index;
      }
      return fallback;
    };
  }

  #steps(responses: readonly MockResponse[], targets: RouteTargets): Step[] {
    const ruled = [...responses.entries()].filter(([, { rules }]) => rules.length > 0);
    const steps: Step[] = [];
    let hasSet = false;
    for (let at = 0; at < ruled.length;) {
      const run = ruled.slice(at, at + countSimilar(ruled, at));
      at += run.length;
      const group: Step | undefined =
        equalsGroupOf(run, targets) ?? (hasSet ? undefined : this.#patternGroupOf(run, targets));
      hasSet ||= group !== undefined && onlyCondition(run[0])?.operator === 'regex';
      if (group === undefined) for (const each of run) steps.push(this.#single(each, targets));
      else steps.push(group);
    }
    return steps;
  }

  #single([index, response]: Conditional, targets: RouteTargets): Step {
    const holds = this.#allConditions(response, targets);
    return (view) => (holds(view) ? index : NO_CHOICE);
  }

  /**
   * A set compiles each pattern a second time. At most one set per route: the work of a set that is not charged is
   * bounded only per set.
   */
  #patternGroupOf(run: readonly Conditional[], targets: RouteTargets): Step | undefined {
    const rules = run.flatMap((ruled) => onlyCondition(ruled) ?? []);
    const [rule] = rules;
    if (rule?.operator !== 'regex' || rule.target === 'body' || run.length < PATTERN_GROUP_MIN) return undefined;
    if (this.#compiledEarly + 2 * run.length > RULES_COMPILED_EARLY_MAX) return undefined;
    const instructions = rules.reduce((sum, each) => sum + operatorInstructions(each), 0);
    if (instructions > PATTERN_GROUP_INSTRUCTIONS_MAX) return undefined;
    const patterns = rules.map(({ value }) => compilePattern(value)).filter(isPattern);
    if (patterns.length < rules.length) return undefined;
    this.#compiledEarly += 2 * run.length;
    return patternGroup(
      targets.compile(rule.target, rule.property, rule.operator),
      rules.map(({ value }) => value),
      patterns,
      run.map(([index]) => index),
    );
  }

  #allConditions({ rules, rulesOperator }: Conditions, targets: RouteTargets): Predicate {
    return this.#joined(rules, rulesOperator === 'AND', targets);
  }

  /** @param all Whether all must hold, or any of them. */
  #joined(rules: readonly Condition[], all: boolean, targets: RouteTargets): Predicate {
    const predicates = rules.map((rule) => this.#node(rule, targets));
    const [first] = predicates;
    if (predicates.length === 1 && first !== undefined) return first;
    return all ? (view) => predicates.every((holds) => holds(view)) : (view) => predicates.some((holds) => holds(view));
  }

  #node(rule: Condition, targets: RouteTargets): Predicate {
    if (!isConditionGroup(rule)) return this.#rule(rule, targets);
    const holds = this.#joined(membersOf(rule), !('any' in rule), targets);
    if ('anyPart' in rule) return (view) => view.somePart(holds);
    // What the budget does not suffice for does not hold either way.
    return 'not' in rule ? (view) => !holds(view) && view.work >= 0 : holds;
  }

  #rule(rule: MatchCondition, targets: RouteTargets): Predicate {
    const { target, property, operator } = rule;
    const values = targets.compile(target, property, operator);
    let holds: ReturnType<typeof judgement> | undefined;
    const isHeavy = HEAVY_OPERATORS.has(operator);
    if (!isHeavy || this.#compiledEarly < RULES_COMPILED_EARLY_MAX) holds = judgement(rule, testOf(rule));
    if (isHeavy) this.#compiledEarly++;
    return (view) => {
      if (view.work < 0) return false;
      if (holds === undefined) {
        if (!take(view, operatorInstructions(rule) * COMPILE_WORK)) return false;
        holds = judgement(rule, testOf(rule));
      }
      return holds(values(view), view);
    };
  }
}

/** A response with its index. */
type Conditional = readonly [index: number, response: MockResponse];

/** Counts the responses from `start` on whose only conditions differ at most in their value. */
function countSimilar(ruled: readonly Conditional[], start: number): number {
  const rule = onlyCondition(ruled[start]);
  if (rule === undefined) return 1;
  let end = start + 1;
  for (; end < ruled.length && isSimilar(rule, onlyCondition(ruled[end])); end++);
  return end - start;
}

function onlyCondition(ruled: Conditional | undefined): MatchCondition | undefined {
  const rules = ruled?.[1].rules;
  const [rule] = rules ?? [];
  if (rule === undefined || rules?.length !== 1 || isConditionGroup(rule)) return undefined;
  // Groups look texts up as they are.
  return rule.ignoreCase === true ? undefined : rule;
}

function isSimilar(one: MatchCondition, other: MatchCondition | undefined): boolean {
  return (
    other !== undefined &&
    one.target === other.target &&
    one.property === other.property &&
    one.operator === other.operator &&
    !one.invert &&
    !other.invert
  );
}

function equalsGroupOf(run: readonly Conditional[], targets: RouteTargets): Step | undefined {
  const rules = run.flatMap((ruled) => onlyCondition(ruled) ?? []);
  const [rule] = rules;
  if (run.length < 2 || rule?.operator !== 'equals') return undefined;
  return equalsGroup(
    targets.compile(rule.target, rule.property, rule.operator),
    rules.map(expectedOf),
    run.map(([index]) => index),
  );
}

/**
 * A value that does not fit its operator is refused when the mock is edited; should one exist all the same, its condition
 * never holds.
 */
function testOf(rule: MatchCondition): OperatorTest {
  const test = compileOperator(rule.operator, expectedOf(rule), rule);
  return isOperatorTest(test) ? test : () => false;
}

/** The response marked default, else the first without conditions, else the first. */
function defaultIndex(responses: readonly MockResponse[]): number {
  const marked = responses.findIndex((response) => response.default);
  if (marked !== -1) return marked;
  return Math.max(
    0,
    responses.findIndex(({ rules }) => rules.length === 0),
  );
}

function sequential(count: number): Choose {
  return (view) => (view.requestNumber - 1) % count;
}

function weighted(responses: readonly MockResponse[], stream: number): Choose {
  const bounds: number[] = [];
  let total = 0;
  for (const { weight } of responses) bounds.push((total += Math.max(0, weight)));
  return (view) => {
    const draw = view.random(stream)();
    const index = bounds.findIndex((bound) => draw * total < bound);
    return Math.max(0, index);
  };
}
