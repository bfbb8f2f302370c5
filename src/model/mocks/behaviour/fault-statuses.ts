/** Statuses besides that of the response that faults and stores can answer: counters reserve slots for them. */
import type { Fault, MockResponse, MockRoute, MockSettings } from '../definition/definition.ts';
import { storeStatusesOf } from '../stores/crud.ts';

/** Recorded and counted where no status was sent. */
export const NO_STATUS = 0;

/** Answered where a client has got all of a stream: it does not connect again. */
export const STREAM_OVER = 204;

/** In the order in which they are tried: the first that applies to a request is the only one. */
export function faultsOf({ faults = NONE }: MockSettings, { fault }: MockResponse): readonly Fault[] {
  return fault === undefined ? faults : [...faults, fault];
}

const NONE: readonly Fault[] = [];

/**
 * @returns Statuses, each once, in an order that the definition alone decides; undefined without faults, delivery and stream. Every
 * fault but `status` may send none, and so may the other two, when their owner has too many under way.
 */
export function otherStatusesOf(
  settings: MockSettings,
  route: Pick<MockRoute, 'kind' | 'responses'>,
  response: MockResponse,
): readonly number[] | undefined {
  const ofStores = storeStatusesOf(route, response);
  const faults = faultsOf(settings, response);
  if (faults.length === 0 && response.delivery === undefined && response.stream === undefined)
    return ofStores.length === 0 ? undefined : [...new Set(ofStores)];
  const statuses = faults.map((fault) => (fault.kind === 'status' ? (fault.status as number) : NO_STATUS));
  return [...new Set([NO_STATUS, ...(mayBeOver(response) ? [STREAM_OVER] : []), ...statuses, ...ofStores])];
}

function mayBeOver({ stream }: MockResponse): boolean {
  return stream !== undefined && (stream.format ?? 'sse') === 'sse' && stream.end !== 'open' && stream.resume !== false;
}
