/** Types that the JSON Schema compiler and its keywords share. */
import type { LinearPattern } from './linear-pattern.ts';
import type { WorkBudget } from './work-budget.ts';

/** State of one validation. */
export interface SchemaRun {
  readonly budget: WorkBudget;
  /** Count of references currently being followed. */
  references: number;
}

export type SchemaCheck = (value: unknown, run: SchemaRun) => boolean;

export interface SchemaCompiler {
  /** @throws SchemaProblem */
  compile(schema: unknown, path: string): SchemaCheck;
  /** @throws SchemaProblem */
  reference(ref: string, path: string): SchemaCheck;
  /** @throws SchemaProblem */
  pattern(source: string, path: string): LinearPattern;
}

/** The fault of a schema, in terms that a person can act on. Thrown within the compiler only. */
export class SchemaProblem extends Error {}
