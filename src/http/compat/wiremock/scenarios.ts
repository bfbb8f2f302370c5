/** Scenarios of the session: their states, read and set. */
import type { JsonObject } from '../../../base/json-object.ts';
import { refuse, type Refusal } from '../../../errors.ts';
import type { ScenarioState } from '../../../model/mocks/behaviour/scenario-state.ts';
import type { Scenario } from '../../../model/mocks/definition/definition.ts';
import { unknownState } from '../../../model/mocks/behaviour/scenario-checks.ts';
import { scenariosOf, withState } from '../../api/mocks/scenarios.ts';
import { scopeFilter } from '../../api/mocks/traffic/traffic-scope.ts';
import { fail, type Failure } from './errors.ts';
import type { Answer, Operation, Question } from './question.ts';

export const SCENARIOS: readonly Operation[] = [
  { method: 'GET', path: '/scenarios', access: 'read', answer: list },
  { method: 'PUT', path: '/scenarios/:name/state', access: 'write', answer: set },
  { method: 'POST', path: '/scenarios/reset', access: 'write', answer: resetScenarios },
];

type Outcome = Answer | Failure | Refusal;

async function statesOf({ parts, scoped }: Question): Promise<readonly ScenarioState[] | undefined> {
  const states = await parts.states.scenarios(scoped.mock.id, scopeFilter(scoped));
  return states && scenariosOf(scoped).map((scenario) => withState(scenario, states));
}

async function list(question: Question): Promise<Outcome> {
  const states = await statesOf(question);
  if (states === undefined) return refuse('overloaded');
  const scenarios = states.map((scenario) => {
    const { name, state } = scenario;
    const mappings = stubsOf(question, name);
    return { id: name, name, state, possibleStates: possibleStates(scenario, mappings), mappings };
  });
  return { json: { scenarios } };
}

/** Without a state it is set to its first one. */
async function set(question: Question): Promise<Outcome> {
  const { params, body, scoped } = question;
  const [name = ''] = params;
  const scenario = scenariosOf(scoped).find((each) => each.name === name);
  if (scenario === undefined) return fail(404, `Scenario ${name} does not exist`);
  const state = body.state ?? scenario.initial ?? scenario.states[0];
  const shown = JSON.stringify(state);
  const states = possibleStates(scenario, stubsOf(question, name));
  if (typeof state !== 'string')
    return fail(422, `Scenario ${name} does not support state ${shown}`, 'it is a text', '/state');
  if (body.state !== undefined && !states.includes(state)) {
    const detail = unknownState(state, { ...scenario, states });
    return fail(422, `Scenario ${name} does not support state ${state}`, detail, '/state');
  }
  return move(question, [[name, state]]);
}

function stubsOf({ world }: Question, name: string): readonly JsonObject[] {
  return world.stubs.flatMap(({ source }) => (source.scenarioName === name ? [source] : []));
}

/** States that its stubs name, or all states of a scenario without stubs. */
function possibleStates({ states }: Scenario, stubs: readonly JsonObject[]): readonly string[] {
  if (stubs.length === 0) return states;
  const named = new Set(
    stubs.flatMap(({ requiredScenarioState, newScenarioState }) => [requiredScenarioState, newScenarioState]),
  );
  return states.filter((state) => named.has(state));
}

async function resetScenarios(question: Question): Promise<Outcome> {
  const states = await statesOf(question);
  if (states === undefined) return refuse('overloaded');
  return move(
    question,
    states.filter(({ state, initial }) => state !== initial).map(({ name, initial }) => [name, initial]),
  );
}

async function move(
  { parts, scoped }: Question,
  moves: readonly (readonly [name: string, state: string])[],
): Promise<Outcome> {
  for (const [name, state] of moves) {
    const moved = await parts.states.scenarios(scoped.mock.id, { ...scopeFilter(scoped), move: { name, state } });
    if (moved === undefined) return refuse('overloaded');
  }
  return {};
}
