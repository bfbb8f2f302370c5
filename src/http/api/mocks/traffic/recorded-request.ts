/** A recorded request as clients see it. */
import { bodyMembers } from '../../../../base/body-members.ts';
import { TRACE_HEADER, traceIdOf } from '../../../../model/mocks/trace.ts';
import { representUpstream, type TrafficRecord } from '../../../../model/mocks/traffic.ts';

export function representRequest(record: TrafficRecord): object {
  const { headers, body, bodyTruncated, bodyReadAs } = record;
  const traceId = traceOf(record);
  return {
    ...lineOf(record),
    headers,
    ...bodyMembers(body, bodyTruncated),
    bodyTruncated,
    bodyReadAs,
    ...(traceId === undefined ? {} : { traceId }),
    ...outcomeOf(record),
  };
}

/** The trace that a request belongs to; of several headers none counts, as the recommendation says. */
export function traceOf({ headers }: Pick<TrafficRecord, 'headers'>): string | undefined {
  const [only, ...others] = headers.filter(({ name }) => name === TRACE_HEADER);
  return only === undefined || others.length > 0 ? undefined : traceIdOf(only.value);
}

/** Without headers and body. */
export function representSummary(record: TrafficRecord): object {
  return { ...lineOf(record), ...outcomeOf(record) };
}

function lineOf({ number, session, time, method, path, query }: TrafficRecord): object {
  return { id: String(number), ...(session === '' ? {} : { session }), time, method, path, query };
}

function outcomeOf({
  routeId,
  responseId,
  version,
  status,
  durationMs,
  problem,
  fault,
  stream,
  message,
  proxied,
  upstream,
}: TrafficRecord): object {
  return {
    routeId: routeId === '' ? null : routeId,
    responseId: responseId === '' ? null : responseId,
    version,
    status,
    durationMs,
    ...(problem === '' ? {} : { problem }),
    ...(fault === undefined ? {} : { fault }),
    ...(stream === undefined ? {} : { stream }),
    ...(message === undefined ? {} : { message }),
    ...(proxied === undefined ? {} : { proxied }),
    ...(upstream === undefined ? {} : { upstream: representUpstream(upstream) }),
  };
}
