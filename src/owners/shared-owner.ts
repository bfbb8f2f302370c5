/**
 * An owner that other nodes write to as well.
 *
 * A commit is stored only on the version that it was decided on; what reveals no commit of its own waits until the store says
 * that nobody has written since. Where somebody has, what they have changed is read, and the turns that were not answered run
 * again. While several nodes write, they take turns, each with all that waits (contention.ts).
 */
import { Fifo } from '../base/fifo.ts';
import { TURN_REPETITION_MS } from '../limits.ts';
import { adopt, recordCountOf, type OwnerState } from '../model/owner-state.ts';
import {
  ConflictError,
  type CaughtUp,
  type IdempotencyEntry,
  type KnownOwner,
  type LoadedOwner,
  type PreparedCommit,
  type SharedStore,
  type WriteTurn,
} from '../store/store.ts';
import { Contention } from './contention.ts';
import type { ActorContext } from './actor-context.ts';
import { OwnerActor } from './owner-actor.ts';
import { ReadNotReady, TurnReads, type StoreReads } from './turn-reads.ts';
import type { Decided, Reply, Turn } from './turn.ts';

interface SharedTurn extends Turn {
  /** Which of the states that were loaded it ran on. */
  loadGeneration: number;
  /** Count of the loads that had begun when it came. */
  readonly loadsBefore: number;
  /** The version up to which all is stored that it sees, when it runs on what was loaded after it came. */
  freshVersion: number | undefined;
  /** Until then, by `performance.now()`, it runs again because another node has written. Set when one has. */
  repeatedUntil: number | undefined;
  /** Reads of the turn from the store, within this load generation. */
  reads: TurnReads | undefined;
  /** Whether no other turn may run while it reads: what it had read was outdated by a load in the meantime. */
  readsAlone: boolean;
}

export class SharedOwner extends OwnerActor {
  readonly #store: SharedStore;
  /** Turns that run again before any other: what they saw, or wrote, was outdated. */
  readonly #again = new Fifo<SharedTurn>();
  /** Whether a turn that sees to those is in the mailbox. */
  #isRecoveryPosted = false;
  /** Whether another node has written, or may have, so that the owner must be loaded before the next turn. */
  #isOutdated = false;
  /** Applied commits that are not confirmed as stored. */
  readonly #unstored: PreparedCommit[] = [];
  /** Count of the loads that have begun, and the last of them that has ended. */
  #loadsBegun = 0;
  #lastLoad = 0;
  /** Rises when what turns have seen may not be what was stored. */
  #loadGeneration = 0;
  readonly #contention = new Contention();
  #writeTurn: WriteTurn | undefined;
  /** Count of turns that wait for what they read, and of replies that wait for the newest version. */
  #runningReads = 0;
  /** Settles when the last commit has: commits of one owner settle in their order. */
  #lastCommit: Promise<void> = Promise.resolve();

  constructor(ownerId: string, context: ActorContext & { readonly store: SharedStore }) {
    super(ownerId, context);
    this.#store = context.store;
  }

  protected override get runningCount(): number {
    return super.runningCount + this.#runningReads + this.#again.count;
  }

  protected override newTurn(turn: Turn): SharedTurn {
    return {
      run: turn.run,
      refuse: turn.refuse,
      isQuery: turn.isQuery,
      loadGeneration: 0,
      loadsBefore: this.#loadsBegun,
      freshVersion: undefined,
      repeatedUntil: undefined,
      reads: undefined,
      readsAlone: false,
    };
  }

  protected override take(turn: SharedTurn): void | Promise<void> {
    return this.#takeUpToDate(turn);
  }

  /** Runs the turns that run again, and then this one, on what the store has. */
  #takeUpToDate(turn: SharedTurn | undefined): void | Promise<void> {
    if (this.isDiscarded) return turn?.refuse('ownerReset');
    if (this.state !== undefined && !this.#isOutdated && this.#again.count === 0) return turn && this.run(turn);
    return this.#recover().then(
      () => turn && this.run(turn),
      async (error: unknown) => {
        if (turn !== undefined) await this.onError(turn, error);
        for (let next = this.#again.shift(); next !== undefined; next = this.#again.shift()) {
          await this.onError(next, error);
        }
      },
    );
  }

  /** Loads the owner where it must be, and runs the turns that run again. */
  async #recover(): Promise<void> {
    for (;;) {
      if (this.state === undefined || this.#isOutdated) await this.load();
      const turn = this.#again.shift();
      if (turn === undefined) return;
      await this.run(turn);
    }
  }

  protected override run(turn: SharedTurn): void | Promise<void> {
    if (turn.loadGeneration !== this.#loadGeneration) {
      turn.loadGeneration = this.#loadGeneration;
      // What was read before this state was loaded may be older than it is.
      if (turn.reads?.hasFound === true) turn.readsAlone = true;
      turn.reads = undefined;
    }
    if (turn.loadsBefore < this.#lastLoad) turn.freshVersion = this.durableVersion;
    return super.run(turn);
  }

  protected override onError(turn: SharedTurn, error: unknown): void | Promise<void> {
    if (!(error instanceof ReadNotReady)) return super.onError(turn, error);
    if (error.isExclusive) {
      return error.reading.then(
        () => (this.#mayRunAgain(turn) ? this.take(turn) : undefined),
        (failed: unknown) => this.onError(turn, failed),
      );
    }
    // Other turns need not wait for what this one reads.
    this.#runningReads++;
    error.reading.then(
      () => {
        this.#runningReads--;
        this.#repeat(turn);
      },
      (failed: unknown) => {
        this.#runningReads--;
        void this.onError(turn, failed);
      },
    );
    return undefined;
  }

  protected override commit(turn: SharedTurn, state: OwnerState, decided: Decided, prepared: PreparedCommit): void {
    if (turn.loadGeneration !== this.#loadGeneration) return this.#repeat(turn);
    return super.commit(turn, state, decided, prepared);
  }

  protected override store(prepared: PreparedCommit, onStored: () => void): void {
    const loadGeneration = this.#loadGeneration;
    this.#unstored.push(prepared);
    this.#lastCommit = (this.#writeTurn ?? this.#store).commit(prepared).then(
      (isAwaited) => {
        this.#unstored.shift();
        this.#contention.won();
        if (isAwaited) {
          this.#contention.others();
          // This node's next turn is after theirs.
          this.#isOutdated = true;
        }
        onStored();
      },
      (error: unknown) => {
        if (error instanceof ConflictError) return this.#rollBack(loadGeneration);
        return this.commitFailed(prepared.expectedVersion + 1, error);
      },
    );
  }

  /** Another node has committed first: nothing is stored of what was applied since, and its turns run again. */
  #rollBack(loadGeneration: number): void {
    // The commits after it conflict too.
    if (loadGeneration !== this.#loadGeneration) return;
    this.#loadGeneration++;
    this.#isOutdated = true;
    this.#contention.lost();
    this.keptAnswers.forgetPending();
    for (let next = this.waitingReplies.shift(); next !== undefined; next = this.waitingReplies.shift()) {
      this.#repeat(next.turn as SharedTurn);
    }
  }

  /** Runs a turn again that saw what was outdated, or now has what it asked for. */
  #repeat(turn: SharedTurn): void {
    if (!this.#mayRunAgain(turn)) return;
    this.#again.push(turn);
    if (this.#isRecoveryPosted) return;
    this.#isRecoveryPosted = true;
    this.mailbox.after(() => {
      this.#isRecoveryPosted = false;
      return this.#takeUpToDate(undefined);
    });
  }

  /** Refuses a turn that must not run again: not without end, while others write all the time. */
  #mayRunAgain(turn: SharedTurn): boolean {
    const now = performance.now();
    turn.repeatedUntil ??= now + TURN_REPETITION_MS;
    if (!this.isDiscarded && now <= turn.repeatedUntil) return true;
    turn.refuse(this.isDiscarded ? 'ownerReset' : 'overloaded');
    return false;
  }

  protected override async load(): Promise<void> {
    // What is under way may be of use: it is loaded with the rest.
    await this.#lastCommit;
    this.#endWriteTurn();
    await this.#contention.pause();
    const begun = ++this.#loadsBegun;
    const { state } = this;
    const version = this.durableVersion;
    const caughtUp = state && (await this.#catchUp({ state, version, unstored: this.#unstored }));
    if (state !== undefined && caughtUp !== undefined) {
      const { changes, recordCount, answerBytes } = caughtUp;
      if (changes.version > version) this.#contention.others();
      adopt(state, changes);
      const isWhole = recordCount === undefined || recordCount === recordCountOf(state);
      if (isWhole) return this.#loadedAs(begun, { state, answerBytes });
      // Whatever is wrong, a load of all of it says so.
      this.state = undefined;
      this.#loadGeneration++;
    }
    this.#endWriteTurn();
    this.#loadedAs(begun, await this.#store.loadOwner(this.ownerId));
  }

  async #catchUp(known: KnownOwner): Promise<CaughtUp | undefined> {
    if (!this.#contention.isContended) return this.#store.changesSince(known);
    const writeTurn = await this.#store.takeTurn(known);
    this.#writeTurn = writeTurn;
    // It is for the turns that wait now.
    this.mailbox.after(() => {
      if (this.#writeTurn !== writeTurn) return;
      this.#isOutdated = true;
      this.#endWriteTurn();
    });
    return writeTurn.caughtUp;
  }

  #endWriteTurn(): void {
    this.#writeTurn?.end();
    this.#writeTurn = undefined;
  }

  #loadedAs(begun: number, owner: LoadedOwner): void {
    this.#unstored.length = 0;
    this.#isOutdated = false;
    this.#lastLoad = begun;
    this.#loadGeneration++;
    this.loaded(owner);
  }

  protected override readsOf(turn: SharedTurn): StoreReads {
    return (turn.reads ??= new TurnReads(this.#store, this.ownerId, turn.readsAlone));
  }

  protected override storedAnswer(key: string, turn: SharedTurn): IdempotencyEntry | undefined {
    turn.reads ??= new TurnReads(this.#store, this.ownerId, turn.readsAlone);
    // A turn with the same key may not decide in the meantime.
    return turn.reads.now(`answer ${key}`, () => this.#store.idempotencyEntry(key), true);
  }

  protected override reply(turn: SharedTurn, version: number, outcome: unknown, reply: Reply<unknown>): void {
    // What it has read may be newer than what was loaded.
    const freshVersion = turn.reads?.hasFound === true ? undefined : turn.freshVersion;
    // It was the newest after the request came, and is stored, whatever was loaded since.
    if (freshVersion !== undefined && version <= freshVersion) return this.send(reply, outcome);
    if (turn.loadGeneration !== this.#loadGeneration) return this.#repeat(turn);
    if (freshVersion !== undefined) return this.replyWhenDurable(turn, version, outcome, reply);
    const wasDurable = version <= this.durableVersion;
    this.#runningReads++;
    this.#store.newestVersion(this.ownerId).then(
      (newest) => {
        this.#runningReads--;
        if (wasDurable && newest <= version) return this.send(reply, outcome);
        if (turn.loadGeneration !== this.#loadGeneration) return this.#repeat(turn);
        // Up to this version, all are of this node once they are durable: then its state was the newest after the request came.
        if (newest <= (this.state as OwnerState).version) {
          return this.replyWhenDurable(turn, Math.max(version, newest), outcome, reply);
        }
        this.#isOutdated = true;
        return this.#repeat(turn);
      },
      (error: unknown) => {
        this.#runningReads--;
        void this.onError(turn, error);
      },
    );
    return undefined;
  }

  protected override discard(error: unknown): void {
    if (this.isDiscarded) return;
    super.discard(error);
    this.#endWriteTurn();
    for (let next = this.#again.shift(); next !== undefined; next = this.#again.shift()) next.refuse('ownerReset');
  }
}
