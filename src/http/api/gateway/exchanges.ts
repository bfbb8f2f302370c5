/** Kept exchanges of the gateway as clients see them, and the list of them. */
import { exchangeSummarySchema, gatewaySchema, type ExchangeRecord } from '../../../model/gateway/exchange.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import { replyList } from '../../page.ts';
import type { ExchangeQuery } from './exchange-query.ts';
import { replyExchangesHar } from './exchanges-har.ts';
import { ask, type GatewayQuestions } from './gateway-questions.ts';

/** Without header lines, bodies and steps. */
export function representSummary(record: ExchangeRecord): object {
  const { number, session, time, user, method, url, status, outcome, ruleIds, problem, attached } = record;
  const { sessionLabel, steps, ended, ms, upstreamMs, totalMs, skipped } = record;
  const names = new Map(steps.map(({ ruleId, name }) => [ruleId, name]));
  return {
    id: `${number}`,
    number,
    session,
    sessionLabel,
    time,
    user,
    method,
    url,
    status,
    outcome,
    ruleIds,
    ruleNames: ruleIds.map((id) => names.get(id) ?? ''),
    ruleProblems: skipped.length === 0 ? undefined : skipped.slice(0, RULE_PROBLEMS_MAX),
    problem,
    attached,
    ended,
    ms,
    upstreamMs,
    totalMs,
  };
}

/** In a list; the exchange alone has all. */
const RULE_PROBLEMS_MAX = 20;

/** A list of exchanges. */
export const exchangePageSchema = Type.Object({
  data: Type.Array(exchangeSummarySchema),
  total: Type.Integer({ description: 'Count of matching exchanges that are kept.' }),
  truncated: Type.Boolean({ description: 'Whether older exchanges were dropped.' }),
  nextBefore: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Pass it as `before` for the next page; null on the last.',
  }),
  epoch: gatewaySchema.properties.epoch,
});

/** Answers with a page, newest first. */
export function listExchanges(
  call: Call,
  gateway: GatewayQuestions,
  { filter, format }: ExchangeQuery,
  version: string,
): void {
  return ask(call, gateway, gateway.exchanges(call.caller.ownerId, filter), (page, epoch) => {
    if (format === 'har') return replyExchangesHar(call, page, version);
    const { records, count, truncated, hasMore } = page;
    return replyList(
      call,
      records,
      (record) => JSON.stringify(representSummary(record)),
      (written) => {
        const next = hasMore || written < records.length ? (records[written - 1]?.number ?? null) : null;
        return `,"total":${count},"truncated":${truncated},"nextBefore":${next},"epoch":"${epoch}"`;
      },
    );
  });
}
