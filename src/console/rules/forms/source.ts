/** The source of a pair: which requests match. Changes keep its spelling. */
import { isObject, objectsOf, textOf, withMember } from './pair-members.ts';
import type { Pair } from './rule-form.ts';
import { choices, labelOf, type Choices } from '../../parts/words.ts';

export const OPERATORS = choices({
  Equals: 'equals',
  Contains: 'contains',
  Wildcard_Matches: 'matches with *',
  Matches: 'matches the pattern',
});

const KEYS = choices({ Url: 'URL', Host: 'Host', Path: 'Path' });

export const EMPTY_SOURCE: Pair = { key: 'Url', operator: 'Contains', value: '' };

/** The keys to choose from, in the spelling of the source: "host" from older clients finds "path". */
export function keyOptions(key: string): Choices {
  if (KEYS.some(([value]) => value === key)) return KEYS;
  const isLower = key === key.toLowerCase();
  return KEYS.map(([value, label]) => {
    if (value.toLowerCase() === key.toLowerCase()) return [key, label] as const;
    return [isLower ? value.toLowerCase() : value, label] as const;
  });
}

/** "URL contains pay.example.com"; "every request" without a source or value. */
export function sourceText(source: unknown): string {
  if (!isObject(source) || textOf(source['value']) === '') return 'Every request';
  const key = textOf(source['key']).toLowerCase();
  const label = KEYS.find(([value]) => value.toLowerCase() === key)?.[1] ?? key;
  const operator = labelOf(OPERATORS, source['operator']) ?? textOf(source['operator']);
  return `${label} ${operator} ${textOf(source['value'])}`;
}

/** Filters that have fields. */
export const FILTERS = ['requestMethod', 'resourceType', 'pageDomains', 'pageUrl', 'requestPayload'] as const;

/**
 * The filter that fields can show: an object, or a list of one; `{}` for none.
 *
 * @returns undefined for several filters, which must all match: those are shown as JSON.
 */
export function filterOf({ filters }: Pair): Pair | undefined {
  if (isObject(filters)) return filters;
  if (filters === undefined || filters === null) return {};
  const objects = objectsOf(filters);
  return objects.length > 1 ? undefined : (objects[0] ?? {});
}

/** The path of a filter within the source, as in the server's errors. */
export const filterPath = ({ filters }: Pair): string => (Array.isArray(filters) ? '/filters/0' : '/filters');

/** @returns The source with this filter in its previous shape; without filters when none existed and none is set. */
export function withFilter(source: Pair, filter: Pair): Pair {
  const { filters } = source;
  if (isObject(filters)) return { ...source, filters: filter };
  if (Object.keys(filter).length > 0) return { ...source, filters: [filter] };
  return filters === undefined || filters === null ? source : { ...source, filters: [] };
}

/** The texts of a filter, comma-separated. */
export const textsOf = (value: unknown): string =>
  [value]
    .flat()
    .map(textOf)
    .filter((text) => text !== '')
    .join(', ');

/** @returns The filter with these comma-separated texts. A single text stays a text. */
export function withTexts(filter: Pair, name: string, text: string): Pair {
  const before = filter[name];
  const texts = text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  if (texts.length === 0) return withMember(filter, name, undefined);
  return withMember(filter, name, typeof before === 'string' && texts.length === 1 ? texts[0] : texts);
}
