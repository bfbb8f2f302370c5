/** In what the habits of REST servers differ: parameters of lists, statuses and bodies. One file each beside this. */
import type { Failure } from '../operations.ts';

export type Comparison = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'starts' | 'ends' | 'pattern';

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
  /** What stands between a member and an operator. */
  readonly separators: readonly string[];
  readonly operators: Readonly<Record<string, Comparison>>;
  /** Items of a page that names no limit. */
  readonly pageItems: number;
  /** Whether lists say how many there are before the filters, after them, or after them in pages alone. */
  readonly totals: 'all' | 'filtered' | 'paged';
  readonly created: number;
  readonly statuses: Readonly<Record<Failure, number>>;
  /** Body of a failure. */
  readonly failure: (kind: Failure, problem: string) => unknown;
  /** Body after an item was removed, and after all were. */
  readonly removed: 'item' | 'empty';
  readonly cleared: 'value' | 'none';
  readonly byIndex: boolean;
  readonly mayRename: boolean;
}

/** The names of all parameters that a dialect knows. */
export function namesIn({ parameters }: Dialect): ReadonlySet<string> {
  return new Set(Object.values(parameters).flat());
}
