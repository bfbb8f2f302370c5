/** The states of a mock's scenarios, read and set: docs/mocks-matching.md, "Scenarios". They are of the data plane's memory: no command, no history. */
import { percentDecoded } from '../../../base/percent.ts';
import type { Static } from 'typebox';
import { isRefusal, refuse } from '../../../errors.ts';
import type { Scenario } from '../../../model/mocks/definition/definition.ts';
import { scenariosIn } from '../../../model/mocks/sessions/definition-in-session.ts';
import { unknownState } from '../../../model/mocks/behaviour/scenario-checks.ts';
import { scenarioStateSchema, type ScenarioState } from '../../../model/mocks/behaviour/scenario-state.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import { checkedReader } from '../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { scopeFilter, type Scoped, type TrafficScope } from './traffic/traffic-scope.ts';

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

export function mockScenariosApi(scopes: readonly TrafficScope[], dataPlane: MockStates): Endpoint[] {
  return scopes.flatMap((scope) => scopedScenariosApi(scope, dataPlane));
}

function scopedScenariosApi({ kind, path, suffix, refusals, enter }: TrafficScope, dataPlane: MockStates): Endpoint[] {
  const summary = `of a ${kind}`;
  const body: EndpointBody<Static<typeof stateBody>> = {
    schema: stateBody,
    examples: { State: { state: 'paid' } },
    bytesMax: BODY_BYTES_MAX,
    invalid: 'mockPayloadInvalid',
    read: checkedReader(stateBody, 'mockPayloadInvalid'),
  };
  const one = {
    answer: Type.Object({ data: scenarioStateSchema }),
    tag: 'Traffic',
    untagged: true as const,
  };

  /** Answers with one scenario, after its move if there is one. */
  const answerOne = async (call: Call, scoped: Scoped, scenario: Scenario, state?: string): Promise<void> => {
    const move = state === undefined ? {} : { move: { name: scenario.name, state } };
    const states = await dataPlane.scenarios(scoped.mock.id, { ...scopeFilter(scoped), ...move });
    if (states === undefined) return call.refuse('overloaded');
    return call.succeed(`"data":${JSON.stringify(withState(scenario, states))}`);
  };

  return [
    endpoint({
      method: 'GET',
      path: `${path}/scenarios`,
      access: 'read',
      doc: {
        operationId: `listScenarios${suffix}`,
        tag: 'Traffic',
        summary: `List the scenarios of a ${kind}, with their current states`,
        answer: Type.Object({ data: Type.Array(scenarioStateSchema) }),
        refusals,
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const states = await dataPlane.scenarios(scoped.mock.id, scopeFilter(scoped));
          if (states === undefined) return call.refuse('overloaded');
          const json = JSON.stringify(scenariosOf(scoped).map((each) => withState(each, states)));
          return call.answer(json.length, () => call.succeed(`"data":${json}`));
        }),
    }),
    endpoint({
      method: 'GET',
      path: `${path}/scenarios/:name`,
      access: 'read',
      doc: {
        ...one,
        operationId: `readScenario${suffix}`,
        summary: `Read one of the scenarios ${summary}`,
        refusals: [...refusals, 'scenarioNotFound'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const scenario = namedIn(scoped, call);
          return scenario === undefined ? call.refuse('scenarioNotFound') : answerOne(call, scoped, scenario);
        }),
    }),
    endpoint({
      method: 'PUT',
      path: `${path}/scenarios/:name`,
      access: 'write',
      doc: {
        ...one,
        operationId: `setScenario${suffix}`,
        summary: `Set the state of one of the scenarios ${summary}`,
        refusals: [...refusals, 'scenarioNotFound', 'mockPayloadInvalid'],
      },
      body,
      handle: (call, asked) =>
        enter(call, async (scoped) => {
          const scenario = namedIn(scoped, call);
          if (scenario === undefined) return call.refuse('scenarioNotFound');
          if (isRefusal(asked)) return call.refuse(asked);
          const { state } = asked;
          if (!scenario.states.includes(state)) {
            return call.refuse(
              refuse('mockPayloadInvalid', [{ path: '/state', message: unknownState(state, scenario) }]),
            );
          }
          return answerOne(call, scoped, scenario, state);
        }),
    }),
  ];
}

/** Scenarios of the served version, with those of the overlay of a session. */
export function scenariosOf({ mock: { saved }, live }: Pick<Scoped, 'mock' | 'live'>): readonly Scenario[] {
  return live === undefined ? (saved.settings.scenarios ?? []) : scenariosIn(saved.settings, live.session.overlay);
}

/** The scenario that the last parameter names, percent-encoded. */
function namedIn(scoped: Scoped, { params }: Call): Scenario | undefined {
  const name = percentDecoded(params.at(-1) ?? '');
  return scenariosOf(scoped).find((each) => each.name === name);
}

/** @param known As the data plane has them. A scenario that a save has just brought is in its initial state. */
export function withState(scenario: Scenario, known: Readonly<Record<string, string>>): ScenarioState {
  const { name, states } = scenario;
  const [first = ''] = states;
  const initial = scenario.initial ?? first;
  const state = Object.hasOwn(known, name) ? (known[name] ?? initial) : initial;
  return { name, state, states, initial };
}
