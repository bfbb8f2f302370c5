/** Requirements of several schemas together, as merged.ts collects them, and the values that follow from a type alone. */

export interface MergedSchema {
  /** undefined: any. */
  types: readonly string[] | undefined;
  /** Values that `enum` and `const` leave. */
  values: readonly unknown[] | undefined;
  format: string | undefined;
  readonly patterns: string[];
  minLength: number;
  maxLength: number;
  min: number;
  max: number;
  isMinOpen: boolean;
  isMaxOpen: boolean;
  steps: number[];
  readonly properties: Map<string, unknown>;
  readonly namePatterns: (readonly [pattern: string, schema: unknown])[];
  readonly required: Set<string>;
  /** The names that `additionalProperties: false` leaves. */
  names: ReadonlySet<string> | undefined;
  additional: unknown;
  propertyNames: unknown;
  minProperties: number;
  maxProperties: number;
  prefix: readonly unknown[];
  items: unknown;
  contains: unknown;
  minItems: number;
  maxItems: number;
  isUnique: boolean;
}

/** Value that follows from its type alone: a text, a number, a flag or one of several values. */
export interface Leaf {
  readonly merged: MergedSchema;
  readonly type: string;
  /** One of which it is. */
  readonly values?: readonly unknown[];
  /** Whether its author states the value. */
  readonly isStated?: true;
}

/** The leaves of objects and arrays, by the name or index of each. */
export type Leaves = Map<object, Map<string, Leaf>>;
