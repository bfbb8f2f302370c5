/**
 * JSONPaths that filter the whole body, `$[?(@.name == 'x')]`: the library of WireMock and MockServer asks the
 * filter of an object itself, where the standard
 * asks it of what is in it. So such a path is conditions on the object, or the path itself for a body that is a list.
 */
import type { ReadRule } from '../format.ts';

const ROOT_FILTER = /^\$\[\?\s*\(?(.*?)\)?\s*\]$/s;
const PATH = String.raw`@((?:\.[A-Za-z_][\w-]*|\['[^']*'\]|\[\d+\])+)`;
const LITERAL = String.raw`('[^']*'|"[^"]*"|-?\d+(?:\.\d+)?|true|false|null)`;
const COMPARISON = new RegExp(`^${PATH}\\s*(==|!=|>=|<=|>|<)\\s*${LITERAL}$`);
const PATTERN = new RegExp(`^${PATH}\\s*=~\\s*/(.*)/(i?)$`);
const PRESENCE = new RegExp(`^${PATH}$`);

const OPERATORS: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' };

/** @returns undefined for any other path. */
export function rootFilter(path: string): readonly ReadRule[] | undefined {
  const inside = ROOT_FILTER.exec(path)?.[1];
  if (inside === undefined) return undefined;
  const rules = inside.split('&&').map((part) => conditionOf(part.trim()));
  return rules.includes(undefined) ? undefined : (rules as ReadRule[]);
}

function conditionOf(text: string): ReadRule | undefined {
  const [, path, sign, literal] = COMPARISON.exec(text) ?? [];
  if (path !== undefined && sign !== undefined && literal !== undefined) {
    const value = literal.replace(/^(['"])(.*)\1$/s, '$2');
    const place = { target: 'body', property: `$${path}`, value };
    if (sign === '!=') return { ...place, operator: 'equals', invert: true };
    return { ...place, operator: OPERATORS[sign] ?? 'equals' };
  }
  const [, matched, pattern, flag] = PATTERN.exec(text) ?? [];
  if (matched !== undefined) {
    const value = `^(?:${pattern})$`;
    return {
      target: 'body',
      property: `$${matched}`,
      operator: 'regex',
      value,
      ...(flag === 'i' ? { ignoreCase: true } : {}),
    };
  }
  const [, present] = PRESENCE.exec(text) ?? [];
  return present === undefined ? undefined : { target: 'body', property: `$${present}`, operator: 'exists' };
}
