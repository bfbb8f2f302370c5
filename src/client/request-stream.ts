/** The live stream of a mock's requests. */
import { followEvents, type ServerEvent } from './event-stream.ts';
import type { Signal } from './fetch-types.ts';
import type { RequestEvent, RequestRecord } from './shapes.ts';
import type { Transport } from './transport.ts';

export function followRequests(
  transport: Transport,
  path: readonly string[],
  signal: Signal | undefined,
): AsyncGenerator<RequestEvent, void> {
  return followEvents(transport, path, {}, signal, readEvent);
}

/** @returns undefined for a comment, and for unknown kinds of a newer server. */
function readEvent({ type, data }: ServerEvent): RequestEvent | undefined {
  if (type === 'request') return { type, request: data as RequestRecord };
  if (type === 'dropped') return { type, count: (data as { count: number }).count };
  return type === 'reset' ? { type } : undefined;
}
