/**
 * One owner: its records in memory, changed by one turn at a time.
 *
 * A turn decides, applies its changes to memory and submits their commit; the next turn may start before that commit is
 * on disk. Each reply, of a read or a write, waits until everything it reveals is durable: until the owner's durable
 * version has reached the version its turn saw. When nothing is pending, as for most reads, it is sent at once.
 *
 * When a commit fails, memory may be ahead of the disk. The actor is then discarded: it begins no more turns, and the
 * next use loads from the store. A reply that depended on a commit that was tried is `serverError` (outcome unknown); a
 * reply that depended on one that was skipped, and every turn that had not begun, is `ownerReset` (no effect).
 */
import type { Clock } from '../base/clock.ts';
import { Fifo } from '../base/fifo.ts';
import { isRefusal, refuse, refuseLimit, type Refusal, type RefusalKind } from '../errors.ts';
import { DATE_AHEAD_MS, IDEMPOTENCY_RETENTION_MS, MAILBOX_TURNS_MAX, type Limits } from '../limits.ts';
import type { Command, Decision, Query, QueryContext } from '../model/command.ts';
import { apply, type OwnerState } from '../model/owner-state.ts';
import type { Principal } from '../model/principal.ts';
import {
  CommitSkippedError,
  type Commit,
  type IdempotencyEntry,
  type PreparedCommit,
  type Store,
} from '../store/store.ts';
import { IdempotencyQuota } from './idempotency-quota.ts';
import { Mailbox } from './mailbox.ts';

export interface ActorContext {
  readonly store: Store;
  readonly limits: Limits;
  readonly clock: Clock;
  /** A turn threw or a commit failed, and the actor may not be used any more. Called once. */
  readonly onDiscarded: (actor: OwnerActor, error: unknown) => void;
  /** The owner's newest date is far ahead of the clock, by so many milliseconds. Called at each occurrence. */
  readonly onDateAhead: (ownerId: string, aheadMs: number) => void;
  /** A reply threw. Other replies are not affected. */
  readonly onReplyError: (error: unknown) => void;
}

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

interface WaitingReply {
  readonly version: number;
  /** Sends the turn's answer, or the refusal in its place. */
  readonly send: (instead: RefusalKind | undefined) => void;
}

export class OwnerActor {
  readonly ownerId: string;
  /** `performance.now()` of the last use; the directory chooses by it which actor to passivate. */
  usedAt = 0;
  /** The last use that the directory knew when it queued the actor. */
  queuedAt = 0;
  readonly #context: ActorContext;
  readonly #mailbox = new Mailbox(MAILBOX_TURNS_MAX);
  readonly #waitingReplies = new Fifo<WaitingReply>();
  /** Answers whose commits are not durable yet: the store does not show them. */
  readonly #pendingAnswers = new Map<string, IdempotencyEntry>();
  /** The store as decisions and queries may read it. Not spread: that is ten times as slow as naming each. */
  readonly #reads: Omit<QueryContext, 'principal'>;
  #state: OwnerState | undefined;
  #keptAnswers = new IdempotencyQuota([]);
  #durableVersion = 0;
  /** Count of queries that answer later. */
  #runningScans = 0;
  #discarded = false;

  constructor(ownerId: string, context: ActorContext) {
    this.ownerId = ownerId;
    this.#context = context;
    const { store } = context;
    this.#reads = {
      ownerOf: (recordId) => store.ownerOf(recordId),
      routeRevisions: (mockCreatedVersion, revisions) => store.routeRevisions(ownerId, mockCreatedVersion, revisions),
      historyBefore: (before, countMax) => store.historyBefore(ownerId, before, countMax),
    };
  }

  /** Whether it may be passivated: nothing runs, waits or is being made durable. */
  get idle(): boolean {
    return this.#mailbox.idle && this.#waitingReplies.count === 0 && this.#runningScans === 0;
  }

  get waitingCount(): number {
    return this.#mailbox.count;
  }

  query<Input, Answer>(query: Query<Input, Answer>, input: Input, principal: Principal, reply: Reply<Answer>): void {
    this.#post(reply, (state) => {
      const { ownerOf, routeRevisions, historyBefore } = this.#reads;
      const answer = query.answer(state, input, { principal, ownerOf, routeRevisions, historyBefore });
      if (!(answer instanceof Promise)) {
        this.#replyWhenDurable(state.version, answer, reply);
        return undefined;
      }
      // The answer is made from a snapshot that this turn took, so the mailbox need not wait for it.
      const { version } = state;
      this.#runningScans++;
      answer.then(
        (found) => {
          this.#runningScans--;
          this.#replyWhenDurable(version, found, reply);
        },
        (error: unknown) => {
          this.#runningScans--;
          this.#send(reply, refuse('serverError'));
          this.#discard(error);
        },
      );
      return undefined;
    });
  }

  command<Input, Answer>(
    command: Command<Input, Answer>,
    input: Input,
    principal: Principal,
    reply: Reply<Answer>,
    repetition?: Repetition<Answer>,
  ): void {
    this.#post(reply, (state) => {
      const now = this.#context.clock();
      const first = repetition && this.#firstAnswer(repetition, now);
      if (first !== undefined) {
        return this.#replyWhenDurable(state.version, first, repetition?.reply ?? (reply as Reply<unknown>));
      }
      if (now < state.latestDate) this.#checkDate(state, now);
      const date = Math.max(now, state.latestDate);
      const version = state.version + 1;
      const { ownerOf, routeRevisions, historyBefore } = this.#reads;
      const { limits } = this.#context;
      const context = { principal, ownerOf, routeRevisions, historyBefore, limits, version, date };
      const decision = command.decide(state, input, context);
      if (isRefusal(decision)) {
        this.#replyWhenDurable(state.version, decision, reply);
        return undefined;
      }
      if (decision.changes.length === 0 && repetition === undefined) {
        return this.#replyWhenDurable(state.version, decision.answer, reply);
      }
      const commit: Commit = {
        principal,
        expectedVersion: state.version,
        date,
        command: command.name,
        changes: decision.changes,
        recordCount: state.rules.count + state.groups.count + state.mocks.count,
        idempotency: repetition && entryOf(repetition, now, decision.answer),
      };
      const prepared = this.#context.store.prepare(commit);
      const frees = command.frees === true;
      if (!(prepared instanceof Promise)) return this.#commit(state, commit, prepared, frees, decision, reply);
      return prepared.then((ready) => this.#commit(state, commit, ready, frees, decision, reply));
    });
  }

  /** Applies and submits in one step: with a turn between, a change could be applied but not stored, or the reverse. */
  #commit<Answer>(
    state: OwnerState,
    commit: Commit,
    prepared: PreparedCommit,
    frees: boolean,
    decision: Decision<Answer>,
    reply: Reply<Answer>,
  ): void {
    if (this.#discarded) return this.#send(reply, refuse('ownerReset'));
    if (!this.#context.store.hasSpaceFor(prepared, frees)) {
      return this.#replyWhenDurable(state.version, refuse('storageFull'), reply);
    }
    const refusal = this.#keepAnswer(commit, prepared);
    if (refusal !== undefined) return this.#replyWhenDurable(state.version, refusal, reply);
    const version = commit.expectedVersion + 1;
    apply(state, decision.changes, version, commit.date);
    const { idempotency } = commit;
    if (idempotency !== undefined) this.#pendingAnswers.set(idempotency.key, idempotency);
    this.#replyWhenDurable(version, decision.answer, reply);
    this.#context.store.commit(prepared).then(
      () => {
        if (idempotency !== undefined) this.#removePending(idempotency);
        this.#durableVersion = version;
        this.#sendWaiting(version, undefined);
      },
      (error: unknown) => {
        this.#discard(error);
        this.#sendWaiting(version, error instanceof CommitSkippedError ? 'ownerReset' : 'serverError');
      },
    );
  }

  /** Runs a turn on the state, which is loaded when it is not in memory. An error in a turn discards the actor. */
  #post<Answer>(reply: Reply<Answer>, turn: (state: OwnerState) => void | Promise<void>): void {
    const fail = (error: unknown): void => {
      this.#discard(error);
      this.#send(reply, refuse('serverError'));
    };
    const safeTurn = (): void | Promise<void> => {
      if (this.#discarded) return this.#send(reply, refuse('ownerReset'));
      try {
        if (this.#state === undefined) return this.#hydrate().then(turn).catch(fail);
        return turn(this.#state)?.catch(fail);
      } catch (error) {
        return fail(error);
      }
    };
    if (!this.#mailbox.post(safeTurn)) this.#send(reply, refuse('overloaded'));
  }

  async #hydrate(): Promise<OwnerState> {
    const state = await this.#context.store.loadOwner(this.ownerId);
    this.#keptAnswers = new IdempotencyQuota(this.#context.store.answerBytes(this.ownerId));
    this.#state = state;
    this.#durableVersion = state.version;
    this.#checkDate(state, this.#context.clock());
    return state;
  }

  /** Reports an owner whose dates were given while the clock was ahead: until then its new records repeat one date. */
  #checkDate({ latestDate }: OwnerState, now: number): void {
    const aheadMs = latestDate - now;
    if (aheadMs > DATE_AHEAD_MS) this.#context.onDateAhead(this.ownerId, aheadMs);
  }

  /** @returns The first answer to this key, a refusal when the first body differed, undefined for the first request. */
  #firstAnswer({ key, bodyDigest }: Repeatable, now: number): unknown {
    const entry = this.#pendingAnswers.get(key) ?? this.#context.store.idempotencyEntry(key);
    if (entry === undefined || entry.date + IDEMPOTENCY_RETENTION_MS <= now) return undefined;
    return entry.bodyDigest === bodyDigest ? entry.answer : refuse('idempotencyKeyReused');
  }

  /** Counts the answer that a commit keeps, or refuses the commit when too much is kept for its owner. */
  #keepAnswer({ idempotency }: Commit, { answerBytes }: PreparedCommit): Refusal | undefined {
    if (idempotency === undefined) return undefined;
    const { keptAnswerBytesMax } = this.#context.limits;
    if (this.#keptAnswers.bytesAt(idempotency.date) + answerBytes > keptAnswerBytesMax) {
      return refuseLimit(`${keptAnswerBytesMax} bytes of answers kept in 24 hours per owner`, 'Idempotency-Key');
    }
    this.#keptAnswers.add(idempotency.date, answerBytes);
    return undefined;
  }

  /** The store has it now. A later answer to the same key, after a clock jump over the retention, stays pending. */
  #removePending(entry: IdempotencyEntry): void {
    if (this.#pendingAnswers.get(entry.key) === entry) this.#pendingAnswers.delete(entry.key);
  }

  #replyWhenDurable<Answer>(version: number, outcome: Answer | Refusal, reply: Reply<Answer>): void {
    if (version <= this.#durableVersion) return this.#send(reply, outcome);
    // The commit that this scan would reveal has failed meanwhile.
    if (this.#discarded) return this.#send(reply, refuse('serverError'));
    const send = (instead: RefusalKind | undefined) =>
      this.#send(reply, instead === undefined ? outcome : refuse(instead));
    return this.#waitingReplies.push({ version, send });
  }

  /** Sends the replies that waited for a version, in the order of their turns. */
  #sendWaiting(version: number, instead: RefusalKind | undefined): void {
    for (let next = this.#waitingReplies.peek(); next !== undefined; next = this.#waitingReplies.peek()) {
      if (next.version > version) return;
      this.#waitingReplies.shift();
      next.send(instead);
    }
  }

  #send<Answer>(reply: Reply<Answer>, outcome: Answer | Refusal): void {
    try {
      reply(outcome);
    } catch (error) {
      this.#context.onReplyError(error);
    }
  }

  /** Waiting replies stay: the outcomes of their commits decide about them. */
  #discard(error: unknown): void {
    if (this.#discarded) return;
    this.#discarded = true;
    this.#context.onDiscarded(this, error);
  }
}

function entryOf<Answer>(
  { key, bodyDigest, kept }: Repetition<Answer>,
  date: number,
  answer: Answer,
): IdempotencyEntry {
  return { key, bodyDigest, date, answer: kept === undefined ? answer : kept(answer) };
}
