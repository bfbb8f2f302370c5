/** Reasons of an answer of a mock, as a dry run shows them: each condition, each fault, and the routes that came closest. */
import type { Delivery } from '../behaviour/behaviour-schema.ts';
import type { MatchCondition } from '../definition/condition-schema.ts';
import type { GroupKind } from '../definition/conditions.ts';
import type { FaultKind, RateLimit } from '../definition/definition.ts';

interface ConditionVerdict {
  readonly rule: MatchCondition;
  readonly holds: boolean;
  /** "equals admin", "not equals admin" */
  readonly expected: string;
  /** The values of the target in the request, each cut to EXPLAINED_CHARS_MAX; empty when it is missing. */
  readonly actual: readonly string[];
}

export interface GroupVerdict {
  readonly group: GroupKind;
  readonly holds: boolean;
  /** The part that came closest, from 1: only for `anyPart`, where there is a part. */
  readonly part?: number;
  readonly rules: readonly Verdict[];
}

export type Verdict = ConditionVerdict | GroupVerdict;

/** A response's part in one scenario. */
export interface StepVerdict {
  readonly name: string;
  /** Before this request. */
  readonly state: string;
  /** Absent: it answers in every state. */
  readonly requires?: readonly string[];
  /** The scenario is in one of these states. */
  readonly holds: boolean;
  readonly moveTo?: string;
}

export interface CandidateVerdict {
  readonly responseId: string;
  readonly label: string;
  /** Undefined for a response without conditions. */
  readonly holds?: boolean | undefined;
  readonly rulesOperator: 'AND' | 'OR';
  readonly rules: readonly Verdict[];
  /** Absent for a response without a part in a scenario. */
  readonly scenarios?: readonly StepVerdict[];
}

interface FaultVerdict {
  readonly kind: FaultKind;
  /** Place of the definition. */
  readonly of: 'settings' | 'response';
  /** That it strikes this request, from 0 to 1: a fault strikes only where none before it does. With a seed 0 or 1. */
  readonly chance: number;
  readonly reason: string;
}

export interface FaultReport {
  /** In the order in which they are tried. Absent without any, like the next. */
  readonly faults?: readonly FaultVerdict[];
  /** Delivery of the body when no fault strikes. */
  readonly delivery?: Delivery;
}

/** Whether a page may read the answer. */
interface CorsVerdict {
  readonly origin: string;
  readonly allowed: boolean;
  /** It may send cookies, too. */
  readonly credentials: boolean;
  readonly reason: string;
}

/** A route that did not match. */
export interface NearRoute {
  readonly routeId: string;
  readonly method: string;
  readonly path: string;
  /** Why it does not match: at least one reason. */
  readonly problems: readonly string[];
}

/** A route that matches, none of whose responses answers. */
export interface PassedOn extends Pick<NearRoute, 'routeId' | 'method' | 'path'> {
  readonly candidates: readonly CandidateVerdict[];
}

export interface Reasons extends FaultReport {
  /** That an upstream would answer, and what it would be asked: "would be sent on to https://…". There is no response then. */
  readonly sentOn?: string;
  /** Why the mock answers 500 instead. */
  readonly problem?: string | undefined;
  /** Why the mock answers 404 although a route matches: none of its responses may answer in this state. Absent otherwise. */
  readonly miss?: string;
  /** The scenarios of the route, with the state before and after this answer. Absent for a route without any. */
  readonly scenarios?: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  /**
   * Milliseconds before the answer, of the mock and the response together. Drawn by chance where `isChance`: another request
   * gets another. Undefined without a response.
   */
  readonly latency?: { readonly ms: number; readonly isChance: boolean } | undefined;
  /** Whether a page of the request's origin may read the answer. Absent for a request without an origin. */
  readonly cors?: CorsVerdict | undefined;
  /** Why the setting `clientCert` refuses the request; null where it passes. Absent without the setting. */
  readonly clientCert?: string | null;
  /** The mock answers the preflight itself. */
  readonly isPreflight: boolean;
  /**
   * Each response of the route; empty on a miss. Conditions are shown with every selection, although only `rules` evaluates
   * them.
   */
  readonly candidates: readonly CandidateVerdict[];
  /** Routes that match and handed the request on, in the order in which they were asked. Absent where there are none of them. */
  readonly passedOn?: readonly PassedOn[];
  /** On a miss. */
  readonly nearest: readonly NearRoute[];
  /** The mock's rate limit, with its defaults; undefined without one. Whether it lets the request pass is not said, and nothing is taken. */
  readonly rateLimit?: RateLimit | undefined;
}
