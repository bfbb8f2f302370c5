/**
 * The scenarios of a route (docs/mocks-matching.md, "Scenarios"): which of its responses the states let answer, and the move to
 * the next state. Built when the mock is compiled, and only for routes that have a part in a scenario.
 *
 * Choosing and moving is one step, exact across threads: the states are read, a response is chosen by them, and its move
 * is a compare-and-exchange from the state that was read. When another request has moved that state in the meantime, the
 * choice is made again. The conditions of a response are evaluated once per request all the same: else a request with slow
 * conditions would lose to fast ones again and again, and use up its budget.
 */
import { requiredStates, stepsOf } from '../../../model/mocks/behaviour/behaviour-checks.ts';
import type { MockResponse, MockRoute, MockSettings, Scenario } from '../../../model/mocks/definition/definition.ts';
import type { Choose, Predicate } from './choose-response.ts';
import type { RequestView } from '../request/request-view.ts';
import { NO_CHOICE } from './condition-groups.ts';

/** A response's part in one scenario. */
interface Step {
  /** Index of the scenario among those of the route. */
  readonly slot: number;
  /** By state: whether the response answers in it; undefined: in every one. */
  readonly allowed: readonly boolean[] | undefined;
  /** The index of the next state; undefined: it stays. */
  readonly to: number | undefined;
}

/** Result of a response's conditions for the current request. */
const UNKNOWN = 0;
const HELD = 1;
const FAILED = 2;

/**
 * @param choose How it chooses where conditions do not.
 * @returns undefined for a route without a part in a scenario. Steps of scenarios that there are not are left out.
 */
export function compileScenarios(
  route: MockRoute,
  { scenarios = [] }: MockSettings,
  choose: () => Choose,
  conditionsOf: (response: MockResponse) => Predicate,
): ScenarioChoice | undefined {
  if (scenarios.length === 0) return undefined;
  const used: number[] = [];
  const steps = route.responses.map(({ scenario }) =>
    stepsOf(scenario)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap((step): Step[] => {
        const word = scenarios.findIndex(({ name }) => name === step.name);
        if (word === -1) return [];
        if (!used.includes(word)) used.push(word);
        const { states } = scenarios[word] as Scenario;
        const required = requiredStates(step);
        const to = step.moveTo === undefined ? -1 : states.indexOf(step.moveTo);
        const allowed = required === undefined ? undefined : states.map((state) => required.includes(state));
        return [{ slot: used.indexOf(word), allowed, to: to === -1 ? undefined : to }];
      }),
  );
  if (used.length === 0) return undefined;
  const chosen = { route, steps, words: used, scenarios: used.map((word) => scenarios[word] as Scenario) };
  if (route.selection !== 'rules') return new ScenarioChoice(chosen, choose(), [], []);
  if (route.otherwise === 'next') {
    // A required state counts like a condition: in the order of the list.
    const inOrder = route.responses.map((response, index) => {
      if (response.rules.length > 0) return conditionsOf(response);
      return steps[index]?.some(({ allowed }) => allowed !== undefined) === true ? always : undefined;
    });
    return new ScenarioChoice(chosen, undefined, inOrder, []);
  }
  // The conditions of a single response decide nothing.
  const isRuled = ({ rules }: MockResponse): boolean => rules.length > 0 && route.responses.length > 1;
  const conditions = route.responses.map((response) => (isRuled(response) ? conditionsOf(response) : undefined));
  return new ScenarioChoice(chosen, undefined, conditions, inOrderOfFallback(route.responses));
}

const always: Predicate = () => true;

interface CompiledSteps {
  readonly route: MockRoute;
  /** For each response, in the order of the scenarios' names. */
  readonly steps: readonly (readonly Step[])[];
  /** Indexes of the route's scenarios in the mock's state. */
  readonly words: readonly number[];
  readonly scenarios: readonly Scenario[];
}

export class ScenarioChoice {
  readonly #steps: CompiledSteps['steps'];
  readonly #words: readonly number[];
  readonly #scenarios: readonly Scenario[];
  readonly #name: string;
  /** Undefined: conditions choose. */
  readonly #choose: Choose | undefined;
  readonly #conditions: readonly (Predicate | undefined)[];
  /** Indexes of responses: what answers when no conditions hold, the first that may. */
  readonly #fallbacks: readonly number[];
  /** The states as `look` read them. This and the next are of the request in hand: it is answered in one go. */
  readonly #seen: Int32Array;
  readonly #verdicts: Uint8Array;

  constructor(
    { route, steps, words, scenarios }: CompiledSteps,
    choose: Choose | undefined,
    conditions: readonly (Predicate | undefined)[],
    fallbacks: readonly number[],
  ) {
    this.#steps = steps;
    this.#words = words;
    this.#scenarios = scenarios;
    this.#name = `${route.method} ${route.path}`;
    this.#choose = choose;
    this.#conditions = conditions;
    this.#fallbacks = fallbacks;
    this.#seen = new Int32Array(words.length);
    this.#verdicts = new Uint8Array(conditions.length);
  }

  /** Begins with another request. */
  begin(): void {
    this.#verdicts.fill(UNKNOWN);
  }

  /** Reads the states. @param state The words of the mock or the session. */
  readStates(state: Int32Array): void {
    for (let slot = 0; slot < this.#words.length; slot++) {
      this.#seen[slot] = Atomics.load(state, this.#words[slot] as number);
    }
  }

  /** @returns The index of the response for the states that were read; NO_CHOICE when none may answer. */
  choose(view: RequestView): number {
    if (this.#choose !== undefined) return this.#choose(view);
    for (let index = 0; index < this.#conditions.length; index++) {
      if (this.#conditions[index] !== undefined && this.#mayAnswer(index) && this.#holds(index, view)) return index;
    }
    for (const index of this.#fallbacks) if (this.#mayAnswer(index)) return index;
    return NO_CHOICE;
  }

  /**
   * Makes the moves of a response, one after the other in the order of the scenarios' names.
   *
   * @returns false when nothing was moved, since a state is no longer the one that was read: choose again. Once one is
   * moved, the others follow, except where the response may not answer any more.
   */
  move(index: number, state: Int32Array): boolean {
    let hasMoved = false;
    for (const { slot, allowed, to } of this.#steps[index] as readonly Step[]) {
      if (to === undefined) continue;
      const word = this.#words[slot] as number;
      let from = this.#seen[slot] as number;
      while (from !== to) {
        const found = Atomics.compareExchange(state, word, from, to);
        if (found === from) break;
        if (!hasMoved) return false;
        if (allowed?.[found] === false) break;
        from = found;
      }
      hasMoved = true;
    }
    return true;
  }

  /** Why no response answers, for the states that were read. */
  problem(): string {
    return noAnswer(
      this.#name,
      this.#scenarios.map(({ name, states }, slot) => [name, states[this.#seen[slot] as number] as string]),
    );
  }

  #mayAnswer(index: number): boolean {
    for (const { slot, allowed } of this.#steps[index] as readonly Step[]) {
      if (allowed !== undefined && allowed[this.#seen[slot] as number] !== true) return false;
    }
    return true;
  }

  #holds(index: number, view: RequestView): boolean {
    if (this.#verdicts[index] === UNKNOWN) {
      this.#verdicts[index] = (this.#conditions[index] as Predicate)(view) ? HELD : FAILED;
    }
    return this.#verdicts[index] === HELD;
  }
}

/** @param states Names of scenarios with their states. */
export function noAnswer(route: string, states: readonly (readonly [scenario: string, state: string])[]): string {
  const named = states
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([scenario, state]) => `state ${JSON.stringify(state)} of scenario ${JSON.stringify(scenario)}`);
  return `${route} has no response for ${named.join(' and ')}`;
}

/** The one marked default, else the first without conditions, else the first: of those that may answer. */
function inOrderOfFallback(responses: readonly MockResponse[]): number[] {
  const all = responses.map((response, index) => ({ response, index }));
  const ordered = [
    ...all.filter(({ response }) => response.default),
    ...all.filter(({ response }) => response.rules.length === 0),
    ...all,
  ];
  return [...new Set(ordered.map(({ index }) => index))];
}
