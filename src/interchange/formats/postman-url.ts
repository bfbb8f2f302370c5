/** URLs of a Postman collection, with variables in double braces: their path as that of a route, and their query. */
import { isObject } from '../../base/json-object.ts';
import type { Code } from '../report/codes.ts';
import { isCredential, namesCredential } from '../../base/credentials.ts';
import { isRoutePath, literalSegment, parameterName } from '../exchanges/literal-path.ts';
import { queryValues, requestValue, type RequestValue } from '../exchanges/request-values.ts';
import { countMembers, printed, scalarText, textIn, typed, type Members } from '../reading/members.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { decodeOnce } from '../../base/percent.ts';
import { splitPath } from '../../languages/paths/route-path.ts';

/** Values of the variables that are known, by name. */
export type Variables = ReadonlyMap<string, string>;

export interface PostmanUrl {
  /** Host in front of the path that is left out, as it may be shown; "" for nothing. */
  readonly host: string;
  /** Undefined when no route has it. */
  readonly path: string | undefined;
  /** The value of each parameter of the path in this request, where that is known. */
  readonly parameters: readonly (string | undefined)[];
  readonly query: readonly RequestValue[];
  /** Notes on the approximated parts of the path. */
  readonly notes: readonly { readonly code: Code; readonly detail?: string }[];
}

/** An entry of queries, parameters and form fields. */
export const PARAMETER: Members = {
  key: ['text'],
  id: ['text'],
  value: ['text', 'number', 'flag'],
  disabled: ['flag'],
  description: ['text', 'object'],
  type: ['text'],
  equals: ['flag'],
  name: ['text'],
  system: ['flag'],
};
const URL_MEMBERS: Members = {
  raw: ['text'],
  protocol: ['text'],
  host: ['text', 'array'],
  port: ['text', 'number'],
  auth: ['object'],
  hash: ['text'],
  query: PARAMETER,
  variable: PARAMETER,
  description: ['text', 'object'],
};

/** @param name The member that is the URL: a text, or an object. */
export function readUrl(owner: Member, name: string, variables: Variables, report: ReportWriter): PostmanUrl {
  const text = textIn(owner, name);
  const url = typed(owner, name, 'object');
  const parts = partsOf(text ?? url?.at('/raw')?.text() ?? '');
  if (url === undefined) return urlOf(parts, new Map(), variables);
  const query = url.at('/query');
  const own: Parts = {
    host: hostOf(url.at('/host')?.value) ?? parts.host,
    segments: segmentsIn(url, report) ?? parts.segments,
    query: query?.isArray === true ? pairsIn(query.value as unknown[]) : parts.query,
  };
  const values = valuesIn(url.at('/variable')?.value);
  countMembers(url, URL_MEMBERS, { code: 'postman.collection' }, report);
  return urlOf(own, values, variables);
}

interface Parts {
  readonly host: string;
  readonly segments: readonly string[];
  /** "name=value" */
  readonly query: readonly string[];
}

/** Host before the first "/", with a protocol or without. A variable may hold any character. */
const RAW =
  /^(?:(?:\{\{[^{}]*\}\}|[a-z][a-z0-9+.-]*):\/\/)?(?<host>(?:\{\{[^{}]*\}\}|[^/?#])*)(?<path>(?:\{\{[^{}]*\}\}|[^?#])*)(?:\?(?<query>[^#]*))?/i;

function partsOf(raw: string): Parts {
  const { host = '', path = '', query = '' } = RAW.exec(raw.trim())?.groups ?? {};
  return { host, segments: path === '' ? [] : path.slice(1).split('/'), query: query.split('&') };
}

function hostOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(printed).join('.');
  return typeof value === 'string' ? value : undefined;
}

/** @returns undefined when there are none. */
function segmentsIn(url: Member, report: ReportWriter): string[] | undefined {
  // It may say the same as the raw text.
  if (typed(url, 'path', 'text', 'array') !== undefined) report.count('postman.collection');
  const path = textIn(url, 'path');
  if (path !== undefined) return path.replace(/^\//, '').split('/');
  return typed(url, 'path', 'array')
    ?.items()
    .flatMap((segment) => {
      countMembers(segment, { type: ['text'] }, { code: 'postman.collection' }, report);
      const value = segment.isObject ? textIn(segment, 'value') : segment.value;
      if (typeof value === 'string') return [value];
      if (typeof value === 'number') return [String(value)];
      report.itemOf(segment).noteUnknown('import.unknown', segment);
      return [];
    });
}

function pairsIn(query: readonly unknown[]): string[] {
  return query.flatMap((pair) => {
    if (!isObject(pair) || pair.disabled === true) return [];
    const { key, value } = pair;
    return [`${typeof key === 'string' ? key : ''}=${scalarText(value) ?? ''}`];
  });
}

/** Values that parameters of the path have in this request, by name. */
function valuesIn(list: unknown): Map<string, string> {
  const values = new Map<string, string>();
  for (const each of Array.isArray(list) ? (list as unknown[]) : []) {
    if (!isObject(each)) continue;
    const name = each.key ?? each.id;
    const value = scalarText(each.value);
    if (typeof name === 'string' && value !== undefined) values.set(name, value);
  }
  return values;
}

const VARIABLE = /\{\{([^{}]*)\}\}/g;
const HAS_VARIABLE = /\{\{[^{}]*\}\}/;

/** @returns The text with the values of its variables; undefined when one is not known, or is a credential. */
export function resolved(text: string, variables: Variables): string | undefined {
  let found = text;
  for (let depth = 0; HAS_VARIABLE.test(found); depth++) {
    let isKnown = depth < VARIABLE_DEPTH_MAX && found.length < VARIABLE_CHARS_MAX;
    found = found.replaceAll(VARIABLE, (whole, name: string) => {
      const value = isKnown ? (variables.get(name.trim()) ?? '') : '';
      isKnown &&= value !== '' && !namesCredential(name) && !isCredential(value);
      return isKnown ? value : whole;
    });
    if (!isKnown) return undefined;
  }
  return found;
}

/** The value of a variable may hold others. */
const VARIABLE_DEPTH_MAX = 8;
const VARIABLE_CHARS_MAX = 100_000;

function urlOf(
  { host, segments, query }: Parts,
  values: ReadonlyMap<string, string>,
  variables: Variables,
): PostmanUrl {
  const notes: { code: Code; detail?: string }[] = [];
  const base = baseOf(host, variables);
  const isWhole = segments.length === 0 && HAS_VARIABLE.test(host);
  if (base.isDoubtful && (isWhole || /\}\}[^:./{]/.test(host))) notes.push({ code: 'postman.host' });
  const names = new Map<string, number>();
  const parameters: (string | undefined)[] = [];
  const parameter = (text: string, value: string | undefined): string => {
    const name = parameterName(text);
    const count = (names.get(name) ?? 0) + 1;
    names.set(name, count);
    parameters.push(namesCredential(text) ? undefined : value);
    return count === 1 ? `:${name}` : `:${name}_${count}`;
  };
  const written = [...base.segments, ...segments].flatMap((segment): (string | undefined)[] => {
    if (/^:[^{}]+$/.test(segment)) {
      if (!/^:[\w -]+$/.test(segment)) notes.push({ code: 'postman.parameter', detail: segment });
      const value = resolved(values.get(segment.slice(1)) ?? '', variables);
      // A placeholder is not a value: ":id", "<string>" or nothing.
      const isValue = value !== undefined && !/^$|^:|^<.*>$|[/?#]/.test(value);
      return [parameter(segment.slice(1), isValue ? decodeOnce(value) : undefined)];
    }
    const text = resolved(segment, variables);
    if (text === undefined || isCredential(decodeOnce(text))) {
      notes.push({ code: 'postman.variable', ...(text === undefined ? { detail: segment } : {}) });
      return [parameter(/\{\{\$?([^{}]*)\}\}/.exec(segment)?.[1] ?? 'value', undefined)];
    }
    if (text === segment) return [literalSegment(text)];
    return text.replace(/^\//, '').replace(/\/$/, '').split('/').map(literalSegment);
  });
  const path = `/${written.join('/')}`;
  return {
    host: base.host,
    path: written.includes(undefined) || !isRoutePath(path) ? undefined : path,
    parameters,
    query: query.flatMap((pair) => queryValue(pair, variables)),
    notes,
  };
}

interface Base {
  readonly host: string;
  /** Those of its path, which is kept. */
  readonly segments: readonly string[];
  /** Whether its variable may hold a path that is not known. */
  readonly isDoubtful: boolean;
}

/** A variable often holds the host with the path that all requests begin with. */
function baseOf(host: string, variables: Variables): Base {
  const text = resolved(host, variables);
  if (text === undefined) {
    const shown = `${shownHost(host)} has no known value: a path in it is dropped`;
    return { host: shown, segments: [], isDoubtful: true };
  }
  const parts = partsOf(text);
  return {
    host: shownHost(parts.host),
    segments: parts.segments.filter((segment) => segment !== ''),
    isDoubtful: false,
  };
}

/** Without credentials. */
function shownHost(host: string): string {
  const bare = host.replace(/^.*@/s, '');
  return isCredential(bare) ? '' : bare;
}

/** @returns The decoded segments of the path in this request; undefined when a parameter has no known value. */
export function segmentsOf({ path = '', parameters }: PostmanUrl): string[] | undefined {
  let next = 0;
  const texts = splitPath(path).map((text) => (text.startsWith(':') ? parameters[next++] : decodeOnce(text)));
  return texts.includes(undefined) ? undefined : (texts as string[]);
}

/** Skips unknown values, which a rule cannot test. */
function queryValue(pair: string, variables: Variables): RequestValue[] {
  const text = resolved(pair, variables);
  if (text !== undefined) return queryValues(text);
  return queryValues(pair.split('=', 1)[0] ?? '').map((value) => ({ ...value, isUsable: false }));
}

/**
 * @param path    A path with values in place of some parameters of the pattern, or the same.
 * @param values  Those of the parameters of the path.
 * @param pattern The path of a route.
 * @returns The values of the parameters of the pattern, by its names; undefined when it does not match the path.
 */
export function valuesOfPath(
  path: string,
  values: readonly (string | undefined)[],
  pattern: string,
): RequestValue[] | undefined {
  const texts = splitPath(path);
  const segments = splitPath(pattern);
  if (texts.length !== segments.length) return undefined;
  const found: RequestValue[] = [];
  let next = 0;
  for (const [index, segment] of segments.entries()) {
    const text = texts[index] as string;
    const isParameter = text.startsWith(':');
    const value = isParameter ? values[next++] : decodeOnce(text);
    if (segment.startsWith(':')) {
      const known = requestValue('urlParam', segment.slice(1), value ?? '');
      found.push(value === undefined || value === '' ? { ...known, isUsable: false } : known);
    } else if (isParameter || decodeOnce(segment) !== decodeOnce(text)) return undefined;
  }
  return found;
}
