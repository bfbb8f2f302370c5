/** Figures of the work of owners that waited for its turn (owner-turns.ts): summed over threads, and reported. */

/** Counts of an owner's work that waited for its turn. */
export interface OwnerWaits {
  readonly ownerId: string;
  /** Requests that wait now. */
  readonly waiting: number;
  /** Requests and messages that have waited, and those that were refused since too many did. */
  readonly waited: number;
  readonly refused: number;
  /** How long a request has waited. */
  readonly longestWaitMs: number;
}

/** Shorter waits are common wherever several requests come at once. */
const NOTABLE_WAIT_MS = 100;

/** Whether it is worth reporting to the owner: something was refused, or a request waited for long. */
export function isNotable({ refused, longestWaitMs }: OwnerWaits): boolean {
  return refused > 0 || longestWaitMs >= NOTABLE_WAIT_MS;
}

/** @returns One for each owner, those that have waited most first. */
export function sumOfWaits(all: readonly OwnerWaits[]): OwnerWaits[] {
  const sums = new Map<string, OwnerWaits>();
  for (const each of all) {
    const sum = sums.get(each.ownerId);
    sums.set(each.ownerId, sum === undefined ? each : togetherOf(each.ownerId, sum, each));
  }
  return [...sums.values()].toSorted((one, other) => other.waited - one.waited);
}

function togetherOf(ownerId: string, one: OwnerWaits, other: OwnerWaits): OwnerWaits {
  return {
    ownerId,
    waiting: one.waiting + other.waiting,
    waited: one.waited + other.waited,
    refused: one.refused + other.refused,
    longestWaitMs: Math.max(one.longestWaitMs, other.longestWaitMs),
  };
}
