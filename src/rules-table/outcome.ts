/** The result of an evaluation, as types: the API's names for outcomes, steps and skipped rules. */
import type { ConsoleLine } from '../model/rule-reports.ts';
import type { HeaderLine } from './header-list.ts';

/** The order in which rules act. */
export type Phase = 'cancel' | 'url' | 'requestHeaders' | 'requestBody' | 'delay' | 'response' | 'responseHeaders';

/** Why a body cannot be read: it is too large, or has a content coding that is not known. */
export type UnreadReason = 'bodyTooLarge' | 'bodyEncoded';

/**
 * Why a rule did not act. The whole list is part of the API. Evaluation itself never returns `addressRefused`, which comes
 * from callers that use the network, and `codeFailed`, `codeTooLong` and `fileUnreadable` only where code is run and files are read.
 */
export type SkipReason =
  | 'ruleInactive'
  | 'groupInactive'
  | 'source'
  | `filter:${'requestMethod' | 'resourceType' | 'pageDomains' | 'pageUrl' | 'requestPayload' | 'unknown'}`
  | 'pattern'
  | 'noChange'
  | 'noBody'
  | 'destinationInvalid'
  | 'filesOff'
  | 'fileUnreadable'
  | 'codeOff'
  | 'codeFailed'
  | 'codeTooLong'
  | 'bodyTooLarge'
  | 'bodyEncoded'
  | 'endedBefore'
  | 'addressRefused';

/** Why a pair, or a part of it, had no effect. */
export interface Miss {
  readonly reason: SkipReason;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
}

export interface Change {
  readonly what: 'url' | 'header' | 'body' | 'status';
  /**
   * Null for what did not exist or is unknown. A header is shown as its line: "accept: text/html". Long values are cut.
   */
  readonly before: string | null;
  readonly after: string | null;
}

/** One pair that acted. */
export interface Step {
  readonly ruleId: string;
  readonly name: string;
  readonly phase: Phase;
  readonly pairId: string;
  readonly changed: readonly Change[];
}

/** A rule that did not act, with the pair that came nearest; or a part of an acting rule that could not be applied. */
export interface Skipped {
  readonly ruleId: string;
  readonly reason: SkipReason;
  readonly pairId?: string;
  readonly expected?: string;
  readonly actual?: string;
}

export interface FinalRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer | undefined;
}

export interface FinalResponse {
  readonly status: number;
  readonly statusText?: string;
  readonly headers: readonly HeaderLine[];
  /** Undefined when it is passed on unread and unchanged. */
  readonly body: Buffer | undefined;
}

export interface Evaluation {
  readonly outcome: 'forward' | 'redirect' | 'blocked' | 'served';
  readonly request: FinalRequest;
  /** Null when none was given and no rule creates one. */
  readonly response: FinalResponse | null;
  readonly location: string | null;
  readonly delayMs: number;
  readonly steps: readonly Step[];
  readonly skipped: readonly Skipped[];
  /** Number of all skipped entries, shown or not. */
  readonly skippedCount: number;
  /** Console of code; absent where it wrote nothing. */
  readonly console?: readonly ConsoleLine[];
  /** Offset of the next page of `skipped`; null at the end, and when `skipped` is not paged. */
  readonly nextOffset: number | null;
}
