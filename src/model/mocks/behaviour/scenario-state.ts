/** A scenario with the state that it has, as the API answers it. */
import { Type } from '../../schema-type.ts';
import type { Value } from '../../schema-value.ts';

export const scenarioStateSchema = Type.Object({
  name: Type.String(),
  state: Type.String({ description: 'Current state.' }),
  states: Type.Array(Type.String()),
  initial: Type.String({ description: 'Initial state, after a start, a save or a reset.' }),
});

export interface ScenarioState extends Value<typeof scenarioStateSchema> {}
