/** Recorded requests as tools show and repeat them. */
import type { RequestRecord, RequestSummary, TryInput } from '../../../client/shapes.ts';
import { headerValue, queryText } from './without-secrets.ts';

const BODY_CHARS_MAX = 4_000;

export function summaryOf({
  id,
  session,
  time,
  method,
  path,
  query,
  routeId,
  status,
  problem,
  fault,
}: RequestSummary): object {
  return {
    id,
    ...(session === undefined ? {} : { session }),
    time: new Date(time).toISOString(),
    request: `${method} ${path}${query === '' ? '' : `?${queryText(query)}`}`,
    status,
    routeId,
    ...(problem === undefined ? {} : { problem }),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** With headers and body. */
export function wholeOf(record: RequestRecord): object {
  const { headers, body, bodyEncoding, bodyTruncated, responseId, version, durationMs } = record;
  return {
    ...summaryOf(record),
    responseId,
    version,
    durationMs,
    headers: headers.map(({ name, value }) => `${name}: ${headerValue(name, value)}`),
    body: body.slice(0, BODY_CHARS_MAX),
    ...(bodyEncoding === undefined ? {} : { bodyEncoding }),
    ...(bodyTruncated || body.length > BODY_CHARS_MAX ? { bodyIsCut: true } : {}),
  };
}

/** The same request for a dry run. */
export function askedAgain({ method, path, query, headers, body, bodyEncoding }: RequestRecord): TryInput {
  return {
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers,
    ...(body === '' ? {} : { body }),
    ...(bodyEncoding === undefined ? {} : { bodyEncoding }),
  };
}
