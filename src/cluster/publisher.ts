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

interface Pending {
  options: LocalPublish;
  /** Whether it has read the mock: a later save then needs another publish. */
  hasRead: boolean;
  isServed: Promise<boolean>;
}

/**
 * Makes the data plane of this server serve what is committed, or forget what was deleted. Publishes of one mock follow each other: all that
 * wait for the one before are one, which reads the newest version. So an owner that saves a large mock in a loop has it sent once for many.
 */
export class LocalPublisher {
  readonly #parts: () => Pick<HomeParts, 'store' | 'dataPlane' | 'sessions'>;
  /** The latest unfinished publish of each mock. */
  readonly #latest = new Map<string, Pending>();

  constructor(parts: () => Pick<HomeParts, 'store' | 'dataPlane' | 'sessions'>) {
    this.#parts = parts;
  }

  /** @returns As DataPlane.publish. @throws StoreUnavailableError */
  publish(mockId: string, options: LocalPublish): Promise<boolean> {
    const before = this.#latest.get(mockId);
    if (before?.hasRead === false) {
      before.options = together(before.options, options);
      return before.isServed;
    }
    const pending: Pending = { options, hasRead: false, isServed: Promise.resolve(false) };
    this.#latest.set(mockId, pending);
    pending.isServed = this.#follow(mockId, pending, before?.isServed);
    return pending.isServed;
  }

  /** The outcome of the latest unfinished publish of a mock. Without one, whether the data plane is up: it then serves what is committed. */
  published(mockId: string): Promise<boolean> {
    return this.#latest.get(mockId)?.isServed ?? Promise.resolve(this.#parts().dataPlane.isServing);
  }

  async #follow(mockId: string, pending: Pending, before: Promise<boolean> | undefined): Promise<boolean> {
    const { store, dataPlane } = this.#parts();
    try {
      await before?.catch(() => false);
      const ownerId = (await store.ownerOf(mockId)) ?? '';
      const { isServed } = await dataPlane.inTurn(ownerId, mockId, () => this.#send(mockId, pending));
      return await isServed;
    } finally {
      if (this.#latest.get(mockId) === pending) this.#latest.delete(mockId);
    }
  }

  /** Resolves when it is sent. */
  async #send(mockId: string, pending: Pending): Promise<{ readonly isServed: Promise<boolean> }> {
    const { store, dataPlane, sessions } = this.#parts();
    pending.hasRead = true;
    const { isCurrent, isServed, onRead, keepsSequences } = pending.options;
    const mock = await store.publishedMock(mockId);
    if (isCurrent?.() === false) return { isServed: Promise.resolve(false) };
    if (mock !== undefined && isServed?.(mock) === true) return { isServed: Promise.resolve(dataPlane.isServing) };
    onRead?.(mock);
    sessions.endAllBut(mock, mockId);
    if (mock === undefined) return { isServed: dataPlane.remove(mockId) };
    return new Promise((resolve) => {
      const onSent = (): void => resolve({ isServed: served });
      const served = dataPlane.publish(mock, { keepsSequences, onSent });
      // It may not be sent at all.
      served.then(onSent, onSent);
    });
  }
}

/** Merges two publishes that wait. @param later The newer one, which knows the current homes. */
function together(one: LocalPublish, later: LocalPublish): LocalPublish {
  return {
    ...later,
    isServed: one.isServed && later.isServed,
    keepsSequences: one.keepsSequences === true && later.keepsSequences === true,
  };
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
