/** The five ways in which a stub says its URL. */
import type { ReadRule } from '../../format.ts';
import { parameterName } from '../../exchanges/literal-path.ts';
import { textIn } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { EVERY_PATH, pathOfPattern, pathOfText } from '../../stubs/stub-path.ts';
import { NO_QUERY, partedUrl, type Url } from './parted-url.ts';

export function urlOf(request: Member, item: Item): Url {
  const path = textIn(request, 'urlPath');
  const pathPattern = textIn(request, 'urlPathPattern');
  const template = textIn(request, 'urlPathTemplate');
  const url = textIn(request, 'url');
  const pattern = textIn(request, 'urlPattern');
  if (path !== undefined) return { path: pathOfText(path), rules: [] };
  if (pathPattern !== undefined) return { path: pathOfPattern(pathPattern), rules: [] };
  if (template !== undefined) return { path: { path: templatePath(template) }, rules: [] };
  if (url !== undefined) return ofText(url);
  if (pattern !== undefined) return ofPattern(pattern, item, request.at('/urlPattern'));
  return { path: EVERY_PATH, rules: [] };
}

/** The query as it was sent, too. */
function ofText(url: string): Url {
  const [path = '', query] = url.split(/\?(.*)/s);
  const rule: ReadRule =
    query === undefined || query === '' ? NO_QUERY : { target: 'queryString', operator: 'equals', value: query };
  return { path: pathOfText(path), rules: [rule] };
}

const EVERY_PATTERN = /^\^?\/?\.\*\$?$/;

/** A pattern of the path and the query together. Where it says no "?", requests have no query, unless it ends with anything. */
function ofPattern(pattern: string, item: Item, source: Member | undefined): Url {
  if (EVERY_PATTERN.test(pattern)) return { path: EVERY_PATH, rules: [] };
  const [path = '', query] = pattern.split(/\\\?(.*)/s);
  if (query !== undefined && isClosed(path)) {
    const bare = path.startsWith('^') ? path : `^${path}`;
    const value = `^(?:${query.replace(/(?<!\\)\$$/, '')})$`;
    return { path: pathOfPattern(bare), rules: [{ target: 'queryString', operator: 'regex', value }] };
  }
  const open = /^(.*?)(?:\.\*)\$?$/s.exec(pattern)?.[1];
  if (open !== undefined && isClosed(open)) return { path: pathOfPattern(pattern), rules: [] };
  if (isClosed(pattern)) return { path: pathOfPattern(pattern), rules: [NO_QUERY] };
  const parted = partedUrl(pattern);
  if (parted !== undefined) return parted;
  item.note('wiremock.url-pattern', source, pattern);
  return { path: pathOfPattern(pattern), rules: [] };
}

/** Whether what it matches has no "?" of a query: no dots that stand for any character, and balanced parentheses. */
function isClosed(pattern: string): boolean {
  const plain = pattern.replaceAll(/\\./g, '').replaceAll(/\[(?!\^)[^[\]]*\]/g, '');
  const isBalanced = plain.split('(').length === plain.split(')').length;
  return isBalanced && !/[.]|\[\^/.test(plain) && !/\\[DSW]/.test(pattern);
}

function templatePath(template: string): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => `:${parameterName(name)}`);
}
