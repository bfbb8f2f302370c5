/**
 * The interface of rule types: each rule type's file exports one `RuleKind`, with its members in this order.
 *
 * `normalise` converts both dialects into one shape, once; `apply` acts on an exchange; `explain` says why `apply` had
 * no effect.
 */
import type { PairObject } from '../../model/pairs/pair-kind.ts';
import type { CodeCall } from '../code-call.ts';
import type { Miss, Phase } from '../outcome.ts';
import type { Pattern } from '../pattern.ts';
import type { Stage } from '../stage.ts';

export interface RuleKind<Shape = unknown> {
  readonly phases: readonly Phase[];
  /**
   * Which of a rule's pairs act. `each`: every pair that matches the URL that the previous pair left. The others match
   * the URL as it was before the rule: all matching pairs, the first or the last of them.
   */
  readonly acting: 'each' | 'all' | 'first' | 'last';
  normalise(pair: PairObject): Shape;
  /** @returns Whether it changed anything. */
  apply(shape: Shape, stage: Stage): boolean;
  /** Why `apply` changed nothing. Called right after it. */
  explain(shape: Shape, stage: Stage): Miss;
  /** Whether a pair has an effect in a phase, for types with several phases. */
  concerns?(shape: Shape, phase: Phase): boolean;
  /** Whether a pair answers instead of the upstream, which is then not contacted. */
  isServed?(shape: Shape): boolean;
  /** Whether a pair puts another body in place of the upstream's. */
  replacesAnswer?(shape: Shape): boolean;
  /** Whether a pair serves a file of the server. */
  readsFile?(shape: Shape): boolean;
  /** The code of a pair; undefined of one without code. */
  codeOf?(shape: Shape): string | undefined;
  /** How its code is called, before `apply`. Undefined where it cannot be: `explain` says why. Only of pairs with code. */
  callOf?(shape: Shape, stage: Stage): Omit<CodeCall, 'ruleId' | 'source'> | undefined;
  /** Patterns of the pair besides those of its source, with the member that contains each. */
  patterns?(shape: Shape): readonly { readonly member: string; readonly pattern: Pattern }[];
}
