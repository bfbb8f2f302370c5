/**
 * Reads the callbacks of an operation. Each request that the document describes becomes a callback of the responses that are no errors; its
 * URL may have parts of the request and of the answer, as runtime expressions.
 */
import { parameterName } from '../../exchanges/literal-path.ts';
import { callbacksOf, SENT_ONCE, type ReadCallback } from '../../exchanges/callback.ts';
import type { ReadResponse } from '../../format.ts';
import { typed } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { unescapeName } from '../../source/member.ts';
import { quoted } from '../../templates/terms.ts';
import { contentsOf } from './content.ts';
import { countWhole, EXTENSIONS, leaveOut, referred, type Reading } from './members.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** @param item The operation. @returns Its responses, with what follows them. */
export function withCallbacks(
  operation: Member,
  responses: readonly ReadResponse[],
  item: Item,
  reading: Reading,
): readonly ReadResponse[] {
  const list = typed(operation, 'callbacks', 'object');
  if (list === undefined) return responses;
  const read = list.members().flatMap((element): ReadCallback[] => {
    const callback = referred(element, 'openapi.part', item, reading);
    if (callback === undefined) return [];
    const made = callback
      .names()
      .filter((name) => !EXTENSIONS.test(name))
      .flatMap((name) => readExpression(callback.get(name) as Member, element.name, item, reading));
    leaveOut(callback, reading);
    return made;
  });
  const made = callbacksOf(read, { refused: 'openapi.callback', header: 'openapi.header' }, item, reading.report);
  const follows = (each: ReadResponse): boolean => isSuccess(each) || !responses.some(isSuccess);
  return responses.map((each) => (follows(each) ? { ...each, ...made } : each));
}

function isSuccess({ status = 200 }: ReadResponse): boolean {
  return status < 400;
}

/** @param element Named by the URL: a path item. */
function readExpression(element: Member, name: string, item: Item, reading: Reading): ReadCallback[] {
  const place = referred(element, 'openapi.part', item, reading);
  if (place === undefined) return [];
  const url = templateOf(element.name);
  if (url === undefined) {
    item.note('openapi.callback', element, `${element.name}: an expression is not supported`);
    return [];
  }
  return METHODS.flatMap((method): ReadCallback[] => {
    const operation = typed(place, method, 'object');
    if (operation === undefined) return [];
    const body = typed(operation, 'requestBody', 'object');
    const content = body && referred(body, 'openapi.part', item, reading);
    const [first] = content === undefined ? [] : contentsOf(content, 200, [], item, reading);
    for (const note of first?.notes ?? []) item.note(note.code, note.source, note.detail);
    const templated = first?.isTemplate === true ? 'json' : url.includes('{{');
    return [
      {
        source: operation,
        callback: {
          name: name.slice(0, NAME_CHARS_MAX),
          url,
          method: method.toUpperCase(),
          ...(first === undefined || first.type === ''
            ? {}
            : { headers: [{ name: 'Content-Type', value: first.type }] }),
          ...(first === undefined || first.body === '' ? {} : { body: first.body }),
          ...(templated === false ? {} : { templated }),
          ...SENT_ONCE,
        },
      },
    ];
  });
}

const NAME_CHARS_MAX = 100;

/** @returns undefined for an expression that is none of the standard. */
function templateOf(text: string): string | undefined {
  const parts = text.split(/(\{\$[^{}]*\})/).map((part) => {
    const [, expression] = /^\{(\$[^{}]*)\}$/.exec(part) ?? [];
    if (expression === undefined) return part;
    const own = helperOf(expression);
    return own === undefined ? undefined : `{{${own}}}`;
  });
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** A part of the request, or of the answer that the callback follows. */
function helperOf(expression: string): string | undefined {
  if (expression === '$url') return 'concat (baseUrl) (url)';
  if (expression === '$method') return 'method';
  if (expression === '$statusCode') return 'response.status';
  const [, of, place, name = ''] =
    /^\$(request|response)\.(header|query|path|body)(?:[.#](.*))?$/s.exec(expression) ?? [];
  if (place === 'body') return bodyOf(of === 'request' ? '(body)' : 'response.body', name);
  if (place === 'header' && of === 'response') return /^[\w-]+$/.test(name) ? `response.headers.${name}` : undefined;
  const own = of === 'request' ? quoted(place === 'path' ? parameterName(name) : name) : undefined;
  const helper = { query: 'queryParam', header: 'header', path: 'urlParam' }[place ?? ''];
  return own === undefined || helper === undefined || name === '' ? undefined : `${helper} ${own}`;
}

/** @param pointer A JSON pointer into the body; "" for all of it. */
function bodyOf(whole: string, pointer: string): string | undefined {
  if (pointer === '' || pointer === '/') return whole.replaceAll(/[()]/g, '');
  const names = pointer.split('/').slice(1).map(unescapeName);
  const path = quoted(
    `$${names.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`)).join('')}`,
  );
  return path && `jsonPath ${whole} ${path}`;
}

/** Counts requests that are sent on their own: no request leads to it. */
export function countWebhooks(root: Member, reading: Reading): void {
  for (const hook of typed(root, 'webhooks', 'object')?.members() ?? []) countWhole(hook, 'openapi.webhook', reading);
}
