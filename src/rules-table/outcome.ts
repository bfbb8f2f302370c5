/** What evaluating answers: the words of gateway.md, "Evaluate", as types. */
import type { HeaderLine } from './header-list.ts';

/** The order in which rules act. */
export type Phase = 'cancel' | 'url' | 'requestHeaders' | 'requestBody' | 'delay' | 'response' | 'responseHeaders';

/**
 * Why a rule did not act. The whole list is part of the API; evaluating gives those that need neither bodies in transit, nor a
 * network, nor code: `bodyTooLarge`, `addressRefused`, `codeFailed` and `codeTooLong` belong to who has them.
 */
export type SkipReason =
  | 'ruleInactive'
  | 'groupInactive'
  | 'source'
  | `filter:${'requestMethod' | 'resourceType' | 'pageDomains' | 'pageUrl' | 'requestPayload'}`
  | 'pattern'
  | 'noChange'
  | 'noBody'
  | 'destinationInvalid'
  | 'filesOff'
  | 'codeOff'
  | 'codeFailed'
  | 'codeTooLong'
  | 'bodyTooLarge'
  | 'bodyEncoded'
  | 'endedBefore'
  | 'addressRefused';

/** Why a pair, or a part of it, did nothing. */
export interface Miss {
  readonly reason: SkipReason;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
}

export interface Changed {
  readonly what: 'url' | 'header' | 'body' | 'status';
  /** Null for what was not there, or is not known. A header is its line: "accept: text/html". Long values are cut. */
  readonly before: string | null;
  readonly after: string | null;
}

/** One pair that acted. */
export interface Step {
  readonly ruleId: string;
  readonly name: string;
  readonly phase: Phase;
  readonly pairId: string;
  readonly changed: readonly Changed[];
}

/** A rule that did not act, with the pair that came nearest; or a part of one that acted, which could not be done. */
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
  /** Undefined when it passes as it is, unread. */
  readonly body: Buffer | undefined;
}

export interface Evaluation {
  readonly outcome: 'forward' | 'redirect' | 'blocked' | 'served';
  readonly request: FinalRequest;
  /** Null when none was given, and none is made. */
  readonly response: FinalResponse | null;
  readonly location: string | null;
  readonly delayMs: number;
  readonly steps: readonly Step[];
  readonly skipped: readonly Skipped[];
  /** Of all that were skipped, shown or not. */
  readonly skippedCount: number;
  /** Where the next page of `skipped` begins; null at the end, and where it is not paged. */
  readonly nextOffset: number | null;
}
