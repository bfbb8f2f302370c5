/**
 * Exchanges of an owner whose rules take long wait for their turn, so that those of others go on (base/fair-shares.ts). A single
 * evaluation is not interrupted: RULE_WORK_MAX bounds it.
 */
import type { FairShares } from '../../base/fair-shares.ts';

export const TOO_MANY_WAIT = 'too many exchanges of the owner are waiting for their turn';

/**
 * Runs work at once, or when its owner has its turn.
 *
 * @param onFault Gets what `work` throws: a fault of this program, which ends one exchange and no more.
 * @returns false where too many wait; then it will not run.
 */
export function takeTurn(
  shares: FairShares,
  ownerId: string,
  work: () => void,
  onFault: (error: Error) => void,
): boolean {
  return shares.run(ownerId, 0, () => {
    try {
      work();
    } catch (error) {
      onFault(error as Error);
    }
  });
}

/** @returns What `work` returns, or a promise returned by it resolves with; undefined where too many wait. */
export function inTurn<Result>(shares: FairShares, ownerId: string, work: () => Result): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    if (!takeTurn(shares, ownerId, () => resolve(work()), reject)) resolve(undefined);
  });
}

interface Flow {
  pause(): void;
  resume(): void;
}

/** Holds the rest of an answer, which is passed on behind what rules make of its head. */
export class HeldAnswer {
  #isHeld = false;
  #steps: (() => void)[] | undefined;
  #paused: Flow | undefined;

  /** @param act Calls `release` now or later, unless the answer is given up. */
  hold(act: () => void, flow: Flow | undefined): void {
    this.#isHeld = true;
    act();
    if (!this.#isHeld) return;
    this.#paused = flow;
    flow?.pause();
  }

  pass(step: () => void): void {
    if (this.#isHeld) (this.#steps ??= []).push(step);
    else step();
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#paused?.resume();
    const steps = this.#steps ?? [];
    this.#steps = undefined;
    for (const step of steps) step();
  }
}
