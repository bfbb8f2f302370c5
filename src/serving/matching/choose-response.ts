/**
 * Chooses among a route's responses: mocks.md, "Behaviour". One function per selection, made when the mock is compiled.
 */
import { seededDraw } from '../../base/seeded-draw.ts';
import type { MatchRule, MockResponse, MockRoute } from '../../model/mocks/definition.ts';
import { ruleInstructions } from '../../model/mocks/edit-checks.ts';
import { COMPILE_WORK_PER_INSTRUCTION } from '../../model/mocks/linear-pattern.ts';
import { compileOperator, HEAVY_OPERATORS, isOperatorTest, type OperatorTest } from '../../model/mocks/operators.ts';
import { RULES_COMPILED_EARLY_MAX } from '../../limits.ts';
import type { RequestView } from './request-view.ts';
import { compileTarget } from './rule-target.ts';

/** @returns The index of the response. When the view's budget is used up, any. */
export type Choose = (view: RequestView) => number;

/** Whether something holds for a request. */
type Predicate = (view: RequestView) => boolean;

/** The index of the response when the request cannot change it, else undefined. */
export function onlyChoice({ selection, responses }: MockRoute): number | undefined {
  if (responses.length === 1) return 0;
  if (selection === 'default') return defaultIndex(responses);
  if (selection === 'rules' && responses.every(({ rules }) => rules.length === 0)) return defaultIndex(responses);
  return undefined;
}

/** Makes choosers for the routes of one mock. */
export class ChooserCompiler {
  readonly #seed: number | null;
  #compiledEarly = 0;

  constructor(seed: number | null) {
    this.#seed = seed;
  }

  compile(route: MockRoute, index: number): Choose {
    const only = onlyChoice(route);
    if (only !== undefined) return () => only;
    switch (route.selection) {
      case 'sequential':
        return sequential(route.responses.length);
      case 'random':
        return weighted(route.responses, index, this.#seed);
      default:
        return this.#byRules(route.responses);
    }
  }

  #byRules(responses: readonly MockResponse[]): Choose {
    const fallback = defaultIndex(responses);
    const candidates = responses
      .map((response, index) => ({ index, holds: this.#allRules(response) }))
      .filter(({ index }) => (responses[index] as MockResponse).rules.length > 0);
    return (view) => {
      for (const candidate of candidates) if (candidate.holds(view)) return candidate.index;
      return fallback;
    };
  }

  #allRules({ rules, rulesOperator }: MockResponse): Predicate {
    const predicates = rules.map((rule) => this.#rule(rule));
    const [first] = predicates;
    if (predicates.length === 1 && first !== undefined) return first;
    return rulesOperator === 'AND'
      ? (view) => predicates.every((holds) => holds(view))
      : (view) => predicates.some((holds) => holds(view));
  }

  #rule(rule: MatchRule): Predicate {
    const { target, property, operator, value, invert } = rule;
    const values = compileTarget(target, property, operator);
    let test: OperatorTest | undefined;
    const isHeavy = HEAVY_OPERATORS.has(operator);
    if (!isHeavy || this.#compiledEarly < RULES_COMPILED_EARLY_MAX) test = testOf(operator, value);
    if (isHeavy) this.#compiledEarly++;
    return (view) => {
      if (view.work < 0) return false;
      if (test === undefined) {
        view.work -= ruleInstructions(rule) * COMPILE_WORK_PER_INSTRUCTION;
        test = testOf(operator, value);
      }
      return test(values(view), view) !== invert;
    };
  }
}

/** A value that does not fit its operator was refused at the edit; one that slipped in never holds. */
function testOf(operator: MatchRule['operator'], value: string): OperatorTest {
  const test = compileOperator(operator, value);
  return isOperatorTest(test) ? test : () => false;
}

/** The response marked default, else the first without rules, else the first. */
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

function weighted(responses: readonly MockResponse[], routeIndex: number, seed: number | null): Choose {
  const bounds: number[] = [];
  let total = 0;
  for (const { weight } of responses) bounds.push((total += Math.max(0, weight)));
  return (view) => {
    const draw = seed === null ? Math.random() : seededDraw(seed, routeIndex, view.requestNumber);
    const index = bounds.findIndex((bound) => draw * total < bound);
    return Math.max(0, index);
  };
}
