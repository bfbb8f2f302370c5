/** Sessions of the gateway: made, listed, changed, ended, and what happened in them; docs/gateway.md, "Sessions". */
import { isRefusal, refuse, type Detail, type Refusal } from '../../../errors.ts';
import { type Limits, DETAILS_MAX } from '../../../limits.ts';
import type { Query } from '../../../model/command.ts';
import { storedRules } from '../../../model/evaluated-rules.ts';
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
import { baggageOf } from '../../../model/mocks/sessions/named-session.ts';
import { readMock } from '../../../model/mocks/show/query-mock.ts';
import { Type } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import { exchangesOf, type GatewayBook, type LiveGatewaySession } from '../../../sessions/gateway-book.ts';
import type { Call } from '../../call.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf } from '../operation.ts';
import { replySlice } from '../../page.ts';
import { PAGE_PARAMETERS, parseListQuery } from '../list-query.ts';
import { addressOf, endMockSession, succeed, unlessPublished, type MockSessionsContext } from '../mocks/sessions.ts';
import { parseExchangeQuery } from './exchange-query.ts';
import { exchangePageSchema, listExchanges } from './exchanges.ts';
import { ask, ofGateway, ofGatewaySession, type GatewayQuestions } from './gateway-questions.ts';
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

export function gatewaySessionsApi(context: GatewaySessionsContext): Endpoint[] {
  const { owners, book, bodies, gateway, limits } = context;
  const ofTheGateway = operationsOf('Gateway', ofGateway(gateway));
  const operation = operationsOf('Gateway', ofGatewaySession(gateway, book));

  return [
    ofTheGateway('createGatewaySession', 'POST /sessions', {
      summary: 'Create a gateway session: its own rules, attached mocks and exchanges, for one test',
      data: gatewaySessionSchema,
      refuses: ['limitReached', 'sessionTaken'],
      body: bodies.session,
      async run(call, { body: draft }) {
        const unknown = await unknownIn(owners, call, draft.overlay, '/overlay');
        const made = refusalOf(unknown) ?? (await book.create(call.caller.ownerId, draft));
        if (isRefusal(made)) return made;
        call.releaseBody();
        return { ...showSession(context, made.live), ...unlessPublished(made.published) };
      },
    }),
    ofTheGateway('listGatewaySessions', 'GET /sessions', {
      summary: 'List live gateway sessions, newest first',
      query: Type.Object(PAGE_PARAMETERS),
      answer: Type.Object({
        data: Type.Array(listedGatewaySessionSchema),
        total: Type.Integer(),
        nextOffset: Type.Union([Type.Integer(), Type.Null()]),
      }),
      readQuery: (query) => parseListQuery(query, {}),
      async run(call, { query: { page } }) {
        const { ownerId } = call.caller;
        const uses = await book.uses(ownerId);
        return replySlice(call, book.list(ownerId), page, (live) =>
          JSON.stringify({ ...showSession(context, live), ...totalOf(live, uses) }),
        );
      },
    }),
    operation('readGatewaySession', 'GET', {
      summary: 'Read a gateway session, with its overlay and warnings',
      data: fullGatewaySessionSchema(limits),
      async run(call, { found: live }) {
        const [uses, warnings] = await Promise.all([
          book.uses(live.ownerId),
          unknownIn(owners, call, live.session.overlay, '/overlay'),
        ]);
        if (isRefusal(warnings)) return warnings;
        const overlay = overlayShown(live);
        return call.answer(4 * live.bytes, () =>
          succeed(call, { ...showSession(context, live), ...totalOf(live, uses), overlay, warnings }),
        );
      },
    }),
    operation('replaceGatewayOverlay', 'PUT /overlay', {
      summary: 'Replace the overlay of a gateway session; keeps its exchanges and counts',
      data: gatewaySessionSchema,
      refuses: ['limitReached', 'sessionTaken'],
      body: bodies.overlay,
      async run(call, { found: live, body: draft }) {
        const unknown = await unknownIn(owners, call, draft.overlay, '');
        const published = refusalOf(unknown) ?? (await book.putOverlay(live, draft));
        if (isRefusal(published)) return published;
        call.releaseBody();
        return { ...showSession(context, live), ...unlessPublished(published) };
      },
    }),
    operation('resetGatewaySession', 'POST /reset', {
      summary: 'Delete the exchanges and counts of a gateway session, and reset the sessions of its mocks',
      message: 'Session reset successfully',
      run: async (_call, { found: live }) => ((await book.reset(live)) ? undefined : refuse('overloaded')),
    }),
    operation('endGatewaySession', 'DELETE', {
      summary: 'End a gateway session and those of its mocks; returns counts, refused hosts and unused rules',
      data: gatewaySessionEndSchema,
      run: (call, { found: live }) => endOf(context, call, live),
    }),
    operation('listExchangesInSession', 'GET /requests', {
      summary: 'List the exchanges of a gateway session, newest first',
      query: exchangeQuerySchema,
      answer: exchangePageSchema,
      readQuery: parseExchangeQuery,
      run(call, { found: live, query }) {
        const { filter } = query;
        const selection = { ...filter.selection, ...exchangesOf(live) };
        return listExchanges(call, gateway, { ...query, filter: { ...filter, selection } }, context.version);
      },
    }),
    operation('countExchangesInSession', 'GET /counts', {
      summary: 'Read exact counts of the exchanges of a gateway session',
      data: exchangeCountsSchema,
      async run(_call, { found: live }) {
        const counts = await ask(gateway, gateway.sessionCounts(live.ownerId, live.session.id));
        if (isRefusal(counts)) return counts;
        return counts.answer === null ? refuse('overloaded') : { ...counts.answer, epoch: counts.epoch };
      },
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
    const mock = await context.owners.ask(readMock, { mockId: each.mockId }, call.caller);
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
  const stored = await owners.ask(storedRules, undefined, caller);
  const named = new Set([...Object.keys(hits), ...unusedRules]);
  const known = [...(isRefusal(stored) ? [] : stored.rules), ...rules].filter(({ id }) => named.has(id));
  return { unusedRules, ruleNames: Object.fromEntries(known.map(({ id, name }) => [id, name])) };
}

function unknownIn(
  owners: OwnerDirectory,
  { caller }: Call,
  overlay: GatewayOverlay,
  at: string,
): Promise<readonly Detail[] | Refusal> {
  return owners.ask(unknownNames, { overlay, at }, caller);
}

/** @returns The refusal of an overlay that names what the owner does not have. */
function refusalOf(unknown: readonly Detail[] | Refusal): Refusal | undefined {
  if (isRefusal(unknown)) return unknown;
  return unknown.length > 0 ? refuse('gatewayPayloadInvalid', unknown) : undefined;
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
