/**
 * The owners in memory: finds an owner's actor or creates it, removes idle ones, and bounds their number.
 */
import { isRefusal, refuse, type Refusal } from '../errors.ts';
import { OWNER_IDLE_MS, RESIDENT_OWNERS_MAX } from '../limits.ts';
import type { Command, Query } from '../model/command.ts';
import type { Principal } from '../model/principal.ts';
import { isShared } from '../store/store.ts';
import type { ActorContext } from './actor-context.ts';
import { OwnerActor } from './owner-actor.ts';
import { SharedOwner } from './shared-owner.ts';
import type { Repetition, Reply } from './turn.ts';

/** Owners remembered as logged, so that each is logged once. */
const DATES_AHEAD_NAMED_MAX = 10_000;

/** Names of commands. */
const CHANGES_RULES = /^(?:rule|group|gateway)\./;

interface OwnerDirectoryOptions {
  readonly residentOwnersMax?: number;
  readonly ownerIdleMs?: number;
}

export class OwnerDirectory {
  readonly #context: ActorContext;
  readonly #residentMax: number;
  readonly #idleMs: number;
  /** In order of passivation: the first were queued longest ago. */
  readonly #actors = new Map<string, OwnerActor>();
  /** Owners whose dates are ahead of the clock: each is reported once, however often it is loaded. */
  readonly #reportedAhead = new Set<string>();
  readonly #sweep: NodeJS.Timeout;

  constructor(context: ActorContext, options: OwnerDirectoryOptions = {}) {
    this.#context = {
      ...context,
      onDiscarded: (actor, error) => {
        // Its successor may exist already.
        if (this.#actors.get(actor.ownerId) === actor) this.#actors.delete(actor.ownerId);
        context.onDiscarded(actor, error);
      },
      onDateAhead: (ownerId, aheadMs) => {
        if (this.#reportedAhead.has(ownerId) || this.#reportedAhead.size >= DATES_AHEAD_NAMED_MAX) return;
        this.#reportedAhead.add(ownerId);
        context.onDateAhead(ownerId, aheadMs);
      },
    };
    this.#residentMax = options.residentOwnersMax ?? RESIDENT_OWNERS_MAX;
    this.#idleMs = options.ownerIdleMs ?? OWNER_IDLE_MS;
    this.#sweep = setInterval(() => this.passivateIdle(this.#idleMs), Math.max(50, this.#idleMs / 4));
    this.#sweep.unref();
  }

  /** Queries the principal's owner. `reply` is called once, now or later. */
  query<Input, Answer>(query: Query<Input, Answer>, input: Input, principal: Principal, reply: Reply<Answer>): void {
    this.#withActor(principal, reply, (actor) => actor.query(query, input, principal, reply));
  }

  /** Queries like `query`, for callers that wait. */
  ask<Input, Answer>(query: Query<Input, Answer>, input: Input, principal: Principal): Promise<Answer | Refusal> {
    return new Promise((resolve) => this.query(query, input, principal, resolve));
  }

  /** Commands like `command`, for callers that wait. */
  change<Input, Answer>(
    command: Command<Input, Answer>,
    input: Input,
    principal: Principal,
  ): Promise<Answer | Refusal> {
    return new Promise((resolve) => this.command(command, input, principal, resolve));
  }

  /** Gives a command to the principal's owner. `reply` is called once, when its changes are durable. */
  command<Input, Answer>(
    command: Command<Input, Answer>,
    input: Input,
    principal: Principal,
    reply: Reply<Answer>,
    repetition?: Repetition<Answer>,
  ): void {
    if (this.#context.publishRules !== undefined && CHANGES_RULES.test(command.name)) {
      const { ownerId } = principal;
      const published = this.#oncePublished(ownerId, reply);
      const kept = repetition?.reply && { ...repetition, reply: this.#oncePublished(ownerId, repetition.reply) };
      return this.#withActor(principal, reply, (actor) =>
        actor.command(command, input, principal, published, kept ?? repetition),
      );
    }
    return this.#withActor(principal, reply, (actor) => actor.command(command, input, principal, reply, repetition));
  }

  /** A reply that waits until what it says is heeded wherever rules act. */
  #oncePublished<Answer>(ownerId: string, reply: Reply<Answer>): Reply<Answer> {
    const { publishRules, onReplyError } = this.#context;
    return (outcome) => {
      const published = isRefusal(outcome) ? undefined : publishRules?.(ownerId);
      if (published === undefined) return reply(outcome);
      published.then(() => reply(outcome)).catch(onReplyError);
      return undefined;
    };
  }

  /** Owners in memory, and turns that wait for any of them. */
  figures(): { residentOwners: number; waitingTurns: number } {
    let waitingTurns = 0;
    for (const actor of this.#actors.values()) waitingTurns += actor.waitingCount;
    return { residentOwners: this.#actors.size, waitingTurns };
  }

  /** Removes the owners that were not used for so many milliseconds; without an argument, all that are idle. */
  passivateIdle(idleMs = 0): void {
    const before = performance.now() - idleMs;
    for (const [ownerId, actor] of this.#actors) {
      if (actor.idle && actor.usedAt <= before) this.#actors.delete(ownerId);
    }
  }

  stop(): void {
    clearInterval(this.#sweep);
  }

  #withActor({ ownerId }: Principal, refused: (refusal: Refusal) => void, use: (actor: OwnerActor) => void): void {
    let actor = this.#actors.get(ownerId);
    if (actor === undefined) {
      if (this.#actors.size >= this.#residentMax && !this.#passivateOldest()) return refused(refuse('overloaded'));
      actor = this.#newActor(ownerId);
      this.#actors.set(ownerId, actor);
      actor.queuedAt = actor.usedAt = performance.now();
    } else actor.usedAt = performance.now();
    return use(actor);
  }

  #newActor(ownerId: string): OwnerActor {
    const { store } = this.#context;
    if (isShared(store)) return new SharedOwner(ownerId, { ...this.#context, store });
    return new OwnerActor(ownerId, this.#context);
  }

  /**
   * Removes the first in order that was not used since it was queued; the others move to the end, so each use is
   * checked once. A search of all for the oldest cost every request at the cap time in proportion to the residents.
   *
   * @returns false when every owner in memory is busy.
   */
  #passivateOldest(): boolean {
    // In the second round, all idle owners are where they were queued.
    let left = this.#actors.size * 2;
    for (const [ownerId, actor] of this.#actors) {
      if (left-- === 0) break;
      this.#actors.delete(ownerId);
      if (actor.idle && actor.usedAt === actor.queuedAt) return true;
      actor.queuedAt = actor.usedAt;
      this.#actors.set(ownerId, actor);
    }
    return false;
  }
}
