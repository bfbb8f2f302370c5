/**
 * Whose requests an endpoint is about: those of a mock, or of one of its sessions. Endpoints about traffic are declared for either.
 */
import { isRefusal, type RefusalKind } from '../../../../errors.ts';
import type { Mock } from '../../../../model/mocks/mock.ts';
import { readMock } from '../../../../model/mocks/show/query-mock.ts';
import type { SessionOverlay } from '../../../../model/mocks/sessions/session.ts';
import type { TrafficFilter } from '../../../../model/mocks/traffic.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { LiveSession } from '../../../../sessions/live-sessions.ts';
import type { SessionBook } from '../../../../sessions/session-book.ts';
import type { Call } from '../../../call.ts';

export interface Scoped {
  readonly mock: Mock;
  /** Undefined for the mock as a whole. */
  readonly live: LiveSession | undefined;
  /** False once the session has ended: its id may be that of another by now. */
  readonly isLive: () => boolean;
}

/** The overlays of the sessions of a scope. */
export type OverlaysOf = (scoped: Scoped) => Iterable<SessionOverlay>;

export interface TrafficScope {
  readonly kind: 'mock' | 'session';
  /** Paths begin with it. */
  readonly path: string;
  /** Operation ids end with it. */
  readonly suffix: string;
  readonly refusals: readonly RefusalKind[];
  /** Runs `use` when the caller's owner has the mock, and the session lives; an error in it is a server error. */
  readonly enter: (call: Call, use: (scoped: Scoped) => Promise<void>) => void;
}

/** That of a mock, and that of a session. */
export function trafficScopes(owners: OwnerDirectory, sessions: SessionBook): readonly TrafficScope[] {
  return [
    {
      kind: 'mock',
      path: '/v1/mocks/:id',
      suffix: '',
      refusals: ['mockNotFound'],
      enter: (call, use) => withMock(owners, call, (mock) => use({ mock, live: undefined, isLive: () => true })),
    },
    {
      kind: 'session',
      path: '/v1/mocks/:id/sessions/:sid',
      suffix: 'InSession',
      refusals: ['mockNotFound', 'sessionNotFound'],
      enter: (call, use) =>
        withSession(owners, sessions, call, (mock, live) => use({ mock, live, isLive: () => sessions.isLive(live) })),
    },
  ];
}

/** The requests of the scope. Those of a mock are with those of its sessions. */
export function scopeFilter({ live }: Scoped): Pick<TrafficFilter, 'session'> {
  return live === undefined ? {} : { session: live.session.id };
}

/** Runs `use` when the caller's owner has the mock; an error in it is a server error. */
export function withMock(owners: OwnerDirectory, call: Call, use: (mock: Mock) => Promise<void>): void {
  owners.query(readMock, { mockId: call.params[0] ?? '' }, call.caller, (mock) =>
    isRefusal(mock) ? call.refuse(mock) : void call.later(Promise.resolve(mock), use),
  );
}

/** Like `withMock`, for a live session. The call counts as use of the session. */
export function withSession(
  owners: OwnerDirectory,
  sessions: SessionBook,
  call: Call,
  use: (mock: Mock, live: LiveSession) => Promise<void>,
): void {
  withMock(owners, call, async (mock) => {
    const live = sessions.find(mock.id, call.params[1] ?? '');
    return isRefusal(live) ? call.refuse(live) : use(mock, live);
  });
}
