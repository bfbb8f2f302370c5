/**
 * Script rules of Requestly's file: scripts and styles that are inserted into pages. No rule type does that, so each becomes a
 * Response rule with a program that inserts them into `text/html`; a Headers rule beside it removes the page's policy where the file
 * asks for that.
 *
 * What runs before the page loads stands behind `<head>`, styles before its end, and what runs after it at the end of the body.
 */
import { isObject } from '../../base/json-object.ts';

/** A rule as `POST /v1/rules` takes it. */
type Payload = Readonly<Record<string, unknown>>;

/** A script of the file: its code, or the URL of it. */
interface Script {
  readonly isStyle: boolean;
  readonly isUrl: boolean;
  readonly value: string;
  readonly isLate: boolean;
  readonly attributes: string;
}

/**
 * @param pairs Of the Script rule.
 * @returns Its rules here, the Response rule first; undefined when a pair has no scripts, or some that nobody knows.
 */
export function scriptRules(rule: Payload, pairs: unknown, removesPolicy: boolean): readonly Payload[] | undefined {
  if (!Array.isArray(pairs) || pairs.length === 0) return undefined;
  const read = pairs.map((pair: unknown) => {
    const { id, source, scripts } = isObject(pair) ? pair : {};
    const found = Array.isArray(scripts) && scripts.length > 0 ? scripts.map(scriptOf) : [undefined];
    return {
      own: { id, source },
      scripts: found.filter((script) => script !== undefined),
      isWhole: !found.includes(undefined),
    };
  });
  if (!read.every(({ isWhole }) => isWhole)) return undefined;
  const response = {
    ...rule,
    ruleType: 'Response',
    pairs: read.map(({ own, scripts }) => ({ ...own, response: { type: 'code', value: programOf(scripts) } })),
  };
  if (!removesPolicy) return [response];
  const policies = ['content-security-policy', 'content-security-policy-report-only'];
  const modifications = { Response: policies.map((header) => ({ header, type: 'Remove' })) };
  const headers = {
    ...rule,
    name: `${String(rule['name'])} (no Content-Security-Policy)`,
    ruleType: 'Headers',
    pairs: read.map(({ own: { source } }) => ({ source, modifications })),
  };
  return [response, headers];
}

function scriptOf(given: unknown): Script | undefined {
  const { codeType, type, value, loadTime, attributes } = isObject(given) ? given : {};
  if (typeof value !== 'string' || (codeType !== 'js' && codeType !== 'css')) return undefined;
  return {
    isStyle: codeType === 'css',
    isUrl: type === 'url',
    value,
    isLate: loadTime === 'afterPageLoad',
    attributes: Array.isArray(attributes) ? attributes.map(attributeOf).join('') : '',
  };
}

/** The address is an attribute of ours. */
function attributeOf(given: unknown): string {
  const { name, value } = isObject(given) ? given : {};
  if (typeof name !== 'string' || !/^(?!(?:src|href)$)[a-z][\w:.-]*$/i.test(name)) return '';
  return typeof value === 'string' && value !== '' ? attribute(name, value) : ` ${name}`;
}

const attribute = (name: string, value: string): string =>
  ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;

function elementOf({ isStyle, isUrl, value, attributes }: Script): string {
  if (isUrl) {
    if (!isStyle) return `<script${attribute('src', value)}${attributes}></script>`;
    const rel = / rel(?:=|\s|$)/i.test(attributes) ? '' : ' rel="stylesheet"';
    return `<link${attribute('href', value)}${rel}${attributes}>`;
  }
  const name = isStyle ? 'style' : 'script';
  // The end of the element in a text would be its end.
  return `<${name}${attributes}>${value.replaceAll(new RegExp(`</(${name})`, 'gi'), '<\\/$1')}</${name}>`;
}

/** The program of a Response rule. It leaves answers that are no pages as they are. */
function programOf(scripts: readonly Script[]): string {
  const elements = (isOf: (script: Script) => boolean): string =>
    JSON.stringify(scripts.filter(isOf).map(elementOf).join(''));
  return `function insert({ response, responseType }) {
  if (!/^\\s*text\\/html\\b/i.test(responseType)) return undefined;
  const first = ${elements(({ isStyle, isLate }) => !isStyle && !isLate)};
  const styles = ${elements(({ isStyle }) => isStyle)};
  const last = ${elements(({ isStyle, isLate }) => !isStyle && isLate)};
  const head = /<head\\b[^>]*>/i.exec(response) ?? /<html\\b[^>]*>/i.exec(response) ?? /^\\s*<!doctype[^>]*>/i.exec(response);
  const start = head === null ? 0 : head.index + head[0].length;
  const end = response.slice(start).search(/<\\/head\\s*>/i);
  const headEnd = end === -1 ? start : start + end;
  const ends = [...response.slice(headEnd).matchAll(/<\\/body\\s*>/gi)];
  const bodyEnd = ends.length === 0 ? response.length : headEnd + ends[ends.length - 1].index;
  return response.slice(0, start) + first + response.slice(start, headEnd) + styles
    + response.slice(headEnd, bodyEnd) + last + response.slice(bodyEnd);
}`;
}
