/** The endpoints of the gateway: whether it runs, its exchanges, and their counts; docs/gateway.md. */
import { isRefusal, type Refusal } from '../../../errors.ts';
import { TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import { storedRules, type EvaluatedRules } from '../../../model/evaluated-rules.ts';
import {
  exchangeCountsSchema,
  exchangeQuerySchema,
  exchangeSchema,
  exchangeSummarySchema,
  gatewaySchema,
  type ExchangeCounts,
  type ExchangeFilter,
  type ExchangePage,
  type ExchangeRecord,
} from '../../../model/gateway/exchange.ts';
import { Type } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Exchange } from '../../../rules-table/evaluate.ts';
import type { Skipped } from '../../../rules-table/outcome.ts';
import type { Call } from '../../call.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { replyList } from '../../page.ts';
import { readDeclaredQuery } from '../declared-query.ts';
import type { EvaluateSettings } from '../evaluate-body.ts';
import { replyExchangesHar } from './exchanges-har.ts';

/** What the gateway answers to the API. Each resolves with undefined when it does not run at the moment. */
export interface GatewayQuestions {
  /** Undefined for a server without a gateway. */
  readonly state: () =>
    | { readonly port: number; readonly epoch: string | undefined; readonly restarts: number }
    | undefined;
  /** The certificate as PEM, and what clients compare; undefined without one. */
  readonly authority: () =>
    | {
        readonly certificate: string;
        readonly facts: { readonly fingerprint: string; readonly spkiSha256: string; readonly expiresAt: string };
      }
    | undefined;
  /** The address for clients. */
  readonly serverAt: (port: number) => string;
  readonly exchanges: (ownerId: string, filter: ExchangeFilter) => Promise<ExchangePage<ExchangeRecord> | undefined>;
  readonly exchange: (ownerId: string, number: number) => Promise<ExchangeRecord | null | undefined>;
  readonly counts: (ownerId: string) => Promise<ExchangeCounts | undefined>;
  readonly reset: (ownerId: string) => Promise<true | undefined>;
  /** Null for a session that does not live. */
  readonly sessionCounts: (ownerId: string, session: string) => Promise<ExchangeCounts | null | undefined>;
}

/** Where the gateway is asked, and how lists call this program. */
export interface ExchangeContext {
  readonly gateway: GatewayQuestions;
  readonly version: string;
}

/** A dry run of stored rules. @returns The whole answer, as UTF-8; undefined when it took too long. */
type EvaluateRules = (
  ownerId: string,
  rules: EvaluatedRules,
  exchange: Exchange,
  settings: EvaluateSettings,
) => Promise<Uint8Array | undefined | Refusal>;

export function gatewayApi(
  owners: OwnerDirectory,
  gateway: GatewayQuestions,
  evaluate: EvaluateRules,
  version: string,
): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/v1/gateway',
      access: 'read',
      doc: {
        operationId: 'readGateway',
        tag: 'Gateway',
        summary: 'Whether the gateway runs, and where',
        answer: Type.Object({ data: gatewaySchema }),
        untagged: true,
        refusals: [],
      },
      handle(call) {
        const { port, epoch, restarts } = gateway.state() ?? { port: 0, epoch: undefined, restarts: 0 };
        const server = port === 0 ? null : gateway.serverAt(port);
        const ca = gateway.authority()?.facts ?? null;
        const shown = { running: epoch !== undefined, server, epoch: epoch ?? null, restarts, ca };
        call.succeed(`"data":${JSON.stringify(shown)}`);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/ca.pem',
      access: 'public',
      doc: {
        operationId: 'readGatewayAuthority',
        tag: 'Gateway',
        summary: 'The certificate of the authority that clients have to trust for HTTPS; needs no key',
        answer: Type.Object({}),
        contentType: 'application/x-pem-file',
        refusals: ['gatewayNotRunning'],
      },
      handle(call) {
        const authority = gateway.authority();
        if (authority === undefined) return call.refuse('gatewayNotRunning');
        return call.send(200, 'application/x-pem-file', authority.certificate);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/requests',
      access: 'read',
      doc: {
        operationId: 'listExchanges',
        tag: 'Gateway',
        summary: 'List the exchanges of the gateway, newest first',
        query: exchangeQuerySchema,
        answer: exchangePageSchema,
        refusals: ['badRequest', 'gatewayNotRunning'],
      },
      handle: (call) => replyExchanges({ gateway, version }, call),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/requests/:exchangeId',
      access: 'read',
      doc: {
        operationId: 'readExchange',
        tag: 'Gateway',
        summary: 'Read one exchange: what rules changed in it, and why others did not act',
        answer: Type.Object({ data: exchangeSchema }),
        untagged: true,
        refusals: ['exchangeNotFound', 'gatewayNotRunning'],
      },
      handle(call) {
        const [id = ''] = call.params;
        if (!/^[1-9]\d{0,14}$/.test(id)) return call.refuse('exchangeNotFound');
        return askGateway(call, gateway, gateway.exchange(call.caller.ownerId, Number(id)), (record) => {
          if (record === null) return call.refuse('exchangeNotFound');
          return owners.query(storedRules, undefined, call.caller, (stored) => {
            if (isRefusal(stored)) return call.refuse(stored);
            const mode = stored.gateway?.settings.mode ?? 'redirect';
            return void call.later(
              evaluate(call.caller.ownerId, stored, exchangeOf(record), { mode, details: 'applied' }),
              (dryRun) => {
                const shown = { ...summaryOf(record), ...detailsOf(record), ...skippedOf(record, dryRun) };
                call.succeed(`"data":${JSON.stringify(shown)}`);
              },
            );
          });
        });
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/gateway/requests',
      access: 'write',
      doc: {
        operationId: 'resetExchanges',
        tag: 'Gateway',
        summary: 'Forget the exchanges of the gateway, and their counts',
        answer: Type.Object({ message: Type.Literal('Exchanges reset successfully') }),
        refusals: ['gatewayNotRunning'],
      },
      handle: (call) =>
        askGateway(call, gateway, gateway.reset(call.caller.ownerId), () =>
          call.succeed('"message":"Exchanges reset successfully"'),
        ),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/gateway/counts',
      access: 'read',
      doc: {
        operationId: 'countExchanges',
        tag: 'Gateway',
        summary: 'Exact counts of exchanges by outcome, and of the rules that acted',
        answer: Type.Object({ data: exchangeCountsSchema }),
        untagged: true,
        refusals: ['gatewayNotRunning'],
      },
      handle: (call) =>
        askGateway(call, gateway, gateway.counts(call.caller.ownerId), (counts, epoch) =>
          call.succeed(`"data":${JSON.stringify({ ...counts, epoch })}`),
        ),
    }),
  ];
}

/** A list of exchanges. */
export const exchangePageSchema = Type.Object({
  data: Type.Array(exchangeSummarySchema),
  total: Type.Integer({ description: 'Kept exchanges that match.' }),
  truncated: Type.Boolean({ description: 'Whether older ones were dropped.' }),
  nextBefore: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Pass it as `before`; null at the end.',
  }),
  epoch: gatewaySchema.properties.epoch,
});

/** @param session Only exchanges of this one. */
export function replyExchanges({ gateway, version }: ExchangeContext, call: Call, session?: string): void {
  const query = readDeclaredQuery(call.head.query, exchangeQuerySchema);
  if (isRefusal(query)) return call.refuse(query);
  const { host, ruleId, outcome, before, limit, format } = query;
  const filter: ExchangeFilter = {
    host,
    ruleId,
    outcome,
    session: session ?? query.session,
    before: before === undefined ? undefined : Number(before),
    limit: Math.min(Number(limit ?? TRAFFIC_LIMIT_DEFAULT), TRAFFIC_LIMIT_MAX),
  };
  return askGateway(call, gateway, gateway.exchanges(call.caller.ownerId, filter), (page, epoch) => {
    if (format === 'har') return replyExchangesHar(call, page, version);
    const { records, total, truncated, nextBefore } = page;
    return replyList(
      call,
      records,
      (record) => JSON.stringify(summaryOf(record)),
      (written) => {
        const next = written < records.length ? (records[written - 1]?.number ?? null) : nextBefore;
        return `,"total":${total},"truncated":${truncated},"nextBefore":${next},"epoch":"${epoch}"`;
      },
    );
  });
}

/** Answers when the gateway has; refuses where there is none. */
export function askGateway<Answer>(
  call: Call,
  { state }: GatewayQuestions,
  asked: Promise<Answer | undefined>,
  answer: (found: Answer, epoch: string) => void,
): void {
  if (state() === undefined) {
    asked.catch(() => undefined);
    return call.refuse('gatewayNotRunning');
  }
  return void call.later(
    asked.catch(() => undefined),
    (found) => {
      const epoch = state()?.epoch;
      // It restarts.
      if (found === undefined || epoch === undefined) return call.refuse('overloaded');
      return answer(found, epoch);
    },
  );
}

function summaryOf(record: ExchangeRecord) {
  const { number, time, user, method, url, status, outcome, ruleIds, problem, attached, ms, session } = record;
  return { id: `${number}`, number, time, user, method, url, status, outcome, ruleIds, problem, attached, ms, session };
}

function detailsOf(record: ExchangeRecord) {
  const { requestHeaders, statusText, responseHeaders, upstream, reason, location, delayMs, steps, version } = record;
  return { requestHeaders, statusText, responseHeaders, upstream, reason, location, delayMs, steps, version };
}

/** As far as it was kept. */
function exchangeOf({ method, url, requestHeaders, upstream, outcome }: ExchangeRecord): Exchange {
  const request = { method, url, headers: requestHeaders, body: undefined };
  if (upstream !== undefined) return { request, response: { ...upstream, body: undefined } };
  return outcome === 'failed' ? { request, response: { failed: true } } : { request };
}

/** By a dry run of the rules of now. What acted is not in it, though the dry run did not have the body. */
function skippedOf(record: ExchangeRecord, answer: Uint8Array | undefined | Refusal) {
  const own: Skipped[] = record.skipped.map((each) => ({ ...each, reason: each.reason as Skipped['reason'] }));
  const known = new Set([...record.ruleIds, ...own.map(({ ruleId }) => ruleId)]);
  if (answer === undefined || isRefusal(answer)) {
    return { skipped: own, skippedCount: own.length, skippedVersion: record.version };
  }
  const { data } = JSON.parse(Buffer.from(answer).toString('utf8')) as {
    data: { skipped: readonly Skipped[]; skippedCount: number; version: number };
  };
  const others = data.skipped.filter(({ ruleId }) => !known.has(ruleId));
  const isOut = data.skipped.length - others.length;
  return {
    skipped: [...own, ...others],
    skippedCount: own.length + data.skippedCount - isOut,
    skippedVersion: data.version,
  };
}
