/** Makes the data plane serve what is committed of a mock. */
import type { PublishHere } from '../cluster/homes.ts';
import { StoreUnavailableError } from '../errors.ts';
import { PUBLISH_RETRY_MS } from '../limits.ts';
import type { PublishedMock } from '../model/mocks/definition.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { Store } from '../store/store.ts';

/** @returns Whether every thread serves it, as DataPlane.publish. @throws StoreUnavailableError */
export type PublishMock = (mockId: string) => Promise<boolean>;

/** @param onPublished Called with what is served from now on, or with undefined for a mock that is deleted. */
export function publishingHere(
  store: Store,
  dataPlane: DataPlane,
  sessions: SessionBook,
  onPublished: (mockId: string, mock: PublishedMock | undefined) => void,
): PublishHere {
  return async (mockId, isCurrent) => {
    const mock = await store.publishedMock(mockId);
    if (isCurrent?.() === false) return false;
    onPublished(mockId, mock);
    if (mock !== undefined) return dataPlane.publish(mock);
    sessions.endMock(mockId);
    return dataPlane.remove(mockId);
  };
}

/**
 * What was committed is published: when the store goes away between the two, that is done once it is there again, and the
 * answer says that it is not published yet.
 */
export function publishingLater(publish: PublishMock): PublishMock {
  const attempt: PublishMock = async (mockId) => {
    try {
      return await publish(mockId);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      setTimeout(() => void attempt(mockId).catch(() => undefined), PUBLISH_RETRY_MS).unref();
      return false;
    }
  };
  return attempt;
}
