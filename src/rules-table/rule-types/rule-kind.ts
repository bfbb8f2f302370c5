/**
 * What each rule type's file says: every file beside this one exports one `RuleKind` with its members in the same order.
 *
 * `normalise` reads both dialects into one shape, once; `apply` acts on an exchange; `explain` says why it did not.
 */
import type { PairObject } from '../../model/pairs/pair-kind.ts';
import type { Miss, Phase } from '../outcome.ts';
import type { Pattern } from '../pattern.ts';
import type { Stage } from '../stage.ts';

export interface RuleKind<Shape = unknown> {
  readonly phases: readonly Phase[];
  /** Which of a rule's pairs act: each that fits the result of the one before, or of those that fit what there was. */
  readonly acting: 'each' | 'all' | 'first' | 'last';
  normalise(pair: PairObject): Shape;
  /** @returns Whether it changed anything. */
  apply(shape: Shape, stage: Stage): boolean;
  /** Why `apply` changed nothing, asked right after it. */
  explain(shape: Shape, stage: Stage): Miss;
  /** Whether a pair has anything to do in a phase, where a type has several. */
  concerns?(shape: Shape, phase: Phase): boolean;
  /** Whether a pair answers in the place of the upstream, which is then not asked. */
  isServed?(shape: Shape): boolean;
  /** Patterns of its own, beside those of its source, by the member that they stand in. */
  patterns?(shape: Shape): readonly { readonly member: string; readonly pattern: Pattern }[];
}
