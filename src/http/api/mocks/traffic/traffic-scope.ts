/**
 * Whose requests an endpoint is about: those of a mock, or of one of its sessions. Endpoints about traffic are declared for either.
 */
import { isRefusal } from '../../../../errors.ts';
import type { Query } from '../../../../model/command.ts';
import type { Mock } from '../../../../model/mocks/mock.ts';
import { readMock } from '../../../../model/mocks/show/query-mock.ts';
import type { SessionOverlay } from '../../../../model/mocks/sessions/session.ts';
import type { TrafficFilter } from '../../../../model/mocks/traffic.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { LiveSession } from '../../../../sessions/live-sessions.ts';
import type { SessionBook } from '../../../../sessions/session-book.ts';
import type { Subject } from '../../operation.ts';

export interface TrafficSubject {
  readonly mock: Mock;
  /** Undefined for the mock as a whole. */
  readonly live: LiveSession | undefined;
  /** False once the session has ended: its id may be that of another by now. */
  readonly isLive: () => boolean;
}

/** The overlays of the sessions of a scope. */
export type OverlaysOf = (scoped: TrafficSubject) => Iterable<SessionOverlay>;

export interface TrafficScope extends Subject<TrafficSubject> {
  readonly kind: 'mock' | 'session';
}

/** That of a mock, and that of a session. */
export function trafficScopes(owners: OwnerDirectory, sessions: SessionBook): readonly TrafficScope[] {
  const { path, enter } = ofMock(owners);
  return [
    {
      kind: 'mock',
      path,
      enter: (call, use) => enter(call, (mock) => use({ mock, live: undefined, isLive: () => true })),
    },
    { kind: 'session', suffix: 'InSession', ...ofSession(owners, sessions) },
  ];
}

/** Subject that a query finds of the caller's owner. */
export function ofOwner<Found>(owners: OwnerDirectory, query: Query<undefined, Found>): Subject<Found> {
  return {
    path: '',
    enter: (call, use) =>
      owners.query(query, undefined, call.caller, (found) =>
        isRefusal(found) ? call.refuse(found) : void call.later(Promise.resolve(found), use),
      ),
  };
}

/** A mock of the caller's owner. @param query Finds it, or refuses it. */
export function ofMock(owners: OwnerDirectory, query: Query<{ mockId: string }, Mock> = readMock): Subject<Mock> {
  return {
    path: '/v1/mocks/:id',
    enter: (call, use) =>
      owners.query(query, { mockId: call.params[0] ?? '' }, call.caller, (mock) =>
        isRefusal(mock) ? call.refuse(mock) : void call.later(Promise.resolve(mock), use),
      ),
  };
}

/** A live session of a mock of the caller's owner. The call counts as use of the session. */
export function ofSession(
  owners: OwnerDirectory,
  sessions: SessionBook,
): Subject<TrafficSubject & { readonly live: LiveSession }> {
  const { path, enter } = ofMock(owners);
  return {
    path: `${path}/sessions/:sid`,
    enter: (call, use) =>
      enter(call, (mock) => {
        const live = sessions.find(mock.id, call.params[1] ?? '');
        return isRefusal(live) ? call.refuse(live) : use({ mock, live, isLive: () => sessions.isLive(live) });
      }),
  };
}

/** The requests of the scope. Those of a mock are with those of its sessions. */
export function scopeFilter({ live }: TrafficSubject): Pick<TrafficFilter, 'session'> {
  return live === undefined ? {} : { session: live.session.id };
}
