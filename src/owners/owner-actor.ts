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
 * Protected members differ in shared-owner.ts, where other processes write to the same owner.
 */
import { Fifo } from '../base/fifo.ts';
import { isRefusal, refuse, type Refusal, type RefusalKind, StoreUnavailableError } from '../errors.ts';
import type { Command, Query } from '../model/command.ts';
import { apply, recordCountOf, type OwnerState } from '../model/owner-state.ts';
import type { Principal } from '../model/principal.ts';
import type { Commit, IdempotencyEntry, LoadedOwner, PreparedCommit } from '../store/store.ts';
import type { ActorContext } from './actor-context.ts';
import { KeptAnswers } from './kept-answers.ts';
import { Mailbox } from './mailbox.ts';
import { readsAtOnce, type StoreReads } from './turn-reads.ts';
import { entryOf, refusalOf, type Decided, type Repetition, type Reply, type Turn, type WaitingReply } from './turn.ts';

/** How far an owner's newest date may be ahead of the clock, unlogged: synchronised clocks differ by seconds. */
export const DATE_AHEAD_MS = 5 * 60_000;

/**
 * Changes that wait in an owner's mailbox; then 503. They wait while it is loaded, which takes seconds
 * of the largest over PostgreSQL, or makes a large change.
 */
export const MAILBOX_TURNS_MAX = 2_048;

export class OwnerActor {
  readonly ownerId: string;
  /** `performance.now()` of the last use; the directory chooses by it which actor to passivate. */
  usedAt = 0;
  /** The last use that the directory knew when it queued the actor. */
  queuedAt = 0;
  protected readonly mailbox = new Mailbox(MAILBOX_TURNS_MAX);
  protected readonly waitingReplies = new Fifo<WaitingReply>();
  protected readonly keptAnswers = new KeptAnswers();
  protected state: OwnerState | undefined;
  protected durableVersion = 0;
  protected isDiscarded = false;
  readonly #context: ActorContext;
  readonly #reads: StoreReads;
  /** Count of queries that answer later. */
  #runningScans = 0;

  constructor(ownerId: string, context: ActorContext) {
    this.ownerId = ownerId;
    this.#context = context;
    this.#reads = readsAtOnce(context.store, ownerId);
  }

  /** Whether it may be passivated: nothing runs, waits or is being made durable. */
  get idle(): boolean {
    return this.mailbox.idle && this.runningCount === 0;
  }

  protected get runningCount(): number {
    return this.#runningScans + this.waitingReplies.count;
  }

  get waitingCount(): number {
    return this.mailbox.count;
  }

  query<Input, Answer>(query: Query<Input, Answer>, input: Input, principal: Principal, reply: Reply<Answer>): void {
    this.#post(reply, true, (state, turn) => {
      // Not spread: that is ten times as slow as naming each.
      const { ownerOf, ownersOf, routeRevisions, historyBefore } = this.readsOf(turn);
      const answer = query.answer(state, input, { principal, ownerOf, ownersOf, routeRevisions, historyBefore });
      const { version } = state;
      if (!(answer instanceof Promise)) return this.reply(turn, version, answer, reply as Reply<unknown>);
      // The answer is made from a snapshot that this turn took, so the mailbox need not wait for it.
      this.#runningScans++;
      answer.then(
        (found) => {
          this.#runningScans--;
          this.reply(turn, version, found, reply as Reply<unknown>);
        },
        (error: unknown) => {
          this.#runningScans--;
          void this.onError(turn, error);
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
    const send = reply as Reply<unknown>;
    this.#post(reply, false, (state, turn) => {
      const now = this.#context.clock();
      const first =
        repetition && this.keptAnswers.first(repetition, now, () => this.storedAnswer(repetition.key, turn));
      if (first !== undefined) return this.reply(turn, state.version, first, repetition?.reply ?? send);
      if (now < state.latestDate) this.#checkDate(state, now);
      const date = Math.max(now, state.latestDate);
      const version = state.version + 1;
      const { ownerOf, ownersOf, routeRevisions, historyBefore } = this.readsOf(turn);
      const limits = this.#context.limitsOf(this.ownerId);
      const context = { principal, ownerOf, ownersOf, routeRevisions, historyBefore, limits, version, date };
      const decision = command.decide(state, input, context);
      if (isRefusal(decision)) return this.reply(turn, state.version, decision, send);
      if (decision.changes.length === 0 && repetition === undefined) {
        return this.reply(turn, state.version, decision.answer, send);
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
      const decided = { commit, decision, reply: send, frees: command.frees === true };
      const prepared = this.#context.store.prepare(commit);
      if (!(prepared instanceof Promise)) return this.commit(turn, state, decided, prepared);
      return prepared.then((ready) => this.commit(turn, state, decided, ready));
    });
  }

  /** Applies and submits in one step: with a turn between, a change could be applied but not stored, or the reverse. */
  protected commit(
    turn: Turn,
    state: OwnerState,
    { commit, decision, reply, frees }: Decided,
    prepared: PreparedCommit,
  ): void {
    if (this.isDiscarded) return turn.refuse('ownerReset');
    const { store, limitsOf } = this.#context;
    if (!store.hasSpaceFor(prepared, frees)) return this.reply(turn, state.version, refuse('storageFull'), reply);
    const { idempotency } = commit;
    const refusal = idempotency && this.keptAnswers.count(idempotency, prepared, limitsOf(this.ownerId));
    if (refusal !== undefined) return this.reply(turn, state.version, refusal, reply);
    const version = commit.expectedVersion + 1;
    apply(state, decision.changes, version, commit.date);
    if (idempotency !== undefined) this.keptAnswers.add(idempotency);
    this.replyWhenDurable(turn, version, decision.answer, reply);
    return this.store(prepared, () => {
      if (idempotency !== undefined) this.keptAnswers.stored(idempotency);
      this.durableVersion = version;
      this.#sendWaiting(version, undefined);
    });
  }

  /** @param onStored Called when it is durable. */
  protected store(prepared: PreparedCommit, onStored: () => void): void {
    this.#context.store
      .commit(prepared)
      .then(onStored, (error: unknown) => this.commitFailed(prepared.expectedVersion + 1, error));
  }

  protected commitFailed(version: number, error: unknown): void {
    this.discard(error);
    this.#sendWaiting(version, refusalOf(error));
  }

  #post<Answer>(reply: Reply<Answer>, isQuery: boolean, run: Turn['run']): void {
    const turn = this.newTurn({ run, refuse: (kind) => this.send(reply, refuse(kind)), isQuery });
    if (!this.mailbox.post(() => this.take(turn))) turn.refuse('overloaded');
  }

  protected newTurn(turn: Turn): Turn {
    return turn;
  }

  /** Runs a turn on the state, which is loaded when it is not in memory. */
  protected take(turn: Turn): void | Promise<void> {
    if (this.isDiscarded) return turn.refuse('ownerReset');
    if (this.state !== undefined) return this.run(turn);
    return this.load().then(
      () => this.run(turn),
      (error: unknown) => this.onError(turn, error),
    );
  }

  /** Never rejects. An error in a turn discards the actor. */
  protected run(turn: Turn): void | Promise<void> {
    if (this.isDiscarded) return turn.refuse('ownerReset');
    try {
      return turn.run(this.state as OwnerState, turn)?.catch((error: unknown) => this.onError(turn, error));
    } catch (error) {
      return this.onError(turn, error);
    }
  }

  protected onError(turn: Turn, error: unknown): void | Promise<void> {
    // Nothing of it was tried, and the state is what it was.
    if (error instanceof StoreUnavailableError) return turn.refuse('storeUnavailable');
    this.discard(error);
    return turn.refuse('serverError');
  }

  protected async load(): Promise<void> {
    this.loaded(await this.#context.store.loadOwner(this.ownerId));
  }

  protected loaded({ state, answerBytes }: LoadedOwner): void {
    this.keptAnswers.reset(answerBytes);
    this.state = state;
    this.durableVersion = state.version;
    this.#checkDate(state, this.#context.clock());
  }

  /** Reports an owner whose dates were given while the clock was ahead: until then its new records repeat one date. */
  #checkDate({ latestDate }: OwnerState, now: number): void {
    const aheadMs = latestDate - now;
    if (aheadMs > DATE_AHEAD_MS) this.#context.onDateAhead(this.ownerId, aheadMs);
  }

  protected readsOf(_turn: Turn): StoreReads {
    return this.#reads;
  }

  protected storedAnswer(key: string, _turn: Turn): IdempotencyEntry | undefined {
    return this.#context.store.idempotencyEntry(key) as IdempotencyEntry | undefined;
  }

  /** Replies with what reveals no commit of this turn. */
  protected reply(turn: Turn, version: number, outcome: unknown, reply: Reply<unknown>): void {
    this.replyWhenDurable(turn, version, outcome, reply);
  }

  protected replyWhenDurable(turn: Turn, version: number, outcome: unknown, reply: Reply<unknown>): void {
    if (version <= this.durableVersion) return this.send(reply, outcome);
    // The commit that this scan would reveal has failed in the meantime.
    if (this.isDiscarded) return this.send(reply, refuse(turn.isQuery ? 'ownerReset' : 'serverError'));
    const send = (instead: RefusalKind | undefined) =>
      this.send(reply, instead === undefined ? outcome : refuse(instead));
    return this.waitingReplies.push({ version, turn, send });
  }

  /** Sends the replies that waited for a version, in the order of their turns. */
  #sendWaiting(version: number, instead: RefusalKind | undefined): void {
    for (let next = this.waitingReplies.peek(); next !== undefined; next = this.waitingReplies.peek()) {
      if (next.version > version) return;
      this.waitingReplies.shift();
      next.send(next.turn.isQuery ? instead && 'ownerReset' : instead);
    }
  }

  protected send<Answer>(reply: Reply<Answer>, outcome: Answer | Refusal): void {
    try {
      reply(outcome);
    } catch (error) {
      this.#context.onReplyError(error);
    }
  }

  /** Waiting replies stay: the outcomes of their commits decide about them. */
  protected discard(error: unknown): void {
    if (this.isDiscarded) return;
    this.isDiscarded = true;
    this.#context.onDiscarded(this, error);
  }
}
