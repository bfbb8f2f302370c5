/** Reads the queries of the list of exchanges and of their stream. What does not fit is `badRequest`. */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import {
  EXCHANGE_OUTCOMES,
  type ExchangeFilter,
  type ExchangeOutcome,
  type ExchangeSelection,
} from '../../../model/gateway/exchange.ts';
import {
  EXCHANGE_FORMATS,
  exchangeQuerySchema,
  exchangeStreamQuerySchema,
} from '../../../model/gateway/exchange-query.ts';
import { HOST_NAMES, hostNameOf } from '../../../model/gateway/host-name.ts';
import { quoteValue } from '../../../model/validate.ts';
import { AskedTraffic, type StreamPosition } from '../mocks/traffic/traffic-query.ts';

export interface ExchangeQuery {
  readonly filter: ExchangeFilter;
  readonly format: string;
}

export function parseExchangeQuery(query: string): ExchangeQuery | Refusal {
  const asked = new AskedTraffic(query, exchangeQuerySchema);
  const format = asked.oneOf('format', EXCHANGE_FORMATS);
  const selection = selectionOf(asked);
  const beforeNumber = asked.integer('before', 1);
  const limit = asked.integer('limit', 1) ?? TRAFFIC_LIMIT_DEFAULT;
  const before = beforeNumber === undefined ? {} : { beforeNumber };
  const filter = { selection, ...before, limit: Math.min(limit, TRAFFIC_LIMIT_MAX), withBodies: format === 'har' };
  return asked.refusal ?? { filter, format };
}

/** @param lastEventId The header of a client that connects again: it knows more than the address that it had. */
export function parseExchangeStreamQuery(
  query: string,
  lastEventId: string | undefined,
): { readonly selection: ExchangeSelection; readonly after: StreamPosition | undefined } | Refusal {
  const asked = new AskedTraffic(query, exchangeStreamQuerySchema);
  const selection = selectionOf(asked);
  const after = asked.position(lastEventId);
  return asked.refusal ?? { selection, after };
}

function selectionOf(asked: AskedTraffic): ExchangeSelection {
  const { session, method, status, since, q, headers, bodyContains } = asked.selection();
  const selection = {
    host: hostOf(asked),
    url: asked.text('url'),
    ruleId: asked.text('ruleId'),
    outcome: outcomeOf(asked),
    session,
    method,
    status,
    since,
    q,
    headers,
    bodyContains,
  };
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
}

function hostOf(asked: AskedTraffic): string | undefined {
  const text = asked.text('host');
  if (text !== undefined && hostNameOf(text) === undefined) {
    asked.blame('host', `expected ${HOST_NAMES}; got ${quoteValue(text)}`);
  }
  return text === undefined ? undefined : hostNameOf(text);
}

function outcomeOf(asked: AskedTraffic): ExchangeOutcome | undefined {
  const text = asked.text('outcome');
  const outcome = EXCHANGE_OUTCOMES.find((each) => each === text);
  if (text !== undefined && outcome === undefined) {
    asked.blame('outcome', `expected one of ${EXCHANGE_OUTCOMES.join(', ')}; got ${quoteValue(text)}`);
  }
  return outcome;
}

/** @returns The host in its one spelling. */
export function readHost(host: string, path: string): string | Refusal {
  const name = hostNameOf(host);
  if (name !== undefined) return name;
  return refuse('gatewayPayloadInvalid', [{ path, message: `expected ${HOST_NAMES}; got ${quoteValue(host)}` }]);
}

/** Like `readHost`, for an optional host. */
export function readOptionalHost(host: string | undefined, path: string): { readonly host?: string } | Refusal {
  if (host === undefined) return {};
  const name = readHost(host, path);
  return isRefusal(name) ? name : { host: name };
}
