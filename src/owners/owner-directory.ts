/**
 * The owners in memory: finds an owner's actor, makes it on first use, lets go of idle ones, and bounds how many there are.
 */
import { refuse, type Refusal } from '../errors.ts';
import { OWNER_IDLE_MS, RESIDENT_OWNERS_MAX } from '../limits.ts';
import type { Command, Query } from '../model/command.ts';
import type { Principal } from '../model/principal.ts';
import { OwnerActor, type ActorContext, type Repetition, type Reply } from './owner-actor.ts';

export interface OwnerDirectoryOptions {
  readonly residentOwnersMax?: number;
  readonly ownerIdleMs?: number;
}

export class OwnerDirectory {
  readonly #context: ActorContext;
  readonly #residentMax: number;
  readonly #idleMs: number;
  /** In line for passivation: those at the front have waited longest since they were last found in use. */
  readonly #actors = new Map<string, OwnerActor>();
  readonly #sweep: NodeJS.Timeout;

  constructor(context: ActorContext, options: OwnerDirectoryOptions = {}) {
    this.#context = {
      ...context,
      onDiscarded: (actor, error) => {
        // Its successor may be there already.
        if (this.#actors.get(actor.ownerId) === actor) this.#actors.delete(actor.ownerId);
        context.onDiscarded(actor, error);
      },
    };
    this.#residentMax = options.residentOwnersMax ?? RESIDENT_OWNERS_MAX;
    this.#idleMs = options.ownerIdleMs ?? OWNER_IDLE_MS;
    this.#sweep = setInterval(() => this.passivateIdle(this.#idleMs), Math.max(50, this.#idleMs / 4));
    this.#sweep.unref();
  }

  /** Asks the principal's owner. `reply` is called once, now or later. */
  query<Input, Answer>(query: Query<Input, Answer>, input: Input, principal: Principal, reply: Reply<Answer>): void {
    this.#withActor(principal, reply, (actor) => actor.query(query, input, principal, reply));
  }

  /** Gives a command to the principal's owner. `reply` is called once, when what the command did is durable. */
  command<Input, Answer>(
    command: Command<Input, Answer>,
    input: Input,
    principal: Principal,
    reply: Reply<Answer>,
    repetition?: Repetition<Answer>,
  ): void {
    this.#withActor(principal, reply, (actor) => actor.command(command, input, principal, reply, repetition));
  }

  /** Owners in memory, and turns that wait for any of them. */
  figures(): { residentOwners: number; waitingTurns: number } {
    let waitingTurns = 0;
    for (const actor of this.#actors.values()) waitingTurns += actor.waitingCount;
    return { residentOwners: this.#actors.size, waitingTurns };
  }

  /** Lets go of the owners that nobody has used for a while, in milliseconds; without it, of all that are not at work. */
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
      actor = new OwnerActor(ownerId, this.#context);
      this.#actors.set(ownerId, actor);
      actor.queuedAt = actor.usedAt = performance.now();
    } else actor.usedAt = performance.now();
    return use(actor);
  }

  /**
   * Lets go of the first in line that nobody has used since it took its place; the others go behind, so each use is looked at once.
   * Looking at all of them for the oldest cost every request at the cap as much as there are residents.
   *
   * @returns false when every owner in memory is at work.
   */
  #passivateOldest(): boolean {
    // The second time round, all that are idle are where they were put.
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
