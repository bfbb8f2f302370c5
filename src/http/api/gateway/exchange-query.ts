/** Reads the queries of the list of exchanges and of their stream. What does not fit is `badRequest`. */
import { isRefusal, refuse, type Detail, type Refusal } from '../../../errors.ts';
import { TRAFFIC_LIMIT_DEFAULT } from '../../../limits.ts';
import type { ExchangeFilter, ExchangeSelection } from '../../../model/gateway/exchange.ts';
import { exchangeQuerySchema, exchangeStreamQuerySchema } from '../../../model/gateway/exchange-query.ts';
import { HOST_NAMES, hostNameOf } from '../../../model/gateway/host-name.ts';
import { quoteValue } from '../../../model/validate.ts';
import { readDeclaredQuery, unexpected } from '../declared-query.ts';
import { readHeader, readLimit, resumedAfter, type StreamPosition } from '../journal/query.ts';

export interface ExchangeQuery {
  readonly filter: ExchangeFilter;
  readonly format: string;
}

const READERS = { host: readHostName, header: readHeader };

export function parseExchangeQuery(query: string): ExchangeQuery | Refusal {
  const given = readDeclaredQuery(query, exchangeQuerySchema, { ...READERS, limit: readLimit });
  if (isRefusal(given)) return given;
  const { format = 'json', before, limit = TRAFFIC_LIMIT_DEFAULT, ...selection } = given;
  const page = { ...(before === undefined ? {} : { beforeNumber: before }), limit, withBodies: format === 'har' };
  return { filter: { selection, ...page }, format };
}

/** @param lastEventId The header of a client that connects again. */
export function parseExchangeStreamQuery(
  query: string,
  lastEventId: string | undefined,
): { readonly selection: ExchangeSelection; readonly after: StreamPosition | undefined } | Refusal {
  const given = readDeclaredQuery(query, exchangeStreamQuerySchema, READERS);
  if (isRefusal(given)) return given;
  const { after: asked, ...selection } = given;
  const after = resumedAfter(asked, lastEventId);
  return isRefusal(after) ? after : { selection, after };
}

function readHostName(text: string, details: Detail[]): string | undefined {
  const name = hostNameOf(text);
  if (name === undefined) details.push(unexpected('host', HOST_NAMES, text));
  return name;
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
