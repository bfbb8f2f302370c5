/** URLs of the recorded host in responses: a client that follows one leaves the mock. */
import type { ReadMock, ReadResponse } from '../format.ts';
import { asText } from '../templates/reword.ts';

const TAG = /\{\{[^{}]*\}\}/g;
/** Headers that hold URLs which clients follow. */
const LINKS = /^(?:location|content-location|link|refresh)$/i;

/**
 * Notes responses with such URLs.
 *
 * @param rewrite Whether the URLs become those of the mock, by templates.
 */
export function withOwnUrls(mock: ReadMock, rewrite: boolean): ReadMock {
  const { hosts = [] } = mock;
  if (hosts.length === 0) return mock;
  const names = hosts.map((host) => host.replaceAll(/[^\w-]/g, String.raw`\$&`)).join('|');
  // JSON may escape slashes.
  const urls = new RegExp(String.raw`https?:(?:\\?/){2}(?:${names})(?![\w.:-])`, 'gi');
  const converted = (response: ReadResponse): ReadResponse => {
    const { item, headers = [], body = '', bodyEncoding = 'text', templated = false } = response;
    const isText = bodyEncoding === 'text';
    const links = headers.filter(({ name, value }) => LINKS.test(name) && value.search(urls) !== -1);
    if ((!isText || body.search(urls) === -1) && links.length === 0) return response;
    if (!rewrite || !isText || templated !== false) {
      item.note('import.own-url', undefined, hosts.join(', '));
      return response;
    }
    const own = (text: string): string => text.replaceAll(TAG, asText).replaceAll(urls, '{{baseUrl}}');
    const lines = headers.map(({ name, value }) => ({ name, value: own(value) }));
    return { ...response, headers: lines, body: own(body), templated: true };
  };
  return { ...mock, routes: mock.routes.map((route) => ({ ...route, responses: route.responses.map(converted) })) };
}
