/**
 * The definition of a mock: its settings and routes, with their responses and rules. docs/mocks.md.
 *
 * Plain data: it is stored, diffed, sent to the data plane and compiled there. All defaults are filled in.
 */

export const METHOD_ANY = 'ANY';

export const SELECTIONS = ['rules', 'sequential', 'random', 'default'] as const;
export type Selection = (typeof SELECTIONS)[number];

export const RULE_TARGETS = ['query', 'header', 'body', 'cookie', 'urlParam'] as const;
export type RuleTarget = (typeof RULE_TARGETS)[number];

export const RULE_OPERATORS = [
  'equals',
  'contains',
  'startsWith',
  'endsWith',
  'regex',
  'exists',
  'empty',
  'arrayIncludes',
  'gt',
  'gte',
  'lt',
  'lte',
  'jsonSchema',
] as const;
export type RuleOperator = (typeof RULE_OPERATORS)[number];

export const PRECEDENCES = ['specific', 'listed'] as const;
export type Precedence = (typeof PRECEDENCES)[number];

/** Milliseconds: fixed, or uniformly random from `min` to `max`. */
export type Latency = number | { readonly min: number; readonly max: number };

export interface MatchRule {
  readonly target: RuleTarget;
  /** For `body`: a dot path into JSON or form fields, a JSONPath when it starts with "$", the raw text when empty. */
  readonly property: string;
  readonly operator: RuleOperator;
  /** For `jsonSchema`, the schema as JSON text. */
  readonly value: string;
  readonly invert: boolean;
}

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

export interface MockResponse {
  readonly id: string;
  readonly label: string;
  /** 200 to 599. */
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  readonly bodyEncoding: 'text' | 'base64';
  readonly latency: Latency;
  readonly default: boolean;
  readonly rules: readonly MatchRule[];
  readonly rulesOperator: 'AND' | 'OR';
  readonly templated: boolean;
  /** For selection `random`: above 0 in at least one response of the route. */
  readonly weight: number;
}

export interface MockRoute {
  readonly id: string;
  /** An HTTP method in upper case, or `ANY`. */
  readonly method: string;
  /** Starts with "/": segments are literal, `:name`, `:name?` (last only) or `*` (last only). */
  readonly path: string;
  readonly description: string;
  readonly enabled: boolean;
  readonly selection: Selection;
  /** At least one. */
  readonly responses: readonly MockResponse[];
}

export interface MockSettings {
  readonly cors: boolean;
  /** Added to every response. */
  readonly latency: Latency;
  readonly precedence: Precedence;
  /** Makes `random` reproducible. */
  readonly seed: number | null;
  /** Whether requests are recorded. */
  readonly traffic: boolean;
  /** Whether headers of a request may pick the response of its route. */
  readonly forced: boolean;
}

export interface MockDefinition {
  readonly settings: MockSettings;
  readonly routes: readonly MockRoute[];
}

/** The part of a mock that the data plane needs. */
export interface PublishedMock {
  readonly mockId: string;
  readonly state: 'running' | 'stopped';
  /** The saved version that is served, from 1. */
  readonly version: number;
  readonly definition: MockDefinition;
}
