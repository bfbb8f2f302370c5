/** Makes what was committed of mocks be served: on this server, and again until it is. */
import { StoreUnavailableError } from '../errors.ts';
import type { PublishedMock } from '../model/mocks/definition/definition.ts';
import type { HomeParts } from './mock-homes.ts';

/** When a mock that was saved is published again, after the store went away in between. */
export const PUBLISH_RETRY_MS = 1_000;

interface LocalPublish {
  /** Asked once the mock is read: when it is not, nothing is done, and the result means nothing. */
  readonly isCurrent?: (() => boolean) | undefined;
  /** Whether what is read is served already: it is not published again. */
  readonly isServed?: ((mock: PublishedMock) => boolean) | undefined;
  /** Called with what is served from now on; undefined for a mock that was deleted. */
  readonly onRead?: (mock: PublishedMock | undefined) => void;
  readonly keepsSequences?: boolean | undefined;
}

/**
 * Makes the data plane of this server serve what is committed, or forget what was deleted.
 *
 * @returns As DataPlane.publish. @throws StoreUnavailableError
 */
export async function publishLocally(
  { store, dataPlane, sessions }: Pick<HomeParts, 'store' | 'dataPlane' | 'sessions'>,
  mockId: string,
  { isCurrent, isServed, onRead, keepsSequences }: LocalPublish,
): Promise<boolean> {
  const mock = await store.publishedMock(mockId);
  if (isCurrent?.() === false) return false;
  if (mock !== undefined && isServed?.(mock) === true) return dataPlane.published(mockId);
  onRead?.(mock);
  sessions.endAllBut(mock, mockId);
  if (mock !== undefined) return dataPlane.publish(mock, { keepsSequences });
  return dataPlane.remove(mockId);
}

export class Publisher<Options = void> {
  readonly #attempt: (mockId: string, options: Options) => Promise<boolean | undefined>;
  /** Mocks that wait for another attempt, which publishes whatever is newest then. */
  readonly #waiting = new Set<string>();

  /** @param attempt Resolves with undefined, or rejects with StoreUnavailableError, when another one has to follow. */
  constructor(attempt: (mockId: string, options: Options) => Promise<boolean | undefined>) {
    this.#attempt = attempt;
  }

  /** @returns Whether the first attempt says that the mock is served. */
  async publishWithRetry(mockId: string, options: Options): Promise<boolean> {
    let isServed: boolean | undefined;
    try {
      isServed = await this.#attempt(mockId, options);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
    if (isServed === undefined) this.#retryLater(mockId, options);
    return isServed === true;
  }

  #retryLater(mockId: string, options: Options): void {
    if (this.#waiting.has(mockId)) return;
    this.#waiting.add(mockId);
    setTimeout(() => {
      this.#waiting.delete(mockId);
      void this.publishWithRetry(mockId, options).catch(() => undefined);
    }, PUBLISH_RETRY_MS).unref();
  }
}
