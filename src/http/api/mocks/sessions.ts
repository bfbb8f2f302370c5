/** The sessions of a mock: made, listed, changed, reset, ended; docs/mocks-sessions.md. What they were asked: traffic.ts. */
import { randomId } from '../../../base/random-id.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { digestSecret } from '../../../model/api-key.ts';
import type { Principal } from '../../../model/principal.ts';
import { definitionInSession } from '../../../model/mocks/sessions/definition-in-session.ts';
import type { MockDefinition } from '../../../model/mocks/definition/definition.ts';
import { definitionOf, savedVersionOf, type Mock } from '../../../model/mocks/mock.ts';
import { sessionProblems } from '../../../model/mocks/sessions/session-checks.ts';
import {
  fullSessionSchema,
  listedSessionSchema,
  sessionEndSchema,
  sessionSchema,
} from '../../../model/mocks/sessions/session-schema.ts';
import { baggageOf } from '../../../model/mocks/sessions/named-session.ts';
import type { SessionEnd, SessionOverlay, SessionUse } from '../../../model/mocks/sessions/session.ts';
import type { TrafficRecord } from '../../../model/mocks/traffic.ts';
import { Type } from '../../../model/schema-type.ts';
import type { MockLimits } from '../../../limits.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { LiveSession } from '../../../sessions/live-sessions.ts';
import type { SessionBook } from '../../../sessions/session-book.ts';
import type { Call } from '../../call.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf } from '../operation.ts';
import { replySlice } from '../../page.ts';
import { PAGE_PARAMETERS, parseListQuery } from '../list-query.ts';
import type { DraftBodies } from './drafts.ts';
import type { MockStores } from './stores.ts';
import { ofMock, ofSession } from './traffic/traffic-scope.ts';

/** The addresses of a session, as its record has them. */
export interface SessionUrls {
  /** Null where no host name can name the session. */
  readonly hostUrl: string | null;
  readonly pathUrl: string;
  readonly httpsHostUrl?: string;
  readonly httpsPathUrl?: string;
  readonly mtlsHostUrl?: string;
  readonly mtlsPathUrl?: string;
}

export interface MockSessionsContext {
  readonly owners: OwnerDirectory;
  readonly sessions: SessionBook;
  readonly bodies: DraftBodies;
  readonly limits: MockLimits;
  /** The data plane's epoch at this moment; "" while it is away. */
  readonly epoch: () => string;
  readonly urlsOf: (mockId: string, sessionId: string) => SessionUrls;
  readonly nearest: FindNearest;
  readonly stores: MockStores['stores'];
}

const endQuery = Type.Object({
  stores: Type.Optional(
    Type.Boolean({ default: false, description: 'Also returns the final values of its stores and globals.' }),
  ),
});

interface MissedRequest {
  readonly method: string;
  readonly path: string;
}

/** Finds the routes that are most alike to each request. @returns undefined when it took too long. */
type FindNearest = (
  ownerId: string,
  definition: MockDefinition,
  missed: readonly MissedRequest[],
) => Promise<readonly (readonly MissedRequest[])[] | undefined | Refusal>;

export function mockSessionsApi(context: MockSessionsContext): Endpoint[] {
  const { owners, sessions, bodies, limits } = context;
  const ofOneMock = operationsOf('Sessions', ofMock(owners));
  const operation = operationsOf('Sessions', ofSession(owners, sessions));

  return [
    ofOneMock('createSession', 'POST /sessions', {
      summary: 'Create a session of a mock: its own responses, sequences, states and traffic, for one test',
      data: sessionSchema,
      refuses: ['limitReached', 'sessionTaken'],
      body: { ...bodies.session, examples: { Session: { label: 'a test', idleMs: 60_000, overlay: {} } } },
      async run(call, { found: mock, body: draft }) {
        const made = sessions.create(mock, call.caller.ownerId, draft);
        if (isRefusal(made)) return made;
        call.releaseBody();
        const compat = draft.compat === true ? withSecret(made.live, call.caller) : {};
        return { ...showSession(context, mock, made.live), ...compat, ...unlessPublished(await made.published) };
      },
    }),
    ofOneMock('listSessions', 'GET /sessions', {
      summary: 'List live sessions, newest first',
      query: Type.Object(PAGE_PARAMETERS),
      answer: Type.Object({
        data: Type.Array(listedSessionSchema),
        total: Type.Integer(),
        nextOffset: Type.Union([Type.Integer(), Type.Null()]),
      }),
      readQuery: (query) => parseListQuery(query, {}),
      async run(call, { found: mock, query: { page } }) {
        const uses = await sessions.uses(mock.id);
        return replySlice(call, sessions.list(mock.id), page, (live) =>
          JSON.stringify({ ...showSession(context, mock, live), ...countsOf(live, uses) }),
        );
      },
    }),
    operation('readSession', 'GET', {
      summary: 'Read a session, with its overlay and warnings',
      data: fullSessionSchema(limits),
      async run(call, { found: { mock, live } }) {
        const uses = await sessions.uses(mock.id);
        const { overlay, state } = live.session;
        const warnings = sessionProblems(live.session, definitionOf(mock.saved));
        return call.answer(4 * live.bytes, () =>
          succeed(call, { ...showSession(context, mock, live), ...countsOf(live, uses), overlay, state, warnings }),
        );
      },
    }),
    operation('replaceOverlay', 'PUT /overlay', {
      summary: 'Replace the overlay; keeps sequences, states and traffic',
      data: sessionSchema,
      refuses: ['limitReached'],
      body: bodies.overlay,
      async run(call, { found: { mock, live }, body: draft }) {
        const published = sessions.putOverlay(live, mock, draft);
        if (isRefusal(published)) return published;
        call.releaseBody();
        return { ...showSession(context, mock, live), ...unlessPublished(await published) };
      },
    }),
    operation('resetSession', 'POST /reset', {
      summary: 'Reset traffic, counts, sequences and states of a session',
      message: 'Session reset successfully',
      run: async (_call, { found: { live } }) => ((await sessions.reset(live)) ? undefined : refuse('overloaded')),
    }),
    operation('endSession', 'DELETE', {
      summary: 'End a session; returns its counts, unmatched requests and unused parts of its overlay',
      query: endQuery,
      data: sessionEndSchema,
      async run(call, { found: { mock, live }, query }) {
        const asked = { mockId: mock.id, session: live.session.id, action: { kind: 'dump' } } as const;
        const left = query.stores === true ? await context.stores(asked) : undefined;
        const end = JSON.stringify(await endMockSession(context, call, mock, live));
        const dump = left?.kind === 'stores' ? (left.dump ?? '') : '';
        // The globals are behind the stores.
        const json = dump === '' ? end : `${end.slice(0, -1)},${dump.slice(1)}`;
        return call.answer(json.length, () => call.succeed(`"data":${json}`));
      },
    }),
  ];
}

/** Ends a session. @returns What it leaves: `sessionEndSchema`. */
export async function endMockSession(
  context: MockSessionsContext,
  call: Call,
  mock: Mock,
  live: LiveSession,
): Promise<object> {
  const { sessions } = context;
  const end = await sessions.end(live);
  const canceled = await sessions.cancelCallbacks(live);
  const callbacks = canceled === 0 ? {} : { callbacksCanceled: canceled };
  if (end === undefined) return { epoch: context.epoch(), ...LOST, ...callbacks };
  const { counts, unmatched, epoch } = end;
  const missed = await withNearest(context, call, mock, live, unmatched);
  return {
    epoch,
    counts: { epoch, ...counts },
    unmatched: missed,
    unused: unusedOf(live.session.overlay, counts),
    ...callbacks,
  };
}

/** How requests name a session of a mock. */
export function addressOf({ urlsOf }: Pick<MockSessionsContext, 'urlsOf'>, mockId: string, id: string): object {
  return {
    header: { name: 'x-mock-session', value: id },
    baggage: baggageOf(id),
    cookie: `mock-session=${id}`,
    ...urlsOf(mockId, id),
  };
}

/** The secret is shown once: its digest is kept, for as long as the session lives. */
function withSecret(live: LiveSession, caller: Principal): object {
  const secret = randomId(SECRET_CHARS);
  live.compat = { secretDigest: digestSecret(secret), caller };
  const { mockId, session } = live;
  return { compat: { wiremockPath: `/compat/wiremock/${mockId}/${session.id}~${secret}` } };
}

/** 155 bits. */
const SECRET_CHARS = 30;

/** It ended with the data plane, or while that was away. */
const LOST = { counts: null, unmatched: null, unused: null };

export function succeed(call: Call, data: object): void {
  call.succeed(`"data":${JSON.stringify(data)}`);
}

function showSession(context: MockSessionsContext, mock: Mock, { session, usedAt }: LiveSession): object {
  const { id, label, createdAt, idleMs, seed } = session;
  return {
    id,
    label,
    createdAt,
    idleMs,
    expiresAt: usedAt + idleMs,
    seed,
    version: savedVersionOf(mock).number,
    epoch: context.epoch(),
    address: addressOf(context, mock.id, id),
  };
}

export function unlessPublished(isPublished: boolean): object {
  return isPublished ? {} : { published: false };
}

function countsOf({ session }: LiveSession, uses: ReadonlyMap<string, SessionUse> | undefined): object {
  const { total = null, unmatched = null } = uses?.get(session.id) ?? {};
  return { total, unmatched };
}

/** The routes that an overlay adds or changes, and that answered nothing. */
function unusedOf({ routes, responses }: SessionOverlay, { routes: counted }: SessionEnd['counts']): string[] {
  const used = new Set(counted.filter(({ count }) => count > 0).map(({ routeId }) => routeId));
  return [...routes.map(({ id }) => id), ...Object.keys(responses)].filter((id) => !used.has(id));
}

async function withNearest(
  { nearest }: MockSessionsContext,
  call: Call,
  mock: Mock,
  live: LiveSession,
  records: readonly TrafficRecord[],
): Promise<object[]> {
  const missed = records.map(({ method, path }) => ({ method, path }));
  if (missed.length === 0) return [];
  const definition = definitionInSession(definitionOf(mock.saved), live.session.overlay);
  const found = await nearest(call.caller.ownerId, definition, missed);
  // The session has ended: that the routes are not found must not hide what it leaves.
  const routes = found === undefined || isRefusal(found) ? [] : found;
  return missed.map((each, index) => ({ ...each, nearest: routes[index] ?? [] }));
}
