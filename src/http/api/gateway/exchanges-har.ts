/** A page of exchanges as HAR 1.2, with the bodies that are kept. Credentials were replaced. */
import type { ExchangeBody, ExchangeLine, ExchangePage, ExchangeRecord } from '../../../model/gateway/exchange.ts';
import type { Call } from '../../call.ts';

const HTTP_VERSION = 'HTTP/1.1';
/** HAR: not known. */
const UNKNOWN = -1;

export function replyExchangesHar(call: Call, page: ExchangePage, version: string): void {
  const { records, count: total, truncated, hasMore } = page;
  const nextBefore = hasMore ? (records.at(-1)?.number ?? null) : null;
  const log = {
    version: '1.2',
    creator: { name: 'Switchyard', version },
    pages: [],
    entries: records.toReversed().map(entryOf),
    _switchyard: { total, truncated, nextBefore },
  };
  const body = Buffer.from(JSON.stringify({ log }));
  const headers = '\r\ncontent-disposition: attachment; filename="gateway.har"';
  call.answer(body.length, () => call.send(200, 'application/json; charset=utf-8', body, headers), 1);
}

function entryOf(record: ExchangeRecord): object {
  const { time, ms, totalMs = ms, method, url, status, statusText, requestHeaders, responseHeaders } = record;
  const { location, problem, requestBody, responseBody, number, session, outcome, ruleIds, attached, version } = record;
  const query = URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [];
  const isBinary = requestBody?.bodyEncoding === 'base64';
  return {
    startedDateTime: new Date(time).toISOString(),
    time: totalMs,
    request: {
      method,
      url,
      httpVersion: HTTP_VERSION,
      cookies: [],
      headers: requestHeaders,
      queryString: query,
      headersSize: UNKNOWN,
      bodySize: sizeOf(requestBody),
      ...(requestBody === undefined || isBinary || requestBody.bodyOmitted !== undefined
        ? {}
        : { postData: { mimeType: headerValue(requestHeaders, 'content-type'), text: requestBody.body } }),
    },
    response: {
      status,
      statusText,
      httpVersion: HTTP_VERSION,
      cookies: [],
      headers: responseHeaders,
      content: {
        size: sizeOf(responseBody),
        mimeType: headerValue(responseHeaders, 'content-type'),
        ...(responseBody === undefined || responseBody.bodyOmitted !== undefined
          ? {}
          : { text: responseBody.body, encoding: responseBody.bodyEncoding }),
      },
      redirectURL: location ?? '',
      headersSize: UNKNOWN,
      bodySize: UNKNOWN,
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: totalMs - ms },
    ...(problem === undefined ? {} : { comment: problem }),
    _switchyard: {
      number,
      session,
      outcome,
      ruleIds,
      attached,
      version,
      requestOmitted: requestBody?.bodyOmitted,
      responseOmitted: responseBody?.bodyOmitted,
      ...(isBinary ? { requestBase64: requestBody.body } : {}),
    },
  };
}

/** Bytes of the body; -1, HAR for unknown, when it was not kept. */
function sizeOf(body: ExchangeBody | undefined): number {
  if (body === undefined || body.bodyOmitted !== undefined) return UNKNOWN;
  return Buffer.byteLength(body.body, body.bodyEncoding ?? 'utf8');
}

function headerValue(lines: readonly ExchangeLine[], name: string): string {
  return lines.find((line) => line.name.toLowerCase() === name)?.value ?? '';
}
