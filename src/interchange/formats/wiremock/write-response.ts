/** A response as WireMock writes it. */
import type { Latency, MockResponse, MockSettings } from '../../../model/mocks/definition/definition.ts';
import type { Item } from '../../report/report.ts';
import { streamAsBody } from '../stream-as-body.ts';
import { writtenProxy } from './write-proxy.ts';
import { writtenTemplate } from './write-template.ts';

const FAULTS: Readonly<Record<string, string>> = {
  empty: 'EMPTY_RESPONSE',
  reset: 'CONNECTION_RESET_BY_PEER',
  malformedChunk: 'MALFORMED_RESPONSE_CHUNK',
  garbage: 'RANDOM_DATA_THEN_CLOSE',
};

/** @returns undefined when it cannot be written: the item reports why. */
export function writtenResponse(
  given: MockResponse,
  settings: Pick<MockSettings, 'proxy'>,
  item: Item,
): object | undefined {
  const response = streamAsBody(given);
  if (given.stream !== undefined) item.note('wiremock-export.stream');
  if (response.proxy !== undefined)
    return { ...writtenProxy(response, settings, item), ...latencyOf(response.latency, item) };
  const { status, headers, body, bodyEncoding, latency, fault, delivery, templated } = response;
  const kind = fault && FAULTS[fault.kind];
  const isSometimes = fault !== undefined && Object.keys(fault).length > 1;
  if (fault !== undefined && (kind === undefined || isSometimes))
    item.note('wiremock-export.fault', undefined, fault.kind);
  if (delivery !== undefined && !('chunks' in delivery)) item.note('wiremock-export.delivery');
  const isTemplate =
    templated !== false && [body, ...headers.map(({ value }) => value)].some((text) => text.includes('{{'));
  const shown = (text: string): string => (isTemplate ? writtenTemplate(text, item) : text);
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

export function headersOf(
  headers: MockResponse['headers'],
  shown: (text: string) => string,
): Record<string, string | readonly string[]> {
  const values = new Map<string, string[]>();
  for (const { name, value } of headers) values.set(name, [...(values.get(name) ?? []), shown(value)]);
  return Object.fromEntries([...values].map(([name, own]) => [name, own.length === 1 ? (own[0] as string) : own]));
}

function latencyOf(latency: Latency, item: Item): object {
  if (latency === 0) return {};
  const { type, ...delay } = delayOf(latency, item);
  return type === 'fixed' ? { fixedDelayMilliseconds: delay.milliseconds } : { delayDistribution: { type, ...delay } };
}

interface Delay extends Readonly<Record<string, unknown>> {
  readonly type: 'fixed' | 'uniform' | 'lognormal';
}

/** As WireMock draws it. */
export function delayOf(latency: Latency, item: Item): Delay {
  if (typeof latency === 'number') return { type: 'fixed', milliseconds: latency };
  if ('median' in latency) {
    const { median, sigma, max } = latency;
    return { type: 'lognormal', median, sigma, ...(max === undefined ? {} : { maxValue: max }) };
  }
  if ('mean' in latency || 'percentiles' in latency) {
    item.note('wiremock-export.latency');
    const middle = 'mean' in latency ? latency.mean : (Object.values(latency.percentiles)[0] ?? 0);
    return { type: 'fixed', milliseconds: Math.round(middle) };
  }
  return { type: 'uniform', lower: latency.min, upper: latency.max };
}
