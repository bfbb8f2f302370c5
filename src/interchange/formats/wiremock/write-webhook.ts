/** Callbacks of a response as webhooks of its stub. Whatever they say is a template there, in which the request is `originalRequest`. */
import type { Callback, MockResponse } from '../../../model/mocks/definition/definition.ts';
import { lostInCallback } from '../../exchanges/callback.ts';
import type { Item } from '../../report/report.ts';
import { delayOf, headersOf } from './write-response.ts';
import { writtenTemplate } from './write-template.ts';

/** @returns Members of the stub. */
export function writtenWebhooks({ callbacks = [] }: Pick<MockResponse, 'callbacks'>, item: Item): object {
  const written = callbacks.flatMap((callback) => writtenWebhook(callback, item));
  return written.length === 0 ? {} : { serveEventListeners: written };
}

function writtenWebhook(callback: Callback, item: Item): object[] {
  const { url, method = 'POST', headers = [], body = '', bodyEncoding, templated = false, delay = 0, when } = callback;
  for (const lost of lostInCallback(callback)) item.note('wiremock-export.callback', undefined, `${url}: ${lost}`);
  if (when !== undefined) return [];
  const shown = (text: string): string => {
    if (!text.includes('{{')) return text;
    if (templated === false) item.note('wiremock-export.template', undefined, text);
    return writtenTemplate(text, item).replaceAll(/(?<=[{(\s])request\./g, 'originalRequest.');
  };
  const parameters = {
    method,
    url: shown(url),
    ...(headers.length === 0 ? {} : { headers: headersOf(headers, shown) }),
    ...(body === '' ? {} : bodyEncoding === 'base64' ? { base64Body: body } : { body: shown(body) }),
    ...(delay === 0 ? {} : { delay: delayOf(delay, item) }),
  };
  return [{ name: 'webhook', parameters }];
}
