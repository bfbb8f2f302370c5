/** For explain.ts: in which states responses answer, and which follow. The fast way is scenario-choice.ts. */
import { requiredStates, stepsOf } from '../../../model/mocks/behaviour/behaviour-checks.ts';
import type { StepVerdict } from '../../../model/mocks/show/explanation.ts';
import type {
  MockDefinition,
  MockResponse,
  MockRoute,
  ScenarioStep,
} from '../../../model/mocks/definition/definition.ts';

/** States by the scenario's name. */
export type StatesByName = Readonly<Record<string, string>>;

/** A scenario of a route, and its state before the request. */
export interface ScenarioState {
  readonly name: string;
  readonly states: readonly string[];
  readonly state: string;
}

/** @param given States that are not the initial ones; unknown ones are ignored. @returns Those that some response of the route names. */
export function scenariosOf(
  { settings: { scenarios = [] } }: MockDefinition,
  { responses }: MockRoute,
  given: StatesByName,
): ScenarioState[] {
  const named = new Set(responses.flatMap(({ scenario }) => stepsOf(scenario).map(({ name }) => name)));
  return scenarios
    .filter(({ name }) => named.has(name))
    .map(({ name, states, initial }) => {
      const other = Object.hasOwn(given, name) ? states.find((state) => state === given[name]) : undefined;
      return { name, states, state: other ?? initial ?? (states[0] as string) };
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

export function mayAnswer(response: MockResponse, scenarios: readonly ScenarioState[]): boolean {
  return stepsIn(response, scenarios).every(({ step, state }) => requiredStates(step)?.includes(state) ?? true);
}

export function describeSteps(
  response: MockResponse,
  scenarios: readonly ScenarioState[],
): { scenarios?: readonly StepVerdict[] } {
  const steps = stepsIn(response, scenarios).map(({ step, state }): StepVerdict => {
    const requires = requiredStates(step);
    return {
      name: step.name,
      state,
      ...(requires === undefined ? {} : { requires }),
      holds: requires?.includes(state) ?? true,
      ...(step.moveTo === undefined ? {} : { moveTo: step.moveTo }),
    };
  });
  return steps.length === 0 ? {} : { scenarios: steps };
}

/** @param sent The response that answers, if any. */
export function describeScenarios(
  scenarios: readonly ScenarioState[],
  sent: MockResponse | undefined,
): { scenarios?: readonly { name: string; before: string; after: string }[] } {
  if (scenarios.length === 0) return {};
  const steps = stepsOf(sent?.scenario);
  return {
    scenarios: scenarios.map(({ name, states, state }) => {
      const next = steps.find((step) => step.name === name)?.moveTo;
      return { name, before: state, after: next !== undefined && states.includes(next) ? next : state };
    }),
  };
}

/** Steps of scenarios that there are. */
function stepsIn(
  { scenario }: MockResponse,
  scenarios: readonly ScenarioState[],
): { readonly step: ScenarioStep; readonly state: string }[] {
  return stepsOf(scenario).flatMap((step) => {
    const known = scenarios.find(({ name }) => name === step.name);
    return known === undefined ? [] : [{ step, state: known.state }];
  });
}
