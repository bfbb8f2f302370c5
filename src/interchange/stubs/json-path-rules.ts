/**
 * JSONPaths that end with a filter, `$.thing[?(@.name == 'x')]`: the library of WireMock and MockServer asks the filter of an object
 * itself, where the standard asks it of what is in it. So such a path is conditions on the object, or the path itself where a list is.
 */
import { compileJsonPath } from '../../languages/json-path.ts';
import type { ReadRule } from '../format.ts';
import { allOf } from './stub-rules.ts';

const NAMES = String.raw`(?:\.[A-Za-z_][\w-]*|\['[^']*'\]|\[\d+\])*`;
const FILTER = new RegExp(String.raw`^(\$${NAMES})\[\?\s*\(?(.*?)\)?\s*\]$`, 's');
const ANYWHERE = /^\$\.\.([A-Za-z_][\w-]*)\[\?\s*\(?(.*?)\)?\s*\]$/s;
const PATH = String.raw`@((?:\.[A-Za-z_][\w-]*|\['[^']*'\]|\[\d+\])+)`;
const LITERAL = String.raw`('[^']*'|"[^"]*"|-?\d+(?:\.\d+)?|true|false|null)`;
const COMPARISON = new RegExp(`^${PATH}\\s*(==|!=|>=|<=|>|<)\\s*${LITERAL}$`);
const PATTERN = new RegExp(`^${PATH}\\s*=~\\s*/(.*)/(i?)$`);
const PRESENCE = new RegExp(`^${PATH}$`);

const OPERATORS: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' };

/** A JSONPath finds something in the body: also as the tools read filters at its end, which differ from the standard. */
export function jsonPathRules(path: string): readonly ReadRule[] | string {
  const found = exists(path);
  const compiled = compileJsonPath(path);
  const filter = lastFilter(path);
  if (typeof compiled === 'string') return filter?.base === '$' ? filter.rules : `the JSONPath ${path}: ${compiled}`;
  if (filter === undefined) return [found];
  const { base, rules, inside } = filter;
  const isList = exists(`${base}[0]`);
  return [{ any: [allOf(rules), ...(inside === undefined ? [] : [exists(inside)]), { all: [isList, found] }] }];
}

function exists(property: string): ReadRule {
  return { target: 'body', property, operator: 'exists' };
}

interface LastFilter {
  /** What it is asked of: the path before it. */
  readonly base: string;
  /** All of these hold for an object there. */
  readonly rules: readonly ReadRule[];
  /** A path of the standard that finds something where they hold for an object further inside. */
  readonly inside?: string;
}

/** @returns undefined for any other path. */
function lastFilter(path: string): LastFilter | undefined {
  const [, base, filter] = FILTER.exec(path) ?? [];
  const rules = base === undefined || filter === undefined ? undefined : conditionsOf(filter, base);
  if (base !== undefined && rules !== undefined) return { base, rules };
  const [, name, nested] = ANYWHERE.exec(path) ?? [];
  const ofRoot = name === undefined || nested === undefined ? undefined : conditionsOf(nested, `$.${name}`);
  if (name === undefined || nested === undefined || ofRoot === undefined) return undefined;
  const inside = `$..[?@.${name} && (${nested.replaceAll(/@(?=[.[])/g, `@.${name}`)})]`;
  return { base: `$..${name}`, rules: ofRoot, inside };
}

function conditionsOf(filter: string, base: string): readonly ReadRule[] | undefined {
  const ways = filter.split('||').map((way) => way.split('&&').map((part) => conditionOf(part.trim(), base)));
  if (ways.flat().includes(undefined)) return undefined;
  const rules = ways as ReadRule[][];
  return rules.length === 1 ? rules[0] : [{ any: rules.map(allOf) }];
}

function conditionOf(text: string, base: string): ReadRule | undefined {
  const [, path, sign, literal] = COMPARISON.exec(text) ?? [];
  if (path !== undefined && sign !== undefined && literal !== undefined) {
    const value = literal.replace(/^(['"])(.*)\1$/s, '$2');
    const place = { target: 'body', property: `${base}${path}`, value };
    if (sign === '!=') return { ...place, operator: 'equals', invert: true };
    return { ...place, operator: OPERATORS[sign] ?? 'equals' };
  }
  const [, matched, pattern, flag] = PATTERN.exec(text) ?? [];
  if (matched !== undefined) {
    const value = `^(?:${pattern})$`;
    return {
      target: 'body',
      property: `${base}${matched}`,
      operator: 'regex',
      value,
      ...(flag === 'i' ? { ignoreCase: true } : {}),
    };
  }
  const [, present] = PRESENCE.exec(text) ?? [];
  return present === undefined ? undefined : { target: 'body', property: `${base}${present}`, operator: 'exists' };
}
