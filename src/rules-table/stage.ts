/**
 * One exchange while rules act on it: what each rule type may read and change.
 *
 * Its fields are replaced, never changed in place, so that the previous state can still be compared.
 */
import type { WorkBudget } from '../languages/work-budget.ts';
import type { HeaderLines } from './header-list.ts';
import type { Changed, Miss, Phase } from './outcome.ts';
import type { RequestFacts } from './request-facts.ts';
import type { Groups } from './source.ts';
import type { WireUrl } from './wire-url.ts';

export interface EvaluateOptions {
  /** Whether a URL rule answers with a redirect, or changes where the request goes. */
  readonly mode: 'redirect' | 'rewrite';
  /** The longest delay that rules may ask for. */
  readonly delayMsMax: number;
  /** From 0 up to, not including, 1: where `rq_rand` gets its digits from. */
  readonly random: () => number;
}

/** The answer as it is so far. */
export interface Answer {
  /** Undefined while none is known: a dry run that was given none. */
  readonly status: number | undefined;
  readonly statusText: string | undefined;
  readonly headers: HeaderLines;
  /** Undefined when it was not read. */
  readonly body: Buffer | undefined;
}

export interface Stage {
  readonly options: EvaluateOptions;
  readonly budget: WorkBudget;
  readonly facts: RequestFacts;
  readonly phase: Phase;
  /** Of the rule that acts. */
  readonly ruleName: string;
  url: WireUrl;
  headers: HeaderLines;
  body: Buffer | undefined;
  /** Undefined when there is none to act on: the upstream failed, or was not asked. */
  answer: Answer | undefined;
  delayMs: number;
  /** Of the pair that acts: what its source captured from the URL. */
  readonly groups: () => Groups;
  /** What the pair that acts has changed so far. */
  readonly changed: Changed[];
  /** Parts of the pair that could not be done. */
  readonly refused: Miss[];
}
