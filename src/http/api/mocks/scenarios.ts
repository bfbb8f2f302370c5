/** The states of a mock's scenarios, read and set: docs/mocks-matching.md, "Scenarios". They are of the data plane's memory: no command, no history. */
import { percentDecoded } from '../../../base/percent.ts';
import { refuse } from '../../../errors.ts';
import type { Scenario } from '../../../model/mocks/definition/definition.ts';
import { scenariosIn } from '../../../model/mocks/sessions/definition-in-session.ts';
import { unknownState } from '../../../model/mocks/behaviour/scenario-checks.ts';
import { scenarioStateSchema, type ScenarioState } from '../../../model/mocks/behaviour/scenario-state.ts';
import { Type } from '../../../model/schema-type.ts';
import { checkedBody } from '../../checked-reader.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf, type Subject } from '../operation.ts';
import { scopeFilter, type TrafficSubject, type TrafficScope } from './traffic/traffic-scope.ts';

/** The data plane; undefined when it does not answer in time, or has no such scenario, state or session. */
export interface MockStates {
  readonly scenarios: (
    mockId: string,
    of?: {
      readonly session?: string | undefined;
      readonly move?: { readonly name: string; readonly state: string };
    },
  ) => Promise<Readonly<Record<string, string>> | undefined>;
}

const BODY_BYTES_MAX = 4_096;

const stateBody = Type.Object(
  { state: Type.String({ description: 'One of the states of the scenario.' }) },
  { additionalProperties: false },
);

const body = checkedBody(stateBody, 'mockPayloadInvalid', BODY_BYTES_MAX, { State: { state: 'paid' } });

export function mockScenariosApi(scopes: readonly TrafficScope[], dataPlane: MockStates): Endpoint[] {
  return scopes.flatMap((scope) => scopedScenariosApi(scope, dataPlane));
}

function scopedScenariosApi(scope: TrafficScope, dataPlane: MockStates): Endpoint[] {
  const operation = operationsOf('Traffic', ofScenario(scope));

  /** Shows one scenario, after its move if there is one. */
  const showOne = async ({ scoped, scenario }: ScenarioSubject, state?: string): Promise<object> => {
    const move = state === undefined ? {} : { move: { name: scenario.name, state } };
    const states = await dataPlane.scenarios(scoped.mock.id, { ...scopeFilter(scoped), ...move });
    return states === undefined ? refuse('overloaded') : withState(scenario, states);
  };

  return [
    operationsOf('Traffic', scope)('listScenarios', 'GET /scenarios', {
      summary: `List the scenarios of a ${scope.kind}, with their current states`,
      list: scenarioStateSchema,
      async run(_call, { found }) {
        const states = await dataPlane.scenarios(found.mock.id, scopeFilter(found));
        return states === undefined ? refuse('overloaded') : scenariosOf(found).map((each) => withState(each, states));
      },
    }),
    operation('readScenario', 'GET', {
      summary: `Read one of the scenarios of a ${scope.kind}`,
      data: scenarioStateSchema,
      run: (_call, { found }) => showOne(found),
    }),
    operation('setScenario', 'PUT', {
      summary: `Set the state of one of the scenarios of a ${scope.kind}`,
      data: scenarioStateSchema,
      body,
      run(_call, { found, body: { state } }) {
        const { scenario } = found;
        return scenario.states.includes(state)
          ? showOne(found, state)
          : refuse('mockPayloadInvalid', [{ path: '/state', message: unknownState(state, scenario) }]);
      },
    }),
  ];
}

interface ScenarioSubject {
  readonly scoped: TrafficSubject;
  readonly scenario: Scenario;
}

/** The scenario that the last parameter of a path names, percent-encoded. */
function ofScenario({ path, suffix = '', enter }: TrafficScope): Subject<ScenarioSubject> {
  return {
    path: `${path}/scenarios/:name`,
    suffix,
    enter: (call, use) =>
      enter(call, (scoped) => {
        const name = percentDecoded(call.params.at(-1) ?? '');
        const scenario = scenariosOf(scoped).find((each) => each.name === name);
        return scenario === undefined ? call.refuse('scenarioNotFound') : use({ scoped, scenario });
      }),
  };
}

/** Scenarios of the served version, with those of the overlay of a session. */
export function scenariosOf({ mock: { saved }, live }: Pick<TrafficSubject, 'mock' | 'live'>): readonly Scenario[] {
  return live === undefined ? (saved.settings.scenarios ?? []) : scenariosIn(saved.settings, live.session.overlay);
}

/** @param known As the data plane has them. A scenario that a save has just brought is in its initial state. */
export function withState(scenario: Scenario, known: Readonly<Record<string, string>>): ScenarioState {
  const { name, states } = scenario;
  const [first = ''] = states;
  const initial = scenario.initial ?? first;
  const state = Object.hasOwn(known, name) ? (known[name] ?? initial) : initial;
  return { name, state, states, initial };
}
