/**
 * JSONPaths that end with a filter, `$.thing[?(@.name == 'x')]`: the library of WireMock and MockServer asks the filter of an object
 * itself, where the standard asks it of what is in it. So such a path is conditions on the object, or the path itself where a list is.
 */
import type { ReadRule } from '../format.ts';

const NAMES = String.raw`(?:\.[A-Za-z_][\w-]*|\['[^']*'\]|\[\d+\])*`;
const FILTER = new RegExp(String.raw`^(\$${NAMES})\[\?\s*\(?(.*?)\)?\s*\]$`, 's');
const ANYWHERE = /^\$\.\.([A-Za-z_][\w-]*)\[\?\s*\(?(.*?)\)?\s*\]$/s;
const PATH = String.raw`@((?:\.[A-Za-z_][\w-]*|\['[^']*'\]|\[\d+\])+)`;
const LITERAL = String.raw`('[^']*'|"[^"]*"|-?\d+(?:\.\d+)?|true|false|null)`;
const COMPARISON = new RegExp(`^${PATH}\\s*(==|!=|>=|<=|>|<)\\s*${LITERAL}$`);
const PATTERN = new RegExp(`^${PATH}\\s*=~\\s*/(.*)/(i?)$`);
const PRESENCE = new RegExp(`^${PATH}$`);

const OPERATORS: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' };

interface LastFilter {
  /** What it is asked of: the path before it. */
  readonly base: string;
  /** All of these hold for an object there. */
  readonly rules: readonly ReadRule[];
  /** A path of the standard that finds something where they hold for an object further inside. */
  readonly inside?: string;
}

/** @returns undefined for any other path. */
export function lastFilter(path: string): LastFilter | undefined {
  const [, base, filter] = FILTER.exec(path) ?? [];
  const rules = base === undefined || filter === undefined ? undefined : conditionsOf(filter, base);
  if (base !== undefined && rules !== undefined) return { base, rules };
  const [, name, nested] = ANYWHERE.exec(path) ?? [];
  const ofRoot = name === undefined || nested === undefined ? undefined : conditionsOf(nested, `$.${name}`);
  if (name === undefined || nested === undefined || ofRoot === undefined) return undefined;
  const inside = `$..[?@.${name} && ${nested.replaceAll(/@(?=[.[])/g, `@.${name}`)}]`;
  return { base: `$..${name}`, rules: ofRoot, inside };
}

function conditionsOf(filter: string, base: string): readonly ReadRule[] | undefined {
  const rules = filter.split('&&').map((part) => conditionOf(part.trim(), base));
  return rules.includes(undefined) ? undefined : (rules as ReadRule[]);
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
