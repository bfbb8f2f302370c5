/** `copy`: a token of the response is replaced by a part of the request. As a template. */
import { isObject } from '../../../base/json-object.ts';
import { escapePattern } from '../../stubs/stub-path.ts';
import type { StubResponse } from '../../stubs/stub.ts';

/** @returns Why it cannot be expressed. */
export function copied(response: StubResponse, given: unknown): StubResponse | string {
  if (!isObject(given) || typeof given.into !== 'string' || !isObject(given.using)) return 'it is malformed';
  const { into, using, from } = given;
  const source = sourceOf(from);
  if (source === undefined) return 'its source is not supported';
  const { body = '', headers = [], templated = false } = response;
  if (!templated && [body, ...headers.map(({ value }) => value)].some((text) => text.includes('{{')))
    return 'the response itself contains braces';
  const take = takerOf(using, source, into);
  if (typeof take === 'string') return take;
  const token = new RegExp(`${escapePattern(into)}(?:\\[(\\d+)\\])?`, 'g');
  const filled = (text: string): string =>
    text.replaceAll(token, (_, index: string | undefined) => take(Number(index ?? 0), index !== undefined));
  return {
    ...response,
    templated: true,
    body: filled(body),
    headers: headers.map(({ name, value }) => ({ name, value: filled(value) })),
  };
}

const FIELDS: ReadonlyMap<string, string> = new Map(Object.entries({ path: 'path', method: 'method', body: '(body)' }));
const HELPERS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ query: 'queryParam', headers: 'header', form: 'body' }),
);

function sourceOf(from: unknown): string | undefined {
  if (typeof from === 'string') return FIELDS.get(from.toLowerCase());
  if (!isObject(from)) return undefined;
  const [[field, name] = []] = Object.entries(from);
  if (typeof name !== 'string' || /['{}]/.test(name)) return undefined;
  const helper = HELPERS.get(field);
  return helper === undefined ? undefined : `(${helper} '${name}')`;
}

/** Replaces a token, or one with an index. */
type Take = (index: number, isIndexed: boolean) => string;

function takerOf(using: Readonly<Record<string, unknown>>, source: string, into: string): Take | string {
  const { method, selector, options } = using;
  if (typeof selector !== 'string' || /'|\{\{|\}\}/.test(selector) || /['{}]/.test(into.replace(/^\$\{(\w+)\}$/, '$1')))
    return 'its selector or token contains quotes or braces';
  // Without a match the token stays.
  const kept = (index: number, isIndexed: boolean): string => ` default='${into}${isIndexed ? `[${index}]` : ''}'`;
  if (method === 'regex') {
    const flag = isObject(options) && options.ignoreCase === true ? '(?i)' : '';
    return (index, isIndexed) =>
      `{{regexExtract ${source} '${flag}${selector}'${index === 0 ? '' : ` ${index}`}${kept(index, isIndexed)}}}`;
  }
  if (method === 'jsonpath') {
    return (index, isIndexed) => (index === 0 ? `{{jsonPath ${source} '${selector}'${kept(0, isIndexed)}}}` : into);
  }
  return 'XPath is not supported';
}
