/** The explanation of a dry run as the server writes it: docs/mocks.md, `try`. */
import type { TryAnswer } from '../../../client/shapes.ts';
import type { Delivery, FaultKind, MatchRule, RateLimit } from '../../../model/mocks/definition.ts';

export interface Explanation {
  /** Why the mock would answer 500. */
  readonly problem?: string;
  /** Why the mock would answer 404 although a route matches. */
  readonly miss?: string;
  readonly isPreflight: boolean;
  readonly candidates: readonly Candidate[];
  /** Before the answer. With `isChance` another request gets another. */
  readonly latency?: { readonly ms: number; readonly isChance: boolean } | null;
  /** In the order in which they are tried. */
  readonly faults?: readonly {
    readonly kind: FaultKind;
    readonly of: 'settings' | 'response';
    /** From 0 to 1. */
    readonly chance: number;
    readonly reason: string;
  }[];
  readonly delivery?: Delivery;
  readonly scenarios?: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly rateLimit?: RateLimit | null;
  /** Routes that match and handed the request on. */
  readonly passedOn?: readonly Pick<NearRoute, 'routeId' | 'method' | 'path'>[];
  /** On a miss: the routes that came nearest, and what kept each from matching. */
  readonly nearest: readonly NearRoute[];
}

export interface Candidate {
  readonly responseId: string;
  readonly label: string;
  /** undefined: it has no rules. */
  readonly holds?: boolean;
  readonly rulesOperator: 'AND' | 'OR';
  readonly rules: readonly Verdict[];
}

export type Verdict =
  | {
      readonly rule: MatchRule;
      readonly holds: boolean;
      readonly expected: string;
      readonly actual: readonly string[];
    }
  | { readonly group: 'all' | 'any' | 'not'; readonly holds: boolean; readonly rules: readonly Verdict[] };

export interface NearRoute {
  readonly routeId: string;
  readonly method: string;
  readonly path: string;
  readonly problems: readonly string[];
}

export const explanationOf = ({ explanation }: TryAnswer): Explanation => explanation as unknown as Explanation;
