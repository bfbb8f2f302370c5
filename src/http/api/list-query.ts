/** Reads the query of a list: its page and its filters. What does not fit is `badRequest`, named parameter by parameter. */
import type { TObject } from 'typebox';
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { PAGE_BYTES_MAX, PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../../limits.ts';
import type { PageRequest } from '../../model/queries.ts';
import { Type } from '../../model/schema-type.ts';
import { quoteValue, unknownMember } from '../../model/validate.ts';

export interface ListQuery {
  readonly page: PageRequest;
  /** Undefined when no filter is given: only then a page costs what it holds. */
  readonly filter: Readonly<Record<string, string>> | undefined;
}

/** A filter's values: one of a list, or any text. */
type FilterValues = readonly string[] | 'any';

const INTEGER = /^\d+$/;
const NO_QUERY: ListQuery = { page: { offset: 0, pageSize: PAGE_RECORDS_DEFAULT }, filter: undefined };

/**
 * @param query As received, without "?". Parameters that are not known are ignored, as clients of the documented interface expect; but one
 *              that is known and misspelt is refused, since all records would be listed without it.
 */
export function parseListQuery(query: string, filters: Readonly<Record<string, FilterValues>>): ListQuery | Refusal {
  if (query === '') return NO_QUERY;
  const given = new URLSearchParams(query);
  const details = misspelt(given, ['offset', 'pageSize', ...Object.keys(filters)]);
  const offset = queryInteger(given, 'offset', 0, 0, details);
  const pageSize = queryInteger(given, 'pageSize', PAGE_RECORDS_DEFAULT, 1, details);
  let filter: Record<string, string> | undefined;
  for (const [name, values] of Object.entries(filters)) {
    const value = onlyValue(given, name, details);
    if (value === undefined) continue;
    if (values !== 'any' && !values.includes(value)) {
      details.push({ path: name, message: `expected one of ${values.join(', ')}; got ${quoteValue(value)}` });
    }
    (filter ??= {})[name] = value;
  }
  if (details.length > 0) return refuse('badRequest', details);
  return { page: { offset, pageSize: Math.min(pageSize, PAGE_RECORDS_MAX) }, filter };
}

/** Suggests the right spelling of parameters that differ only in case, `_` or `[]`. */
function misspelt(given: URLSearchParams, known: readonly string[]): Detail[] {
  return [...new Set(given.keys())].flatMap((name) => {
    if (known.includes(name)) return [];
    const bare = bareName(name);
    const meant = known.find((each) => bareName(each) === bare);
    return meant === undefined ? [] : [{ path: name, message: `is unknown: did you mean ${meant}?` }];
  });
}

function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/_|\[\]/g, '');
}

/** Details about parameters that a query does not have, for endpoints that refuse them. */
export function unknownParameters(given: URLSearchParams, { properties }: TObject): Detail[] {
  const known = Object.keys(properties);
  return [...new Set(given.keys())]
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: name, message: unknownMember(known) }));
}

/** A query parameter of `least` or more; `absent` when it is not given. What is wrong goes into `details`. */
function queryInteger(given: URLSearchParams, name: string, absent: number, least: number, details: Detail[]): number {
  const text = onlyValue(given, name, details);
  if (text === undefined) return absent;
  const value = INTEGER.test(text) ? Number(text) : NaN;
  if (!(value >= least)) {
    details.push({ path: name, message: `expected an integer of ${least} or more, got ${quoteValue(text)}` });
  }
  return value;
}

/** The value of a query parameter, undefined when it is not given. */
export function onlyValue(given: URLSearchParams, name: string, details: Detail[]): string | undefined {
  const values = given.getAll(name);
  if (values.length > 1) details.push({ path: name, message: 'given more than once' });
  return values[0];
}

/** The query parameters that every list has, for OpenAPI. */
export const PAGE_PARAMETERS = {
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Index of the first record.' })),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: PAGE_RECORDS_DEFAULT,
      description: `Page size. Values over ${PAGE_RECORDS_MAX} count as ${PAGE_RECORDS_MAX}. A page ends early at ${PAGE_BYTES_MAX / 1_000_000} MB, but has at least one record.`,
    }),
  ),
} as const;

/** The envelope's members of a list, for OpenAPI. */
export function pageSchema(record: TObject) {
  const etag = Type.String({ description: '`ETag` of the record, for `If-Match`. Ignored in bodies.' });
  return Type.Object({
    data: Type.Array(Type.Object({ ...record.properties, etag })),
    total: Type.Integer({ description: 'Count of matching records on all pages.' }),
    nextOffset: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Offset of the next page; null on the last.',
    }),
  });
}
