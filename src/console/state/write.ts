/**
 * Writes: shows progress and failures, and makes a repetition harmless.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { wrote } from './changes.ts';
import { failureOf, isRefusedByTag, type Failure } from './failure.ts';
import { checkKeyAfter } from './session.ts';

export class Write {
  readonly #isRunning = signal(false);
  readonly isRunning: ReadonlySignal<boolean> = this.#isRunning;
  readonly #failure = signal<Failure | undefined>(undefined);
  readonly failure: ReadonlySignal<Failure | undefined> = this.#failure;

  /**
   * Runs one request at a time; ignores further calls until it ends.
   *
   * @returns The answer, or undefined after a failure, which `failure` holds.
   */
  async run<Answer>(send: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#isRunning.value) return undefined;
    this.#isRunning.value = true;
    wrote();
    try {
      const answer = await send();
      this.#failure.value = undefined;
      return answer;
    } catch (error) {
      const failure = failureOf(error);
      this.#failure.value = failure;
      checkKeyAfter(failure);
      return undefined;
    } finally {
      wrote();
      this.#isRunning.value = false;
    }
  }

  clear(): void {
    this.#failure.value = undefined;
  }
}

export const useWrite = (): Write => useMemo(() => new Write(), []);

const TRIES = 5;

/** Retries a write that a newer tag refused. @param send Re-reads the tag where `isAgain`. */
export async function repeated<Answer>(send: (isAgain: boolean) => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await send(tries > 1);
    } catch (error) {
      if (!isRefusedByTag(failureOf(error)) || tries === TRIES) throw error;
    }
  }
}

/** For POST requests: the same key and body take effect once. */
export const newIdempotencyKey = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};
