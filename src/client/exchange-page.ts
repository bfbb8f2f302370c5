/** A page of exchanges of the gateway, as the API sends it. */
import type { ExchangePage } from './shapes.ts';
import type { Envelope } from './transport.ts';

export type SentExchanges = Envelope<ExchangePage['records']> & Omit<ExchangePage, 'records'>;

export function exchangePageOf({ data, total, truncated, nextBefore, epoch }: SentExchanges): ExchangePage {
  return { records: data, total, truncated, nextBefore, epoch };
}
