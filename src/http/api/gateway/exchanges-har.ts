/** A page of exchanges as HAR 1.2. Bodies are not kept, and credentials were replaced. */
import type { ExchangeLine, ExchangePage, ExchangeRecord } from '../../../model/gateway/exchange.ts';
import type { Call } from '../../call.ts';

const HTTP_VERSION = 'HTTP/1.1';
/** HAR: not known. */
const UNKNOWN = -1;

export function replyExchangesHar(call: Call, page: ExchangePage<ExchangeRecord>, version: string): void {
  const { records, total, truncated, nextBefore } = page;
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
  const { time, ms, method, url, status, statusText, requestHeaders, responseHeaders, location, problem } = record;
  const query = URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : [];
  return {
    startedDateTime: new Date(time).toISOString(),
    time: ms,
    request: {
      method,
      url,
      httpVersion: HTTP_VERSION,
      cookies: [],
      headers: requestHeaders,
      queryString: query,
      headersSize: UNKNOWN,
      bodySize: UNKNOWN,
    },
    response: {
      status,
      statusText,
      httpVersion: HTTP_VERSION,
      cookies: [],
      headers: responseHeaders,
      content: { size: UNKNOWN, mimeType: valueOf(responseHeaders, 'content-type') },
      redirectURL: location ?? '',
      headersSize: UNKNOWN,
      bodySize: UNKNOWN,
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    ...(problem === undefined ? {} : { comment: problem }),
    _switchyard: { number: record.number, outcome: record.outcome, ruleIds: record.ruleIds, version: record.version },
  };
}

function valueOf(lines: readonly ExchangeLine[], name: string): string {
  return lines.find((line) => line.name.toLowerCase() === name)?.value ?? '';
}
