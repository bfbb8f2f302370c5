/** The live stream of a mock's requests, or of exchanges. */
import { followEvents, type ServerEvent } from './event-stream.ts';
import type { Signal } from './fetch-types.ts';
import type { RequestEvent, RequestTotals } from './shapes.ts';
import type { Query, Transport } from './transport.ts';

/** @typeParam Request What `query` asks for of each. */
export function followRequests<Request, Totals = RequestTotals>(
  transport: Transport,
  path: readonly string[],
  query: Query,
  signal: Signal | undefined,
): AsyncGenerator<RequestEvent<Request, Totals>, void> {
  return followEvents(transport, path, query, signal, readEvent<Request, Totals>);
}

/** @returns undefined for a comment, and for unknown kinds of a newer server. */
function readEvent<Request, Totals>({ type, id, data }: ServerEvent): RequestEvent<Request, Totals> | undefined {
  if (type === 'request') return { type, id: id ?? '', request: data as Request };
  if (type === 'message') return { type, id: id ?? '', message: data as Request };
  if (type === 'dropped') return { type, count: (data as { count: number }).count };
  if (type === 'counts') return { type, counts: data as Totals };
  return type === 'reset' ? { type } : undefined;
}
