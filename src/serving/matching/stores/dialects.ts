/** Dialects of REST servers: their parameters of lists, statuses and bodies. */
import type { DialectName } from '../../../model/mocks/stores/store.ts';
import type { Failure } from './operations.ts';

export type Comparison =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'contains'
  | 'starts'
  | 'ends'
  | 'pattern'
  | 'startPattern'
  | 'endPattern';

/** Names and values of a request's parameters, decoded. */
export type GivenParameters = readonly (readonly [name: string, value: string])[];

/** Names of the query parameters with the same meaning. */
interface Parameters {
  readonly search: readonly string[];
  /** `a,-b`. */
  readonly sort: readonly string[];
  readonly order: readonly string[];
  readonly page: readonly string[];
  readonly limit: readonly string[];
  readonly start: readonly string[];
  readonly end: readonly string[];
  readonly embed: readonly string[];
  readonly expand: readonly string[];
  readonly dependent: readonly string[];
}

export interface Dialect {
  readonly parameters: Parameters;
  /** Separators between a member and an operator. */
  readonly separators: readonly string[];
  readonly operators: Readonly<Record<string, Comparison>>;
  /** Filters compare a list as text, instead of each of its values. */
  readonly listsAsText: boolean;
  /** Filters compare texts as texts, also when they are numbers. */
  readonly isTyped: boolean;
  readonly statuses: Readonly<Record<Failure, number>>;
  /** Body of a failure. */
  readonly failure: (kind: Failure, message: string) => unknown;
  /** Whether stores take any value, lists count before they are filtered, and only operators filter: any-values.ts. */
  readonly takesAny: boolean;
}

const STATUSES = { missing: 404, taken: 409, invalid: 422, unfit: 422, full: 507, malformed: 400, unsupported: 415 };

/** The habits of most REST servers, with those of json-server and Mockoon side by side where they do not contradict each other. */
export const REST: Dialect = {
  parameters: {
    search: ['q', 'search'],
    sort: ['sort', '_sort'],
    order: ['order', '_order'],
    page: ['page', '_page'],
    limit: ['limit', '_limit', 'per_page', '_per_page'],
    start: ['_start', 'offset'],
    end: ['_end'],
    embed: ['_embed'],
    expand: ['_expand'],
    dependent: ['_dependent'],
  },
  separators: ['_', ':'],
  operators: {
    eq: 'eq',
    ne: 'ne',
    gt: 'gt',
    gte: 'gte',
    lt: 'lt',
    lte: 'lte',
    in: 'in',
    like: 'contains',
    contains: 'contains',
    start: 'starts',
    startsWith: 'starts',
    end: 'ends',
    endsWith: 'ends',
  },
  listsAsText: false,
  isTyped: false,
  statuses: STATUSES,
  failure: (_kind, message) => ({ message }),
  takesAny: false,
};

/** The habits of json-server 0.17: json-server.ts. */
export const JSON_SERVER: Dialect = {
  ...REST,
  statuses: { ...STATUSES, taken: 500 },
  failure: (kind, message) => (kind === 'missing' ? {} : { message }),
};

/** The habits of Mockoon 9. */
const MOCKOON: Dialect = {
  parameters: {
    search: ['search'],
    sort: ['sort'],
    order: ['order'],
    page: ['page'],
    limit: ['limit'],
    start: [],
    end: [],
    embed: [],
    expand: [],
    dependent: [],
  },
  separators: ['_'],
  operators: {
    eq: 'eq',
    ne: 'ne',
    gt: 'gt',
    gte: 'gte',
    lt: 'lt',
    lte: 'lte',
    like: 'pattern',
    start: 'startPattern',
    end: 'endPattern',
  },
  listsAsText: true,
  isTyped: true,
  statuses: STATUSES,
  failure: (kind, message) => (kind === 'missing' ? {} : { message }),
  takesAny: true,
};

/** @param name `rest` when absent. */
export function dialectOf(name: DialectName | undefined): Dialect {
  if (name === 'mockoon') return MOCKOON;
  return name === 'json-server' ? JSON_SERVER : REST;
}

const names = new WeakMap<Dialect, ReadonlySet<string>>();

/** The names of all parameters that a dialect knows. */
export function namesIn(dialect: Dialect): ReadonlySet<string> {
  let known = names.get(dialect);
  if (known === undefined) names.set(dialect, (known = new Set(Object.values(dialect.parameters).flat())));
  return known;
}
