/** Kept exchanges of the gateway as clients see them, and the list of them. */
import { isRefusal, type Refusal } from '../../../errors.ts';
import { exchangeSummarySchema, gatewaySchema, type ExchangeRecord } from '../../../model/gateway/exchange.ts';
import { pageMembers } from '../../../model/journal.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import { exchangeEntry } from '../../../interchange/formats/har-write.ts';
import { replyHar } from '../journal/har.ts';
import { replyPage } from '../journal/page.ts';
import type { ExchangeQuery } from './exchange-query.ts';
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
  ...pageMembers('exchange'),
  epoch: gatewaySchema.properties.epoch,
});

/** Answers with a page, newest first. */
export async function listExchanges(
  call: Call,
  gateway: GatewayQuestions,
  { filter, format }: ExchangeQuery,
  version: string,
): Promise<Refusal | void> {
  const found = await ask(gateway, gateway.exchanges(call.caller.ownerId, filter));
  if (isRefusal(found)) return found;
  const { answer: page, epoch } = found;
  if (format === 'har') return replyHar(call, page, { entryOf: exchangeEntry, name: 'gateway', version });
  const { records: entries, count: total, truncated, hasMore } = page;
  return replyPage(call, { entries, hasMore }, representSummary, { total, truncated, epoch });
}
