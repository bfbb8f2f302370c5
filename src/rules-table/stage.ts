/**
 * Parts of an exchange that a rule type may read and change.
 *
 * Values of its fields are replaced, never modified in place, so that they can be compared with earlier ones.
 */
import type { WorkBudget } from '../languages/work-budget.ts';
import type { HeaderLines } from './header-list.ts';
import type { CodeResult } from './code-call.ts';
import type { Change, Miss, Phase, UnreadReason } from './outcome.ts';
import type { RequestFacts } from './request-facts.ts';
import type { RuleFile } from './rule-file.ts';
import type { Groups } from './source.ts';
import type { WireUrl } from './wire-url.ts';

export interface EvaluateOptions {
  /** Whether URL rules answer with a redirect, or change where the request is sent. */
  readonly mode: 'redirect' | 'rewrite';
  /** The longest delay that rules may ask for. */
  readonly delayMsMax: number;
  /** Returns a number from 0 up to, not including, 1: the source of the digits of `rq_rand`. */
  readonly random: () => number;
  /** The URL of a mock, with the placeholder `<mock_id>`. Absent: mocks are named by their URL alone. */
  readonly mockUrl?: string | undefined;
}

/** The response as changed so far. */
export interface Answer {
  /** Undefined when unknown: in a dry run without a response. */
  readonly status: number | undefined;
  readonly statusText: string | undefined;
  readonly headers: HeaderLines;
  /** Undefined when it is not read. */
  readonly body: Buffer | undefined;
  /** Why code cannot read it. */
  readonly unread?: UnreadReason | undefined;
}

export interface Stage {
  readonly options: EvaluateOptions;
  readonly budget: WorkBudget;
  readonly facts: RequestFacts;
  readonly phase: Phase;
  /** Name of the acting rule. */
  readonly ruleName: string;
  url: WireUrl;
  headers: HeaderLines;
  body: Buffer | undefined;
  /** Why code cannot read `body`. */
  unread: UnreadReason | undefined;
  /** Undefined when there is none: the upstream failed, or was not contacted. */
  answer: Answer | undefined;
  delayMs: number;
  /** Whether code is run, and more of it in this exchange. */
  readonly codeState: 'on' | 'off' | 'exhausted';
  /** The result of the acting pair's code; undefined where it was not called. */
  readonly code: CodeResult | undefined;
  /** Whether this server reads files for rules. */
  readonly readsFiles: boolean;
  /** @returns undefined where it is to be read first: the evaluation begins anew then. */
  fileAt(path: string): RuleFile | undefined;
  /** The answer of a rule that serves a file: no other rule changes the URL then. */
  file: Answer | undefined;
  /** Groups that the source of the acting pair captured from the URL. */
  readonly groups: () => Groups;
  /** Changes of the acting pair so far. */
  readonly changed: Change[];
  /** Parts of the acting pair that could not be applied. */
  readonly refused: Miss[];
}
