/** Likely mistakes in scenarios: for warnings.ts, which says how much one answer may examine. */
import { requiredStates, stepsOf } from './behaviour-checks.ts';
import type { MockResponse, MockRoute, MockSettings, ScenarioStep } from '../definition/definition.ts';
import type { WorkBudget } from '../../../languages/work-budget.ts';

/** Work of a response, and of a state of a scenario in it. */
const ITEM_WORK = 5;

/** Like those of warnings.ts. */
interface ScenarioWarning {
  readonly routeId?: string;
  readonly responseId?: string;
  readonly warning: string;
}

/** @param routes Those that are enabled. */
export function scenarioWarnings(
  routes: readonly MockRoute[],
  { scenarios = [] }: MockSettings,
  budget: WorkBudget,
): ScenarioWarning[] {
  if (scenarios.length === 0) return [];
  const warnings: ScenarioWarning[] = [];
  /** By scenario: the states that some response moves to, and what requires the others. */
  const reached = new Map(scenarios.map(({ name, states, initial = states[0] }) => [name, new Set([initial])]));
  const required = new Map(scenarios.map(({ name }) => [name, new Map<string, Where>()]));
  const used = new Set<string>();
  for (const route of routes) {
    if (budget.work <= 0) return warnings;
    for (const { response, step } of stepsIn(route, budget)) {
      used.add(step.name);
      if (step.moveTo !== undefined) reached.get(step.name)?.add(step.moveTo);
      for (const state of requiredStates(step) ?? []) {
        const first = required.get(step.name);
        if (first?.has(state) === false) first.set(state, { routeId: route.id, responseId: response.id });
      }
    }
    for (const { name, states } of scenarios) {
      const without = statesWithoutAnswer(route, name, states, budget);
      if (without.length === 0) continue;
      const said = without.map((state) => JSON.stringify(state)).join(', ');
      const warning = `has no answer in the ${without.length === 1 ? 'state' : 'states'} ${said} of scenario ${JSON.stringify(name)}: requests get 404`;
      warnings.push({ routeId: route.id, warning });
    }
  }
  for (const { name, states } of scenarios) {
    if (!used.has(name)) {
      warnings.push({ warning: `have the scenario ${JSON.stringify(name)}, which no response names` });
      continue;
    }
    for (const state of states.filter((each) => reached.get(name)?.has(each) === false)) {
      const said = `the state ${JSON.stringify(state)} of scenario ${JSON.stringify(name)}, which no response leads to`;
      const where = required.get(name)?.get(state);
      warnings.push(where === undefined ? { warning: `have ${said}` } : { ...where, warning: `requires ${said}` });
    }
  }
  return warnings;
}

interface Where {
  readonly routeId: string;
  readonly responseId: string;
}

function stepsIn({ responses }: MockRoute, budget: WorkBudget): { response: MockResponse; step: ScenarioStep }[] {
  budget.work -= ITEM_WORK * responses.length;
  return responses.flatMap((response) => stepsOf(response.scenario).map((step) => ({ response, step })));
}

/** The states in which each response requires another one, whatever the other scenarios are in. */
function statesWithoutAnswer(
  { selection, responses }: MockRoute,
  name: string,
  states: readonly string[],
  budget: WorkBudget,
): readonly string[] {
  if (selection !== 'rules') return NONE;
  const answered = new Set<string>();
  for (const { scenario } of responses) {
    const step = stepsOf(scenario).find((each) => each.name === name);
    const required = step === undefined ? undefined : requiredStates(step);
    if (required === undefined) return NONE;
    for (const state of required) answered.add(state);
    budget.work -= ITEM_WORK * required.length;
  }
  return states.filter((state) => !answered.has(state));
}

const NONE: readonly string[] = [];

/** Whether `one` answers in every state in which `other` does. */
export function answersWherever(one: MockResponse, other: MockResponse): boolean {
  const others = stepsOf(other.scenario);
  return stepsOf(one.scenario).every((step) => {
    const allowed = requiredStates(step);
    if (allowed === undefined) return true;
    const same = others.find(({ name }) => name === step.name);
    const asked = same === undefined ? undefined : requiredStates(same);
    return asked?.every((state) => allowed.includes(state)) === true;
  });
}
