/** Webhooks of a stub as callbacks. Their templates name the request `originalRequest`. */
import { LATENCY_MS_MAX } from '../../../limits.ts';
import { callbacksOf, SENT_ONCE, type ReadCallback } from '../../exchanges/callback.ts';
import { headerLines } from '../../exchanges/header-lines.ts';
import { scalarText, textIn, typed } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Bundle } from '../../source/bundle.ts';
import type { Member } from '../../source/member.ts';
import type { StubResponse } from '../../stubs/stub.ts';
import { among, reword, type RewordedText } from '../../templates/reword.ts';
import { isObject } from '../../../base/json-object.ts';
import { noteWords } from './proxy.ts';
import { bodyOf, distributionOf, pathParametersIn } from './response.ts';
import { WireMockWords } from './words.ts';
import type { Latency } from '../../../model/mocks/behaviour/latency-schema.ts';

const PLACES = ['postServeActions', 'serveEventListeners'] as const;

/** @param isProxied Whether another server answers: nothing follows its answers. */
export function readWebhooks(
  mapping: Member,
  isProxied: boolean,
  bundle: Bundle,
  item: Item,
  report: ReportWriter,
): Pick<StubResponse, 'callbacks'> {
  const read = PLACES.flatMap((place) => {
    const own = typed(mapping, place, 'array', 'object');
    own?.whole();
    return (own?.isArray === true ? own.items() : (own?.members() ?? [])).flatMap((source): ReadCallback[] => {
      // In older files an object has the parameters by name.
      const parameters = own?.isArray === true ? source.at('/parameters') : source;
      const name = own?.isArray === true ? scalarText(source.at('/name')?.value) : source.name;
      const why = name === 'webhook' ? (isProxied ? 'an upstream answers' : undefined) : 'it is an extension';
      if (why === undefined && parameters?.isObject === true)
        return readWebhook({ source, parameters, mapping }, bundle, item, report);
      item.note(
        STATE.test(name ?? '') ? 'wiremock.stored-state' : 'wiremock.webhook',
        source,
        `${scalarText(parameters?.at('/url')?.value) ?? name ?? ''}: ${why ?? 'it has no parameters'}`,
      );
      return [];
    });
  });
  return callbacksOf(read, { refused: 'wiremock.webhook', header: 'wiremock.header' }, item, report);
}

function readWebhook(
  { source, parameters, mapping }: { readonly [Part in 'source' | 'parameters' | 'mapping']: Member },
  bundle: Bundle,
  item: Item,
  report: ReportWriter,
): ReadCallback[] {
  const values = isObject(parameters.value) ? parameters.value : {};
  const words = new WireMockWords({
    parameters: pathParametersIn(mapping.at('/request/urlPathTemplate')?.text()),
    values,
  });
  const own = (text: string): RewordedText => {
    const tags = text.match(TAG)?.filter((tag) => /(?<![.\w])request\./.test(tag)) ?? [];
    for (const tag of tags) item.note('wiremock.template-value', source, `${tag}: it is empty in a webhook`);
    return reword(
      text.replaceAll(TAG, (tag) => tag.replaceAll(/\boriginalRequest\b/g, 'request')),
      words,
    );
  };
  const url = textIn(parameters, 'url') ?? '';
  const written = bodyOf(parameters, bundle, item);
  const lines = (typed(parameters, 'headers', 'object')?.members() ?? []).flatMap((header) =>
    headerLines(header.name, header.isArray ? header.items() : [header], { format: 'wiremock', item, report }),
  );
  if (written === undefined) return [];
  const asked = textIn(parameters, 'method') ?? 'GET';
  const isDrawn = asked.includes('{{');
  if (isDrawn) item.note('wiremock.webhook-method', source, asked);
  const method = isDrawn ? 'POST' : asked.toUpperCase();
  const hasBody = BODIED.has(method) && written.text !== '';
  const texts = {
    url: own(url),
    body: own(written.encoding === undefined && hasBody ? written.text : ''),
    headers: lines.map(({ name, value }) => ({ name, value: own(value) })),
  };
  const all = [texts.url, texts.body, ...texts.headers.map(({ value }) => value)];
  noteWords(all, item);
  const templated = written.encoding === undefined && all.some((each) => each.templated);
  const delay = delayOf(typed(parameters, 'delay', 'object'), item);
  return [
    {
      source,
      callback: {
        url: among(all, texts.url),
        method,
        ...(lines.length === 0
          ? {}
          : { headers: texts.headers.map(({ name, value }) => ({ name, value: among(all, value) })) }),
        ...(hasBody ? { body: written.encoding === undefined ? among(all, texts.body) : written.text } : {}),
        ...(hasBody && written.encoding !== undefined ? { bodyEncoding: written.encoding } : {}),
        ...(templated ? { templated } : {}),
        ...(delay === undefined ? {} : { delay }),
        ...SENT_ONCE,
      },
    },
  ];
}

const TAG = /\{\{[^{}]*\}\}/g;

/** WireMock sends no body with other methods. */
const BODIED: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function delayOf(delay: Member | undefined, item: Item): Latency | undefined {
  const drawn = delay && distributionOf(delay);
  const isLong = typeof drawn === 'number' && drawn > LATENCY_MS_MAX;
  if (delay !== undefined && (drawn === undefined || isLong)) item.note('wiremock.delay', delay);
  return isLong ? LATENCY_MS_MAX : drawn === 0 ? undefined : drawn;
}

/** Names of WireMock's state extension, by which requests keep and forget. */
const STATE = /^(?:record|delete)State$/;
