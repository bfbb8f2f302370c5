/** Turns of an owner's actor, and the replies to them. */
import type { Refusal, RefusalKind } from '../errors.ts';
import type { Decision } from '../model/command.ts';
import type { OwnerState } from '../model/owner-state.ts';
import { CommitSkippedError, StoreFullError, type Commit, type IdempotencyEntry } from '../store/store.ts';

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
}

/** The decision of a command. */
export interface Decided {
  readonly commit: Commit;
  readonly decision: Decision<unknown>;
  readonly reply: Reply<unknown>;
  /** Whether less is stored afterwards. */
  readonly frees: boolean;
}

export interface WaitingReply {
  readonly version: number;
  readonly turn: Turn;
  /** Sends the turn's answer, or the refusal in its place. */
  readonly send: (instead: RefusalKind | undefined) => void;
}

/** The idempotency entry that is stored with the commit. */
export function entryOf<Answer>(
  { key, bodyDigest, kept }: Repetition<Answer>,
  date: number,
  answer: Answer,
): IdempotencyEntry {
  return { key, bodyDigest, date, answer: kept === undefined ? answer : kept(answer) };
}

/** How requests are answered whose commit failed. */
export function refusalOf(error: unknown): RefusalKind {
  if (error instanceof StoreFullError) return 'storageFull';
  return error instanceof CommitSkippedError ? 'ownerReset' : 'serverError';
}
