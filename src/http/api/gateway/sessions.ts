/** Sessions of the gateway: made, listed, changed, ended, and what happened in them; docs/gateway.md, "Sessions". */
import { isRefusal, refuse, type Detail, type Refusal } from '../../../errors.ts';
import { type Limits, DETAILS_MAX } from '../../../limits.ts';
import type { Query } from '../../../model/command.ts';
import { storedRules, type StoredRules } from '../../../model/evaluated-rules.ts';
import { exchangeQuerySchema } from '../../../model/gateway/exchange-query.ts';
import { exchangeCountsSchema } from '../../../model/gateway/exchange.ts';
import {
  fullGatewaySessionSchema,
  gatewaySessionEndSchema,
  gatewaySessionSchema,
  listedGatewaySessionSchema,
} from '../../../model/gateway/session-schema.ts';
import type { GatewayOverlay, GatewaySessionUse } from '../../../model/gateway/session.ts';
import { pointerTo } from '../../../model/mocks/definition/pointer.ts';
import type { Mock } from '../../../model/mocks/mock.ts';
import { baggageOf } from '../../../model/mocks/sessions/named-session.ts';
import { readMock } from '../../../model/mocks/show/query-mock.ts';
import { Type } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import { exchangesOf, type GatewayBook, type LiveGatewaySession } from '../../../sessions/gateway-book.ts';
import type { Call } from '../../call.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { replySlice } from '../../page.ts';
import { PAGE_PARAMETERS, parseListQuery } from '../list-query.ts';
import { addressOf, endMockSession, succeed, unlessPublished, type MockSessionsContext } from '../mocks/sessions.ts';
import { parseExchangeQuery } from './exchange-query.ts';
import { exchangePageSchema, listExchanges } from './exchanges.ts';
import { ask, type GatewayQuestions } from './gateway-questions.ts';
import type { SessionBodies } from './session-body.ts';

interface GatewaySessionsContext {
  readonly gateway: GatewayQuestions;
  /** How lists call this program. */
  readonly version: string;
  readonly owners: OwnerDirectory;
  readonly book: GatewayBook;
  readonly bodies: SessionBodies;
  readonly limits: Limits;
  /** How sessions of mocks are shown, and ended. */
  readonly mocks: MockSessionsContext;
}

const BODY_REFUSALS = ['gatewayNotRunning', 'gatewayPayloadInvalid', 'limitReached'] as const;

export function gatewaySessionsApi(context: GatewaySessionsContext): Endpoint[] {
  const { owners, book, bodies, gateway, limits } = context;
  /** Runs `use` where the session lives; an error in it is a server error. */
  const enter = (call: Call, use: (live: LiveGatewaySession) => Promise<void> | void): void => {
    if (gateway.state() === undefined) return call.refuse('gatewayNotRunning');
    const live = book.find(call.caller.ownerId, call.params[0] ?? '');
    if (isRefusal(live)) return call.refuse(live);
    return void call.later(Promise.resolve(live), use);
  };

  return [
    endpoint({
      method: 'POST',
      path: '/v1/gateway/sessions',
      access: 'write',
      doc: {
        operationId: 'createGatewaySession',
        tag: 'Gateway',
        summary: 'Create a gateway session: its own rules, attached mocks and exchanges, for one test',
        answer: Type.Object({ data: gatewaySessionSchema }),
        untagged: true,
        refusals: [...BODY_REFUSALS, 'sessionTaken'],
      },
      body: bodies.session,
      handle(call, draft) {
        if (gateway.state() === undefined) return call.refuse('gatewayNotRunning');
        if (isRefusal(draft)) return call.refuse(draft);
        return withKnownNames(owners, call, draft.overlay, '/overlay', async () => {
          const made = await book.create(call.caller.ownerId, draft);
          if (isRefusal(made)) return call.refuse(made);
          call.releaseBody();
          return succeed(call, { ...showSession(context, made.live), ...unlessPublished(made.published) });
        });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/sessions',
      access: 'read',
      doc: {
        operationId: 'listGatewaySessions',
        tag: 'Gateway',
        summary: 'List live gateway sessions, newest first',
        query: Type.Object(PAGE_PARAMETERS),
        answer: Type.Object({
          data: Type.Array(listedGatewaySessionSchema),
          total: Type.Integer(),
          nextOffset: Type.Union([Type.Integer(), Type.Null()]),
        }),
        refusals: ['badRequest', 'gatewayNotRunning'],
      },
      handle(call) {
        if (gateway.state() === undefined) return call.refuse('gatewayNotRunning');
        const query = parseListQuery(call.head.query, {});
        if (isRefusal(query)) return call.refuse(query);
        return void call.later(book.uses(call.caller.ownerId), (uses) =>
          replySlice(call, book.list(call.caller.ownerId), query.page, (live) =>
            JSON.stringify({ ...showSession(context, live), ...totalOf(live, uses) }),
          ),
        );
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/sessions/:sid',
      access: 'read',
      doc: {
        operationId: 'readGatewaySession',
        tag: 'Gateway',
        summary: 'Read a gateway session, with its overlay and warnings',
        answer: Type.Object({ data: fullGatewaySessionSchema(limits) }),
        untagged: true,
        refusals: ['sessionNotFound', 'gatewayNotRunning'],
      },
      handle: (call) =>
        enter(call, async (live) => {
          const [uses, warnings] = await Promise.all([
            book.uses(live.ownerId),
            unknownIn(owners, call, live.session.overlay, '/overlay'),
          ]);
          if (isRefusal(warnings)) return call.refuse(warnings);
          const overlay = overlayShown(live);
          return call.answer(4 * live.bytes, () =>
            succeed(call, { ...showSession(context, live), ...totalOf(live, uses), overlay, warnings }),
          );
        }),
    }),
    endpoint({
      method: 'PUT',
      path: '/v1/gateway/sessions/:sid/overlay',
      access: 'write',
      doc: {
        operationId: 'replaceGatewayOverlay',
        tag: 'Gateway',
        summary: 'Replace the overlay of a gateway session; keeps its exchanges and counts',
        answer: Type.Object({ data: gatewaySessionSchema }),
        untagged: true,
        refusals: [...BODY_REFUSALS, 'sessionNotFound', 'sessionTaken'],
      },
      body: bodies.overlay,
      handle: (call, draft) =>
        enter(call, (live) => {
          if (isRefusal(draft)) return call.refuse(draft);
          return withKnownNames(owners, call, draft.overlay, '', async () => {
            const published = await book.putOverlay(live, draft);
            if (isRefusal(published)) return call.refuse(published);
            call.releaseBody();
            return succeed(call, { ...showSession(context, live), ...unlessPublished(published) });
          });
        }),
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/gateway/sessions/:sid',
      access: 'write',
      doc: {
        operationId: 'endGatewaySession',
        tag: 'Gateway',
        summary: 'End a gateway session and those of its mocks; returns counts, refused hosts and unused rules',
        answer: Type.Object({ data: gatewaySessionEndSchema }),
        untagged: true,
        refusals: ['sessionNotFound', 'gatewayNotRunning'],
      },
      handle: (call) => enter(call, async (live) => succeed(call, await endOf(context, call, live))),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/sessions/:sid/requests',
      access: 'read',
      doc: {
        operationId: 'listExchangesInSession',
        tag: 'Gateway',
        summary: 'List the exchanges of a gateway session, newest first',
        query: exchangeQuerySchema,
        answer: exchangePageSchema,
        refusals: ['sessionNotFound', 'badRequest', 'gatewayNotRunning'],
      },
      handle: (call) =>
        enter(call, (live) => {
          const query = parseExchangeQuery(call.head.query);
          if (isRefusal(query)) return call.refuse(query);
          const { filter } = query;
          const selection = { ...filter.selection, ...exchangesOf(live) };
          return listExchanges(call, gateway, { ...query, filter: { ...filter, selection } }, context.version);
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/sessions/:sid/counts',
      access: 'read',
      doc: {
        operationId: 'countExchangesInSession',
        tag: 'Gateway',
        summary: 'Read exact counts of the exchanges of a gateway session',
        answer: Type.Object({ data: exchangeCountsSchema }),
        untagged: true,
        refusals: ['sessionNotFound', 'gatewayNotRunning'],
      },
      handle: (call) =>
        enter(call, (live) =>
          ask(call, gateway, gateway.sessionCounts(live.ownerId, live.session.id), (counts, epoch) =>
            counts === null ? call.refuse('overloaded') : succeed(call, { ...counts, epoch }),
          ),
        ),
    }),
  ];
}

function showSession(
  { gateway, mocks: shownBy }: GatewaySessionsContext,
  { session, usedAt, mocks }: LiveGatewaySession,
) {
  const { id, label, createdAt, idleMs, seed } = session;
  const { port, epoch } = gateway.state() ?? { port: 0, epoch: undefined };
  return {
    id,
    label,
    createdAt,
    idleMs,
    expiresAt: usedAt + idleMs,
    seed,
    epoch: epoch ?? '',
    proxy: { server: gateway.serverAt(port), username: id },
    baggage: baggageOf(id),
    cookie: baggageOf(id),
    mocks: Object.fromEntries([...mocks.keys()].map((mockId) => [mockId, addressOf(shownBy, mockId, id)])),
  };
}

function totalOf({ session }: LiveGatewaySession, uses: ReadonlyMap<string, GatewaySessionUse> | undefined): object {
  return { total: uses?.get(session.id)?.total ?? null };
}

/** The overlay in the form of a request body. */
function overlayShown({ session, mocks }: LiveGatewaySession): object {
  const { rules, ...others } = session.overlay;
  return {
    rules: rules.map(({ id, name, ruleType, status, groupId, pairs }) => ({
      id,
      name,
      ruleType,
      status,
      groupId,
      pairs: JSON.parse(pairs) as unknown,
    })),
    ...others,
    mocks: Object.fromEntries([...mocks].map(([mockId, live]) => [mockId, live.session.overlay])),
  };
}

async function endOf(context: GatewaySessionsContext, call: Call, live: LiveGatewaySession): Promise<object> {
  const { end, mocks } = await context.book.end(live);
  const ofMocks: [mockId: string, end: object][] = [];
  for (const each of mocks) {
    const mock = await mockOf(context.owners, call, each.mockId);
    if (isRefusal(mock)) void context.mocks.sessions.end(each);
    else ofMocks.push([each.mockId, await endMockSession(context.mocks, call, mock, each)]);
  }
  const epoch = context.gateway.state()?.epoch ?? '';
  const left =
    end === undefined
      ? { counts: null, notAttached: null, unusedRules: null, ruleNames: null }
      : {
          counts: { ...end.counts, epoch },
          notAttached: end.notAttached,
          ...(await rulesOf(context.owners, call, live.session.overlay, end.counts.rules)),
        };
  return { epoch, ...left, mocks: Object.fromEntries(ofMocks) };
}

/** Rules that the overlay added or enabled and that never acted, and the names of rules. */
async function rulesOf(
  owners: OwnerDirectory,
  { caller }: Call,
  { rules, enabledRules }: GatewayOverlay,
  hits: Readonly<Record<string, number>>,
): Promise<object> {
  const unusedRules = [...rules.map(({ id }) => id), ...enabledRules].filter((id) => hits[id] === undefined);
  const stored = await new Promise<StoredRules | Refusal>((resolve) =>
    owners.query(storedRules, undefined, caller, resolve),
  );
  const named = new Set([...Object.keys(hits), ...unusedRules]);
  const known = [...(isRefusal(stored) ? [] : stored.rules), ...rules].filter(({ id }) => named.has(id));
  return { unusedRules, ruleNames: Object.fromEntries(known.map(({ id, name }) => [id, name])) };
}

function mockOf(owners: OwnerDirectory, { caller }: Call, mockId: string): Promise<Mock | Refusal> {
  return new Promise((resolve) => owners.query(readMock, { mockId }, caller, resolve));
}

function unknownIn(
  owners: OwnerDirectory,
  { caller }: Call,
  overlay: GatewayOverlay,
  at: string,
): Promise<readonly Detail[] | Refusal> {
  return new Promise((resolve) => owners.query(unknownNames, { overlay, at }, caller, resolve));
}

/** Runs `use` when the owner has all that the overlay names. */
function withKnownNames(
  owners: OwnerDirectory,
  call: Call,
  overlay: GatewayOverlay,
  at: string,
  use: () => Promise<void>,
): void {
  void call.later(unknownIn(owners, call, overlay, at), (unknown) => {
    if (isRefusal(unknown)) return call.refuse(unknown);
    return unknown.length > 0 ? call.refuse(refuse('gatewayPayloadInvalid', unknown)) : use();
  });
}

/** Rules, groups and mocks that an overlay names: refused where they do not exist, a warning once they were deleted. */
interface OverlayInput {
  readonly overlay: GatewayOverlay;
  /** Pointer of the overlay in the body. */
  readonly at: string;
}

/** The first DETAILS_MAX that are not there. */
const unknownNames: Query<OverlayInput, readonly Detail[]> = {
  answer({ rules: stored, groups, mocks }, { overlay, at }) {
    const { rules, disabledRules, enabledRules, attach } = overlay;
    const details: Detail[] = [];
    const report = (isUnknown: boolean, path: string, message: string): void => {
      if (isUnknown && details.length < DETAILS_MAX) details.push({ path: at + path, message });
    };
    for (const [index, { id, groupId }] of rules.entries()) {
      report(stored.get(id) !== undefined, `/rules/${index}/id`, 'is the id of a stored rule');
      const isUnknown = groupId !== '' && groups.get(groupId) === undefined;
      report(isUnknown, `/rules/${index}/groupId`, 'names no group');
    }
    for (const [name, ids] of Object.entries({ disabledRules, enabledRules })) {
      for (const [index, id] of ids.entries())
        report(stored.get(id) === undefined, `/${name}/${index}`, 'names no rule');
    }
    for (const [host, mockId] of Object.entries(attach)) {
      report(mocks.get(mockId) === undefined, `/attach/${pointerTo(host)}`, 'names no mock');
    }
    return details;
  },
};
