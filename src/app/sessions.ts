/** The book of live sessions, with where it finds a mock. */
import { systemClock } from '../base/clock.ts';
import { isRefusal } from '../errors.ts';
import type { Mock } from '../model/mocks/mock.ts';
import { readMock } from '../model/mocks/show/query-mock.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import type { LiveSession } from '../sessions/live-sessions.ts';
import { GatewayBook } from '../sessions/gateway-book.ts';
import { SessionBook } from '../sessions/session-book.ts';
import type { Store } from '../store/store.ts';

/** Parts that open after the data plane has started. */
export interface SessionParts {
  readonly store: Pick<Store, 'ownerOf'>;
  readonly owners: OwnerDirectory;
}

/** @param parts Undefined until they are open: no mock is served before. */
export function openSessions(parts: () => SessionParts | undefined, egress: Egress, bytesMax: number): SessionBook {
  return new SessionBook({
    bytesMax,
    clock: systemClock,
    async mockOf(mockId) {
      const opened = parts();
      const ownerId = await opened?.store.ownerOf(mockId);
      if (opened === undefined || ownerId === undefined) return undefined;
      const mock = await mockIn(opened.owners, ownerId, mockId);
      return mock && { mock, ownerId };
    },
    callbacks: {
      cancel: (live) => egress.cancelCallbacks(callbacksOf(live), 'its session has ended'),
      forget: (live) => egress.forgetCallbacks(callbacksOf(live)),
    },
  });
}

/** The book of sessions of gateways. @param parts As of `openSessions`. */
export function openGatewaySessions(parts: () => SessionParts | undefined, mocks: SessionBook): GatewayBook {
  return new GatewayBook({
    clock: systemClock,
    mocks,
    async mockOf(ownerId, mockId) {
      const opened = parts();
      return opened && mockIn(opened.owners, ownerId, mockId);
    },
  });
}

async function mockIn(owners: OwnerDirectory, ownerId: string, mockId: string): Promise<Mock | undefined> {
  const principal = { keyId: '', ownerId, userId: 'session', role: 'viewer' } as const;
  const found = await owners.ask(readMock, { mockId }, principal);
  return isRefusal(found) ? undefined : found;
}

function callbacksOf({ mockId, session }: LiveSession): Parameters<Egress['forgetCallbacks']>[0] {
  return { mockId, scope: { session: session.id, createdAt: session.createdAt } };
}
