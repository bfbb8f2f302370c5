/**
 * Limits how many pages of recorded requests are asked for concurrently: a page of 4 MB exists in a thread, in both
 * processes and on its way between them, and hundreds of readers would have as many copies each. Mocks take turns, one
 * question of each at a time: a reader that asks a lot of one mock delays only the questions about that mock.
 */
import { DATA_PLANE_QUERY_MS } from '../../limits.ts';

/** Queries for pages of one mock that wait for one another. */
export const TRAFFIC_PAGES_WAITING_MAX = 256;

export class PageQuestions {
  /** Waiting questions, by mock. A mock whose question is running is absent, or behind the others. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  /** Mocks that have a question running. */
  readonly #running = new Set<string>();
  readonly #concurrentMax: number;

  constructor(concurrentMax: number) {
    this.#concurrentMax = concurrentMax;
  }

  /** @returns undefined when too many questions wait, or this one has waited too long. */
  ask<Answer>(mockId: string, question: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    const waiting = this.#waiting.get(mockId) ?? [];
    if (waiting.length >= TRAFFIC_PAGES_WAITING_MAX) return Promise.resolve(undefined);
    const deadline = performance.now() + DATA_PLANE_QUERY_MS;
    return new Promise((resolve, reject) => {
      waiting.push(async () => {
        if (performance.now() > deadline) return resolve(undefined);
        return question().then(resolve, reject);
      });
      this.#waiting.set(mockId, waiting);
      this.#startNext();
    });
  }

  #startNext(): void {
    for (const [mockId, waiting] of this.#waiting) {
      if (this.#running.size >= this.#concurrentMax) return;
      if (this.#running.has(mockId)) continue;
      const question = waiting.shift() as () => Promise<void>;
      // The mock goes behind the others.
      this.#waiting.delete(mockId);
      if (waiting.length > 0) this.#waiting.set(mockId, waiting);
      this.#running.add(mockId);
      void question().finally(() => {
        this.#running.delete(mockId);
        this.#startNext();
      });
    }
  }
}
