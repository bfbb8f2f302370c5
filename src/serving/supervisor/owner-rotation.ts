/**
 * Limits how much of a kind is between the API process and the data plane: a page of 4 MB exists in a thread, in both processes and on its
 * way between them, and hundreds of readers would have as many copies each; and what is behind a definition of 10 MB in the channel waits
 * for it. Owners take turns, and so do the mocks of each, one question of each at a time: who asks a lot of one mock delays only the questions
 * about that mock. An owner has another question running only while more places are free than it has.
 */

/** Questions of one mock that wait for one another, and how long. */
interface Patience {
  readonly countMax: number;
  readonly ms: number;
}

export class OwnerRotation {
  /** Waiting questions, by owner and mock. Who has a question running is absent, or behind the others. */
  readonly #waiting = new Map<string, Map<string, (() => Promise<void>)[]>>();
  /** Questions of each owner that are running. */
  readonly #held = new Map<string, number>();
  /** Mocks that have a question running. */
  readonly #running = new Set<string>();
  readonly #concurrentMax: number;
  readonly #patience: Patience;

  constructor(concurrentMax: number, patience: Patience = { countMax: Infinity, ms: Infinity }) {
    this.#concurrentMax = concurrentMax;
    this.#patience = patience;
  }

  /** @returns undefined when too many questions wait, or this one has waited too long. */
  ask<Answer>(
    ownerId: string,
    mockId: string,
    question: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    const mocks = this.#waiting.get(ownerId) ?? new Map<string, (() => Promise<void>)[]>();
    const waiting = mocks.get(mockId) ?? [];
    if (waiting.length >= this.#patience.countMax) return Promise.resolve(undefined);
    const deadline = performance.now() + this.#patience.ms;
    return new Promise((resolve, reject) => {
      waiting.push(async () => {
        if (performance.now() > deadline) return resolve(undefined);
        return question().then(resolve, reject);
      });
      this.#waiting.set(ownerId, mocks.set(mockId, waiting));
      this.#startNext();
    });
  }

  #startNext(): void {
    for (const [ownerId, mocks] of this.#waiting) {
      const held = this.#held.get(ownerId) ?? 0;
      if (held >= this.#concurrentMax - this.#running.size) continue;
      const next = [...mocks.keys()].find((mockId) => !this.#running.has(mockId));
      if (next === undefined) continue;
      const waiting = mocks.get(next) as (() => Promise<void>)[];
      const question = waiting.shift() as () => Promise<void>;
      // The mock goes behind the others of its owner, and the owner behind the others.
      mocks.delete(next);
      if (waiting.length > 0) mocks.set(next, waiting);
      this.#waiting.delete(ownerId);
      if (mocks.size > 0) this.#waiting.set(ownerId, mocks);
      this.#running.add(next);
      this.#held.set(ownerId, held + 1);
      void question().finally(() => {
        this.#running.delete(next);
        const left = (this.#held.get(ownerId) as number) - 1;
        if (left === 0) this.#held.delete(ownerId);
        else this.#held.set(ownerId, left);
        this.#startNext();
      });
    }
  }
}
