/** A JSONPath of Jayway, the library of WireMock and MockServer, as a tree. parse-jayway.ts makes it, jayway-path.ts follows it. */
import type { LinearPattern } from '../linear-pattern.ts';

export type Step =
  /** Several as the last step are one object of them. */
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'indexes'; readonly indexes: readonly number[] }
  | { readonly kind: 'slice'; readonly from: number | undefined; readonly to: number | undefined }
  | { readonly kind: 'all' | 'scan' }
  | { readonly kind: 'filter'; readonly test: Test }
  | { readonly kind: 'call'; readonly name: FunctionName };

export const FUNCTIONS = ['length', 'size', 'keys', 'min', 'max', 'sum', 'avg', 'stddev'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

export interface JaywayTree {
  /** Whether it begins at the document ("$"), or at the value that a filter tests ("@"). */
  readonly isRoot: boolean;
  readonly steps: readonly Step[];
}

export type Test =
  | { readonly kind: 'and' | 'or'; readonly tests: readonly Test[] }
  | { readonly kind: 'not'; readonly test: Test }
  | { readonly kind: 'exists'; readonly path: JaywayTree; readonly isWanted: boolean }
  | { readonly kind: 'compare'; readonly sign: Sign; readonly left: Operand; readonly right: Operand };

const SIGNS = ['==', '===', '!=', '!==', '<', '<=', '>', '>=', '=~'] as const;
/** `all` is left out: the library never takes a list that is written. */
const WORDS = ['in', 'nin', 'contains', 'size', 'empty', 'subsetof', 'anyof', 'noneof'] as const;
export type Sign = (typeof SIGNS)[number] | (typeof WORDS)[number];
export const ALL_SIGNS: ReadonlySet<string> = new Set([...SIGNS, ...WORDS]);

export type Operand =
  | { readonly kind: 'path'; readonly path: JaywayTree }
  | { readonly kind: 'pattern'; readonly pattern: LinearPattern }
  /** A number that a double does not keep is a marked text (json-text.ts). */
  | { readonly kind: 'value'; readonly value: unknown };

/** Whether a step leads to one value at most. */
export function isDefiniteStep(step: Step, isLast: boolean): boolean {
  if (step.kind === 'names') return step.names.length === 1 || isLast;
  return step.kind === 'call' || (step.kind === 'indexes' && step.indexes.length === 1);
}
