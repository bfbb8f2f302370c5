/** Callbacks of the responses of a route as those of its operation, by their names. Parts of the request in a URL are runtime expressions. */
import type { Callback, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { headerOf } from '../../exchanges/reply-headers.ts';
import type { Item } from '../../report/report.ts';
import { exampleOf } from './written-responses.ts';

/** @param item Of the route. @returns Members of the operation. */
export function writtenCallbacks({ responses }: MockRoute, item: Item): object {
  const callbacks = new Map<string, Record<string, Record<string, object>>>();
  for (const callback of responses.flatMap((response) => response.callbacks ?? [])) {
    const { name = 'callback', method = 'POST' } = callback;
    const url = expressionOf(callback, item);
    const own = callbacks.get(name) ?? {};
    callbacks.set(name, own);
    const place = (own[url] ??= {});
    // Responses often have the same one.
    place[method.toLowerCase()] ??= operationOf(callback, item);
  }
  return callbacks.size === 0 ? {} : { callbacks: Object.fromEntries(callbacks) };
}

function operationOf({ headers = [], body = '', bodyEncoding = 'text' }: Callback, item: Item): object {
  const type = headerOf(headers, 'content-type') ?? 'application/octet-stream';
  const content = { [type]: { example: exampleOf({ body, bodyEncoding }, type.replace(/;.*/s, ''), item) } };
  return {
    ...(body === '' ? {} : { requestBody: { content } }),
    responses: { default: { description: 'Any' } },
  };
}

const HELPERS: Readonly<Record<string, string>> = { queryParam: 'query', header: 'header', urlParam: 'path' };

function expressionOf({ url, templated = false }: Callback, item: Item): string {
  if (templated === false) return url;
  return url.replaceAll(/\{\{((?:(?!\{\{).)*?)\}\}/g, (tag, text: string) => {
    const [, helper = '', name = ''] = /^(queryParam|header|urlParam) '([^']+)'$/.exec(text) ?? [];
    const [, whole, path = ''] =
      /^jsonPath (\(body\)|response\.body) '\$((?:\["[^"\\]+"\]|\[\d+\])+)'$/.exec(text) ?? [];
    if (helper !== '') return `{$request.${HELPERS[helper]}.${name}}`;
    if (whole !== undefined) {
      const names = [...path.matchAll(/\["([^"]+)"\]|\[(\d+)\]/g)].map(([, member, index]) => member ?? index ?? '');
      const pointer = names.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
      return `{$${whole === '(body)' ? 'request' : 'response'}.body#${pointer}}`;
    }
    item.note('openapi-export.template');
    return tag;
  });
}
