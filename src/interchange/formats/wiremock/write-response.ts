/** A response as WireMock writes it. */
import type { Latency, MockResponse } from '../../../model/mocks/definition/definition.ts';
import { callsIn, partsOf } from '../../../languages/templates/template-checks.ts';
import type { Item } from '../../report/report.ts';

const FAULTS: Readonly<Record<string, string>> = {
  empty: 'EMPTY_RESPONSE',
  reset: 'CONNECTION_RESET_BY_PEER',
  malformedChunk: 'MALFORMED_RESPONSE_CHUNK',
  garbage: 'RANDOM_DATA_THEN_CLOSE',
};

/** @returns undefined when it cannot be written: the item reports why. */
export function writtenResponse(response: MockResponse, item: Item): object | undefined {
  const { status, headers, body, bodyEncoding, latency, fault, delivery, templated } = response;
  const kind = fault && FAULTS[fault.kind];
  const isSometimes = fault !== undefined && Object.keys(fault).length > 1;
  if (fault !== undefined && (kind === undefined || isSometimes))
    item.note('wiremock-export.fault', undefined, fault.kind);
  if (delivery !== undefined && !('chunks' in delivery)) item.note('wiremock-export.delivery');
  if (response.proxy !== undefined) item.note('wiremock-export.proxy');
  const isTemplate =
    templated !== false && [body, ...headers.map(({ value }) => value)].some((text) => text.includes('{{'));
  const shown = (text: string): string => (isTemplate ? written(text, item) : text);
  if (fault !== undefined && (kind === undefined || isSometimes)) return undefined;
  return {
    status,
    ...(headers.length === 0 ? {} : { headers: headersOf(headers, shown) }),
    ...(body === '' ? {} : bodyEncoding === 'base64' ? { base64Body: body } : { body: shown(body) }),
    ...latencyOf(latency, item),
    ...(kind === undefined ? {} : { fault: kind }),
    ...(delivery !== undefined && 'chunks' in delivery
      ? { chunkedDribbleDelay: { numberOfChunks: delivery.chunks, totalDuration: delivery.overMs } }
      : {}),
    ...(isTemplate ? { transformers: ['response-template'] } : {}),
  };
}

function headersOf(
  headers: MockResponse['headers'],
  shown: (text: string) => string,
): Record<string, string | readonly string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of headers) values.set(name, [...(values.get(name) ?? []), shown(value)]);
  return Object.fromEntries([...values].map(([name, own]) => [name, own.length === 1 ? (own[0] as string) : own]));
}

function latencyOf(latency: Latency, item: Item): object {
  if (latency === 0) return {};
  if (typeof latency === 'number') return { fixedDelayMilliseconds: latency };
  if ('median' in latency) {
    const { median, sigma, max } = latency;
    return { delayDistribution: { type: 'lognormal', median, sigma, ...(max === undefined ? {} : { maxValue: max }) } };
  }
  if ('mean' in latency || 'percentiles' in latency) {
    item.note('wiremock-export.latency');
    return {
      fixedDelayMilliseconds:
        'mean' in latency ? Math.round(latency.mean) : Math.round(Object.values(latency.percentiles)[0] ?? 0),
    };
  }
  return { delayDistribution: { type: 'uniform', lower: latency.min, upper: latency.max } };
}

/** Parts of the request are paths there; other helpers have the names that ours were given after. */
function written(text: string, item: Item): string {
  const own = text
    .replaceAll(/(?<=[{(\s])urlParam\s+'([\w-]+)'(?=[\s)}])/g, 'request.path.$1')
    .replaceAll(/(?<=[{(\s])queryParam\s+'([\w-]+)'(?=[)}])/g, 'request.query.$1')
    .replaceAll(/(?<=[{(\s])header\s+'([\w-]+)'(?=[)}])/g, 'request.headers.$1')
    .replaceAll(/(?<=[{(\s])cookie\s+'([\w-]+)'(?=[)}])/g, 'request.cookies.$1')
    .replaceAll(/(?<=\{)body\s+'([\w.-]+)'(?=\})/g, "jsonPath request.body '$$.$1'")
    .replaceAll(/(?<=\{)(method|url|host|baseUrl|clientIp|path)(?=\})/g, 'request.$1')
    .replaceAll(/(?<=[{(\s])request\.params\./g, 'request.path.')
    .replaceAll(/(?<=\{\{)setVar '(\w+)' \(parseJson ([^{}()]+)\)(?=\}\})/g, "parseJson $2 '$1'")
    .replaceAll(/(?<=[{(])replaceAll(?=\s)/g, 'replace')
    .replaceAll(OURS_ALONE, '');
  const other = [...callsIn(partsOf(own, 'text'))].find(({ helper }) => !THEIRS.has(helper));
  if (other !== undefined) item.note('wiremock-export.template', undefined, other.helper);
  return own;
}

/** What makes helpers answer as WireMock's do anyway. */
const OURS_ALONE = /(?<=\{[^{}]*) (?:list|form)=true(?=[^{}]*\})/g;

/** Helpers that WireMock has, by the same name. */
const THEIRS: ReadonlySet<string> = new Set(
  `jsonPath now randomValue randomInt randomDecimal math trim base64 urlEncode date parseDate
   truncateDate parseJson formatJson jsonMerge jsonRemove jsonArrayAdd jsonSort regexExtract pickRandom
   range array contains matches eq len ne gt gte lt lte and or not replace substring lower upper join capitalize lookup assign val`.split(
    /\s+/,
  ),
);
