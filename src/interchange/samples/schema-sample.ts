/**
 * Examples for schemas of OpenAPI 3.0 and 3.1, Swagger 2 and JSON Schema: the same each time, as documentation shows them, and bounded
 * whatever the schema asks for. How a value is found is in `samples`.
 *
 * A sample without a problem fits its schema, but for properties that only requests have, which are left out.
 */
import { fits } from './fits.ts';
import type { Leaves } from './leaf.ts';
import { Cut, SampleRun, type Allowance, type Resolve } from './run.ts';
import { sampleValue } from './value.ts';

/** The same of all examples of an import: some seconds. The largest definition of a mock has 10 MB. */
export const IMPORT_SAMPLES_NODES_MAX = 2_000_000;
export const IMPORT_SAMPLES_CHARS_MAX = 20_000_000;
export const IMPORT_SAMPLES_STEPS_MAX = 5_000_000;

export interface Sample {
  /** null when nothing at all can be shown. */
  readonly value: unknown;
  /** Why it is not complete, or does not fit its schema: "the schema is nested too deeply". */
  readonly problem?: string;
  /** Sources of its parts, if requested. */
  readonly leaves?: Leaves;
}

/** Allowance that all samples of an import share. */
export class SampleBudget implements Allowance {
  nodes = IMPORT_SAMPLES_NODES_MAX;
  chars = IMPORT_SAMPLES_CHARS_MAX;
  steps = IMPORT_SAMPLES_STEPS_MAX;
  readonly patterns: Allowance['patterns'] = new Map();
  readonly names: Allowance['names'] = new WeakMap();
}

/**
 * @param resolve The schema that a reference names, or undefined. The same object each time: circles are recognised by it.
 * @param budget  One for all samples of an import.
 * @param keepsLeaves Whether lists show several items, and the sample says what its parts were made of.
 * @returns Never throws. The value may share parts with the schema: it must not be changed.
 */
export function sampleSchema(schema: unknown, resolve: Resolve, budget: SampleBudget, keepsLeaves = false): Sample {
  let reason = '';
  for (const lenient of [false, true]) {
    const leaves: Leaves | undefined = keepsLeaves ? new Map() : undefined;
    const run = new SampleRun(resolve, budget, lenient, leaves);
    const value = sampleValue(run, schema);
    if (!(value instanceof Cut) && run.problem === undefined) {
      if (!fits(run, schema, value)) run.problem = 'the sample does not fit its schema';
      else if (!run.step()) run.problem = 'the sample is too large to be tested against its schema';
    }
    run.settle();
    if (!(value instanceof Cut)) {
      if (run.problem !== undefined) return { value, problem: run.problem };
      return leaves === undefined ? { value } : { value, leaves };
    }
    ({ reason } = value);
  }
  return { value: null, problem: reason };
}
