/** Paths of OpenAPI documents as those of routes: templates, and the base path of the server in front of them. */
import { parseForm } from '../../../languages/paths/segment-form.ts';
import { decodeOnce } from '../../../base/percent.ts';
import { isRoutePath, literalSegment, parameterName } from '../../exchanges/literal-path.ts';

/** No route has a longer one, and the patterns below are quick for texts of this length alone. */
const PATH_CHARS_MAX = 2_000;
const TEMPLATE = /\{[^{}]*\}/;
const WHOLE_TEMPLATE = /^\{([^{}]*)\}$/;

/** The path of a document, and what follows it. */
export interface SplitPath {
  readonly path: string;
  readonly mark: '' | '?' | '#';
  readonly rest: string;
}

/** Templates of RFC 6570 that add to a query or a fragment: every request may be without. */
const ADDED = /\{[?&#][^{}]*\}/g;

export function splitPath(text: string): SplitPath {
  const plain = text.length > PATH_CHARS_MAX ? text : text.replaceAll(ADDED, '');
  const [, path = '', mark = '', rest = ''] = /^([^?#]*)([?#]?)(.*)$/s.exec(plain) ?? [];
  return { path: path.startsWith('/') ? path : `/${path}`, mark: mark as SplitPath['mark'], rest };
}

interface RoutePath {
  readonly path: string;
  /** Segments of which a part, or the whole, is one parameter, and was more than that. */
  readonly widened: readonly string[];
}

/** @returns The path of a route, or what of it no route can have. */
export function routePath(base: string, path: string): RoutePath | { readonly problem: string } {
  const whole = `${base}${path}`;
  if (whole.length > PATH_CHARS_MAX) return { problem: `more than ${PATH_CHARS_MAX} characters` };
  const names = new Set<string>();
  const segments: string[] = [];
  const widened: string[] = [];
  for (const text of whole.slice(1).split('/')) {
    const [, name] = WHOLE_TEMPLATE.exec(text) ?? [];
    if (name !== undefined) segments.push(`:${ownName(parameterName(name), names)}`);
    else if (TEMPLATE.test(text)) {
      const form = formSegment(text, names);
      if (form === undefined || ADJACENT.test(text)) widened.push(text);
      segments.push(form ?? `:${ownName(parameterName(text.replaceAll(/[{}]/g, '')), names)}`);
    } else {
      const segment = literalSegment(text);
      if (segment === undefined) return { problem: text };
      segments.push(segment);
    }
  }
  const found = `/${segments.join('/')}`;
  return isRoutePath(found) ? { path: found, widened } : { problem: whole };
}

/** Templates without text between them: no route has two parameters in such a place. */
const ADJACENT = /\{[^{}]*\}\{[^{}]*\}/;
const TEMPLATES_OR_TEXT = /(?:\{[^{}]*\})+|(?:(?!\{[^{}]*\}).)+/gs;

/**
 * The pattern of a parameter that says nothing of its values, but where its name ends, and that it begins: next to letters, and before
 * what a name or a pattern could go on with.
 */
export const ANY_VALUE = '.+';
const ENDS_NO_NAME = /^(?:[A-Za-z0-9_(]|-[A-Za-z0-9_])/;
const BEGINS_NO_NAME = /[A-Za-z0-9_]$/;

/** @returns A segment of text and parameters, as a route writes it; undefined where a route cannot. */
function formSegment(text: string, names: Set<string>): string | undefined {
  const parts = text.match(TEMPLATES_OR_TEXT) ?? [];
  const pieces: string[] = [];
  let form = '';
  for (const [index, part] of parts.entries()) {
    if (TEMPLATE.test(part)) {
      // A name within text has no "-" at its end, and no two together.
      const name = ownName(parameterName(part.replaceAll(/[{}]/g, '')).replaceAll(/-+(?=-|$)/g, ''), names);
      pieces.push(`:${name}`);
      const isBounded = !BEGINS_NO_NAME.test(form) && !ENDS_NO_NAME.test(parts[index + 1] ?? '');
      form += isBounded ? `:${name}` : `:${name}(${ANY_VALUE})`;
    } else {
      const literal = literalSegment(part);
      if (literal === undefined) return undefined;
      pieces.push(decodeOnce(literal));
      form += literal;
    }
  }
  const found = parseForm(form);
  if (typeof found !== 'object') return undefined;
  const written = found.form.pieces.map((piece) => (typeof piece === 'string' ? piece : `:${piece.name}`));
  return written.join('\0') === pieces.join('\0') ? form : undefined;
}

function ownName(name: string, taken: Set<string>): string {
  let own = name;
  for (let number = 2; taken.has(own); number++) own = `${name}_${number}`;
  taken.add(own);
  return own;
}

interface BasePath {
  /** Without a slash at its end; "" for none. */
  readonly path: string;
  /** Why it may be another. */
  readonly doubt?: string;
}

/** Slashes beyond the second are a mistake that browsers forgive. */
const ORIGIN = /^(?:(?:[a-z][a-z0-9+.-]*|\{[^{}]*\}):\/{2,}|\/\/)[^/?#]*/i;
/** Host in front without a scheme: a host with a dot, a port, or a variable. */
const BARE_HOST = /^(?:[^/?#]*[.:][^/?#]*|localhost|\{[^{}]*\})(?=[/?#]|$)/i;

/** @param url Of a server, with the values of its variables. */
export function basePathOf(url: string): BasePath {
  if (url.length > PATH_CHARS_MAX) return { path: '', doubt: `more than ${PATH_CHARS_MAX} characters` };
  const text = url.trim();
  const isRelative = !ORIGIN.test(text) && !text.startsWith('/');
  const rest = isRelative ? text.replace(/^\.\//, '').replace(BARE_HOST, '') : text.replace(ORIGIN, '');
  const [path = ''] = rest.split(/[?#]/, 1);
  const own = withSlash(path);
  const isWhole = path === rest && (!isRelative || text === '' || text === '.');
  return isWhole ? { path: own } : { path: own, doubt: url };
}

/** One slash in front, none at the end. */
export function withSlash(path: string): string {
  const bare = path.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '');
  return bare === '' || bare === '.' ? '' : `/${bare}`;
}

/** Whether other paths that match the same requests say more exactly which. */
export function isInexact(path: string): boolean {
  const found = routePath('', splitPath(path).path);
  return path.includes('#') || ('widened' in found && found.widened.length > 0);
}
