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
 *
 * Over a shared store, another node may write to the same owner. A commit is stored only on the version that it was decided
 * on; what reveals no commit of its own waits until the store says that nobody has written since. Where somebody has, what
 * they have changed is read, and the turns that were not answered run again (contention.ts).
 */
import type { Clock } from '../base/clock.ts';
import { Fifo } from '../base/fifo.ts';
import { isRefusal, refuse, type Refusal, type RefusalKind, StoreUnavailableError } from '../errors.ts';
import { DATE_AHEAD_MS, MAILBOX_TURNS_MAX, TURN_REPETITION_MS, type Limits } from '../limits.ts';
import type { Command, Decision, Query, QueryContext } from '../model/command.ts';
import { adopt, apply, recordCountOf, type OwnerState } from '../model/owner-state.ts';
import type { Principal } from '../model/principal.ts';
import {
  CommitSkippedError,
  ConflictError,
  StoreFullError,
  type Commit,
  type IdempotencyEntry,
  type LoadedOwner,
  type PreparedCommit,
  type Store,
} from '../store/store.ts';
import { Contention } from './contention.ts';
import { KeptAnswers } from './kept-answers.ts';
import { Mailbox } from './mailbox.ts';
import { entryOf, type Repetition, type Reply, type Turn, type WaitingReply } from './turn.ts';
import { PendingRead, readsAtOnce, TurnReads } from './turn-reads.ts';

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

export class OwnerActor {
  readonly ownerId: string;
  /** `performance.now()` of the last use; the directory chooses by it which actor to passivate. */
  usedAt = 0;
  /** The last use that the directory knew when it queued the actor. */
  queuedAt = 0;
  readonly #context: ActorContext;
  readonly #isShared: boolean;
  readonly #mailbox = new Mailbox(MAILBOX_TURNS_MAX);
  readonly #waitingReplies = new Fifo<WaitingReply>();
  /** The store as decisions and queries may read it. Not spread: that is ten times as slow as naming each. */
  readonly #reads: Omit<QueryContext, 'principal'>;
  #state: OwnerState | undefined;
  readonly #keptAnswers = new KeptAnswers();
  #durableVersion = 0;
  /** Count of queries that answer later. */
  #runningScans = 0;
  #discarded = false;
  /** Turns that run again before any other: what they saw, or wrote, was outdated. */
  readonly #again = new Fifo<Turn>();
  /** Whether a turn that sees to those is in the mailbox. */
  #isRecoveryPosted = false;
  /** Whether another node has written, or may have, so that the owner must be loaded before the next turn. */
  #isOutdated = false;
  /** What was applied and is not known to be stored. */
  readonly #unstored: PreparedCommit[] = [];
  /** Count of the loads that have begun, and the last of them that has ended. */
  #loadsBegun = 0;
  #lastLoad = 0;
  readonly #contention = new Contention();
  /** Rises when what turns have seen may not be what was stored. */
  #lineage = 0;
  /** Count of turns that wait for what they read, and of replies that wait for the newest version. */
  #runningReads = 0;
  /** Settles when the last commit has: commits of one owner settle in their order. */
  #lastCommit: Promise<void> = Promise.resolve();

  constructor(ownerId: string, context: ActorContext) {
    this.ownerId = ownerId;
    this.#context = context;
    this.#isShared = context.store.isShared;
    this.#reads = readsAtOnce(context.store, ownerId);
  }

  /** Whether it may be passivated: nothing runs, waits or is being made durable. */
  get idle(): boolean {
    const running = this.#runningScans + this.#runningReads + this.#waitingReplies.count + this.#again.count;
    return this.#mailbox.idle && running === 0;
  }

  get waitingCount(): number {
    return this.#mailbox.count;
  }

  query<Input, Answer>(query: Query<Input, Answer>, input: Input, principal: Principal, reply: Reply<Answer>): void {
    this.#post(reply, true, (state, turn) => {
      const { ownerOf, routeRevisions, historyBefore } = this.#readsOf(turn);
      const answer = query.answer(state, input, { principal, ownerOf, routeRevisions, historyBefore });
      const { version } = state;
      if (!(answer instanceof Promise)) return this.#reply(turn, version, answer, reply);
      // The answer is made from a snapshot that this turn took, so the mailbox need not wait for it.
      this.#runningScans++;
      answer.then(
        (found) => {
          this.#runningScans--;
          this.#reply(turn, version, found, reply);
        },
        (error: unknown) => {
          this.#runningScans--;
          if (error instanceof PendingRead) return this.#runAfter(error.reading, turn);
          return this.#onError(turn, error);
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
    this.#post(reply, false, (state, turn) => {
      const now = this.#context.clock();
      const first =
        repetition && this.#keptAnswers.first(repetition, now, () => this.#storedAnswer(repetition.key, turn));
      if (first !== undefined) {
        return this.#reply(turn, state.version, first, repetition?.reply ?? (reply as Reply<unknown>));
      }
      if (now < state.latestDate) this.#checkDate(state, now);
      const date = Math.max(now, state.latestDate);
      const version = state.version + 1;
      const { ownerOf, routeRevisions, historyBefore } = this.#readsOf(turn);
      const { limits } = this.#context;
      const context = { principal, ownerOf, routeRevisions, historyBefore, limits, version, date };
      const decision = command.decide(state, input, context);
      if (isRefusal(decision)) return this.#reply(turn, state.version, decision, reply);
      if (decision.changes.length === 0 && repetition === undefined) {
        return this.#reply(turn, state.version, decision.answer, reply);
      }
      const commit: Commit = {
        principal,
        expectedVersion: state.version,
        date,
        command: command.name,
        changes: decision.changes,
        recordCount: recordCountOf(state),
        idempotency: repetition && entryOf(repetition, now, decision.answer),
      };
      const prepared = this.#context.store.prepare(commit);
      const frees = command.frees === true;
      if (!(prepared instanceof Promise)) return this.#commit(turn, state, commit, prepared, frees, decision, reply);
      return prepared.then((ready) => this.#commit(turn, state, commit, ready, frees, decision, reply));
    });
  }

  /** Applies and submits in one step: with a turn between, a change could be applied but not stored, or the reverse. */
  #commit<Answer>(
    turn: Turn,
    state: OwnerState,
    commit: Commit,
    prepared: PreparedCommit,
    frees: boolean,
    decision: Decision<Answer>,
    reply: Reply<Answer>,
  ): void {
    const lineage = this.#lineage;
    if (this.#discarded || turn.lineage !== lineage) return this.#runAgain(turn);
    if (!this.#context.store.hasSpaceFor(prepared, frees)) {
      return this.#reply(turn, state.version, refuse('storageFull'), reply);
    }
    const { idempotency } = commit;
    const refusal = idempotency && this.#keptAnswers.count(idempotency, prepared, this.#context.limits);
    if (refusal !== undefined) return this.#reply(turn, state.version, refusal, reply);
    const version = commit.expectedVersion + 1;
    apply(state, decision.changes, version, commit.date);
    if (idempotency !== undefined) this.#keptAnswers.add(idempotency);
    this.#replyWhenDurable(turn, version, decision.answer, reply);
    const submitted = this.#isShared ? performance.now() : 0;
    if (this.#isShared) this.#unstored.push(prepared);
    this.#lastCommit = this.#context.store.commit(prepared).then(
      () => {
        if (idempotency !== undefined) this.#keptAnswers.stored(idempotency);
        this.#durableVersion = version;
        if (this.#isShared) {
          this.#unstored.shift();
          // It would be overtaken: what others write until its next turn is read first.
          if (this.#unstored.length === 0 && this.#contention.won(submitted)) this.#isOutdated = true;
        }
        this.#sendWaiting(version, undefined);
      },
      (error: unknown) => {
        if (error instanceof ConflictError) return this.#takeBack(lineage);
        this.#discard(error);
        return this.#sendWaiting(version, refusalOf(error));
      },
    );
  }

  #post<Answer>(reply: Reply<Answer>, isQuery: boolean, run: Turn['run']): void {
    const turn: Turn = {
      run,
      refuse: (kind) => this.#send(reply, refuse(kind)),
      isQuery,
      lineage: 0,
      loadsBefore: this.#loadsBegun,
      freshVersion: undefined,
      repeatedUntil: undefined,
      reads: undefined,
    };
    if (!this.#mailbox.post(() => this.#take(turn))) turn.refuse('overloaded');
  }

  /** Runs a turn on the state, which is loaded when it is not in memory, and after the turns that run again. */
  #take(turn: Turn | undefined): void | Promise<void> {
    if (this.#discarded) return turn?.refuse('ownerReset');
    if (this.#state !== undefined && !this.#isOutdated && this.#again.count === 0) return turn && this.#run(turn);
    return this.#recover().then(
      () => turn && this.#run(turn),
      (error: unknown) => {
        if (turn !== undefined) this.#onError(turn, error);
        for (let next = this.#again.shift(); next !== undefined; next = this.#again.shift()) this.#onError(next, error);
      },
    );
  }

  /** Never rejects. An error in a turn discards the actor. */
  #run(turn: Turn): void | Promise<void> {
    if (this.#discarded) return turn.refuse('ownerReset');
    if (turn.lineage !== this.#lineage) {
      turn.lineage = this.#lineage;
      // What was read before this state was loaded may be older than it is.
      turn.reads = undefined;
    }
    if (turn.loadsBefore < this.#lastLoad) turn.freshVersion = this.#durableVersion;
    try {
      return turn.run(this.#state as OwnerState, turn)?.catch((error: unknown) => this.#onError(turn, error));
    } catch (error) {
      if (!(error instanceof PendingRead)) return this.#onError(turn, error);
      if (!error.isExclusive) return this.#runAfter(error.reading, turn);
      return error.reading.then(
        () => this.#take(turn),
        (failed: unknown) => this.#onError(turn, failed),
      );
    }
  }

  /** Other turns need not wait for what this one reads. */
  #runAfter(reading: Promise<unknown>, turn: Turn): void {
    this.#runningReads++;
    reading.then(
      () => {
        this.#runningReads--;
        this.#runAgain(turn);
      },
      (error: unknown) => {
        this.#runningReads--;
        this.#onError(turn, error);
      },
    );
  }

  #onError(turn: Turn, error: unknown): void {
    // Nothing of it was tried, and the state is what it was.
    if (error instanceof StoreUnavailableError) return turn.refuse('storeUnavailable');
    this.#discard(error);
    return turn.refuse('serverError');
  }

  /** Loads the owner where it must be, and runs the turns that run again. */
  async #recover(): Promise<void> {
    for (;;) {
      if (this.#state === undefined || this.#isOutdated) await this.#load();
      const turn = this.#again.shift();
      if (turn === undefined) return;
      await this.#run(turn);
    }
  }

  async #load(): Promise<void> {
    // What is under way may be of use: it is loaded with the rest.
    await this.#lastCommit;
    await this.#contention.pause();
    const begun = ++this.#loadsBegun;
    const { store } = this.#context;
    const [known, version, unstored] = [this.#state, this.#durableVersion, this.#unstored];
    const caughtUp = known && (await store.changesSince({ state: known, version, unstored }));
    if (known !== undefined && caughtUp !== undefined) {
      const { changes, recordCount, answerBytes } = caughtUp;
      if (changes.version > version) this.#contention.others();
      adopt(known, changes);
      const isWhole = recordCount === undefined || recordCount === recordCountOf(known);
      if (isWhole) return this.#loaded(begun, { state: known, answerBytes });
      // Whatever is wrong, a load of all of it says so.
      this.#state = undefined;
      this.#lineage++;
    }
    this.#loaded(begun, await store.loadOwner(this.ownerId));
  }

  #loaded(begun: number, { state, answerBytes }: LoadedOwner): void {
    this.#keptAnswers.reset(answerBytes);
    this.#state = state;
    this.#durableVersion = state.version;
    this.#unstored.length = 0;
    this.#isOutdated = false;
    this.#lastLoad = begun;
    this.#lineage++;
    this.#checkDate(state, this.#context.clock());
  }

  /** Another node has committed first: nothing is stored of what was applied since, and its turns run again. */
  #takeBack(lineage: number): void {
    // The commits after it conflict too.
    if (lineage !== this.#lineage) return;
    this.#lineage++;
    this.#isOutdated = true;
    this.#contention.lost();
    this.#keptAnswers.forgetPending();
    for (let next = this.#waitingReplies.shift(); next !== undefined; next = this.#waitingReplies.shift()) {
      this.#repeat(next.turn);
    }
  }

  /** Runs a turn again that saw what was outdated; not without end, while others write all the time. */
  #repeat(turn: Turn): void {
    const now = performance.now();
    turn.repeatedUntil ??= now + TURN_REPETITION_MS;
    if (now > turn.repeatedUntil) return turn.refuse('overloaded');
    return this.#runAgain(turn);
  }

  #runAgain(turn: Turn): void {
    if (this.#discarded) return turn.refuse('ownerReset');
    this.#again.push(turn);
    if (this.#isRecoveryPosted) return undefined;
    this.#isRecoveryPosted = true;
    const isPosted = this.#mailbox.post(() => {
      this.#isRecoveryPosted = false;
      return this.#take(undefined);
    });
    // A full mailbox has turns that see to it.
    if (!isPosted) this.#isRecoveryPosted = false;
    return undefined;
  }

  /** Reports an owner whose dates were given while the clock was ahead: until then its new records repeat one date. */
  #checkDate({ latestDate }: OwnerState, now: number): void {
    const aheadMs = latestDate - now;
    if (aheadMs > DATE_AHEAD_MS) this.#context.onDateAhead(this.ownerId, aheadMs);
  }

  #readsOf(turn: Turn): Omit<QueryContext, 'principal'> {
    return this.#isShared ? this.#turnReads(turn) : this.#reads;
  }

  #turnReads(turn: Turn): TurnReads {
    return (turn.reads ??= new TurnReads(this.#context.store, this.ownerId));
  }

  #storedAnswer(key: string, turn: Turn): IdempotencyEntry | undefined {
    const { store } = this.#context;
    if (!this.#isShared) return store.idempotencyEntry(key) as IdempotencyEntry | undefined;
    // A turn with the same key may not decide in the meantime.
    return this.#turnReads(turn).now(`answer ${key}`, () => store.idempotencyEntry(key), true);
  }

  /** Replies with what reveals no commit of its own. */
  #reply<Answer>(turn: Turn, version: number, outcome: Answer | Refusal, reply: Reply<Answer>): void {
    if (!this.#isShared) return this.#replyWhenDurable(turn, version, outcome, reply);
    // It was the newest after the request came, and is stored, whatever was loaded since.
    if (turn.freshVersion !== undefined && version <= turn.freshVersion) return this.#send(reply, outcome);
    if (turn.lineage !== this.#lineage) return this.#repeat(turn);
    if (turn.freshVersion !== undefined) return this.#replyWhenDurable(turn, version, outcome, reply);
    const wasDurable = version <= this.#durableVersion;
    this.#runningReads++;
    this.#context.store.newestVersion(this.ownerId).then(
      (newest) => {
        this.#runningReads--;
        if (wasDurable && newest <= version) return this.#send(reply, outcome);
        if (turn.lineage !== this.#lineage) return this.#repeat(turn);
        // Up to this version, all are of this node once they are durable: then its state was the newest after the request came.
        if (newest <= (this.#state as OwnerState).version) {
          return this.#replyWhenDurable(turn, Math.max(version, newest), outcome, reply);
        }
        this.#isOutdated = true;
        return this.#repeat(turn);
      },
      (error: unknown) => {
        this.#runningReads--;
        this.#onError(turn, error);
      },
    );
    return undefined;
  }

  #replyWhenDurable<Answer>(turn: Turn, version: number, outcome: Answer | Refusal, reply: Reply<Answer>): void {
    if (version <= this.#durableVersion) return this.#send(reply, outcome);
    // The commit that this scan would reveal has failed in the meantime.
    if (this.#discarded) return this.#send(reply, refuse(turn.isQuery ? 'ownerReset' : 'serverError'));
    const send = (instead: RefusalKind | undefined) =>
      this.#send(reply, instead === undefined ? outcome : refuse(instead));
    return this.#waitingReplies.push({ version, turn, send });
  }

  /** Sends the replies that waited for a version, in the order of their turns. */
  #sendWaiting(version: number, instead: RefusalKind | undefined): void {
    for (let next = this.#waitingReplies.peek(); next !== undefined; next = this.#waitingReplies.peek()) {
      if (next.version > version) return;
      this.#waitingReplies.shift();
      next.send(next.turn.isQuery ? instead && 'ownerReset' : instead);
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
    for (let next = this.#again.shift(); next !== undefined; next = this.#again.shift()) next.refuse('ownerReset');
  }
}

/** What requests are answered whose commit failed. */
function refusalOf(error: unknown): RefusalKind {
  if (error instanceof StoreFullError) return 'storageFull';
  return error instanceof CommitSkippedError ? 'ownerReset' : 'serverError';
}
