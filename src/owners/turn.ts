/** Turns of an owner's actor, and the replies to them. */
import type { Refusal, RefusalKind } from '../errors.ts';
import type { OwnerState } from '../model/owner-state.ts';
import type { IdempotencyEntry } from '../store/store.ts';
import type { TurnReads } from './turn-reads.ts';

/** The digests of a request that may be repeated: of its scope and key, and of its body. */
export interface Repeatable {
  readonly key: string;
  readonly bodyDigest: string;
}

/** How a repeated command is answered. Without the two functions: with the first answer, by the same reply. */
export interface Repetition<Answer> extends Repeatable {
  /** The part of the first answer that is stored: plain data. */
  readonly kept?: (answer: Answer) => unknown;
  /** Replies to a repetition with what was stored. */
  readonly reply?: Reply<unknown>;
}

/** Called once, with the answer or the refusal. */
export type Reply<Answer> = (outcome: Answer | Refusal) => void;

/** One request to this owner. */
export interface Turn {
  /** Decides on a state, and replies, now or later. */
  readonly run: (state: OwnerState, turn: Turn) => void | Promise<void>;
  readonly refuse: (kind: RefusalKind) => void;
  /** It changes nothing: when what it saw is not stored, it had no effect, whatever became of that. */
  readonly isQuery: boolean;
  /** Which of the states that were loaded it ran on. */
  lineage: number;
  /** Count of the loads that had begun when it came. */
  readonly loadsBefore: number;
  /** The version up to which all is stored that it sees, when it runs on what was loaded after it came. */
  freshVersion: number | undefined;
  /** Until then, by `performance.now()`, it runs again because another node has written. Set when one has. */
  repeatedUntil: number | undefined;
  /** Over a shared store. */
  reads: TurnReads | undefined;
}

export interface WaitingReply {
  readonly version: number;
  readonly turn: Turn;
  /** Sends the turn's answer, or the refusal in its place. */
  readonly send: (instead: RefusalKind | undefined) => void;
}

/** What is stored with the commit of a request that may be repeated. */
export function entryOf<Answer>(
  { key, bodyDigest, kept }: Repetition<Answer>,
  date: number,
  answer: Answer,
): IdempotencyEntry {
  return { key, bodyDigest, date, answer: kept === undefined ? answer : kept(answer) };
}
