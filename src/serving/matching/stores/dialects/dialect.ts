/** In what the habits of REST servers differ: parameters of lists, statuses and bodies. One file each beside this. */
import type { Failure } from '../operations.ts';

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
  /** A condition as JSON, in place of those of other parameters. */
  readonly where: readonly string[];
}

export interface Dialect {
  readonly parameters: Parameters;
  /** What stands between a member and an operator. */
  readonly separators: readonly string[];
  readonly operators: Readonly<Record<string, Comparison>>;
  /** Items of a page that names no limit. */
  readonly pageItems: number;
  /** Whether a page is the list of its items with links in the header, or an object that has them as `data`. */
  readonly pages: 'list' | 'object';
  /** Whether lists say how many there are before the filters, after them, after them in pages alone, or not in headers. */
  readonly totals: 'all' | 'filtered' | 'paged' | 'none';
  /** In what order texts are sorted: as people do in English, or by their code units, in lower case or as they are. */
  readonly textOrder: 'english' | 'lower case' | 'code units';
  readonly created: number;
  readonly statuses: Readonly<Record<Failure, number>>;
  /** Body of a failure. */
  readonly failure: (kind: Failure, problem: string) => unknown;
  /** Body after an item was removed, and after all were. */
  readonly removed: 'item' | 'empty';
  readonly cleared: 'value' | 'empty';
  /** Whether items that are not objects are addressed by their index. */
  readonly byIndex: boolean;
  /** Whether PUT may give an item another id, and POST one that is there. */
  readonly mayRename: boolean;
  readonly mayRepeat: boolean;
  /** Whether each new item gets an id of its own, a text, whatever it is given. */
  readonly textIds: boolean;
  /** Whether PUT, PATCH and DELETE of a whole list are known. */
  readonly changesLists: boolean;
  /** Whether POST and DELETE of a store that is an object are known. */
  readonly remakesObjects: boolean;
  /** Whether a body that is absent is an empty object. */
  readonly takesNoBody: boolean;
  /** Whether items go with the one that they belong to, without being asked for. */
  readonly removesDependents: boolean;
  /** Whether items that belonged to a removed one have null in place of its id. */
  readonly clearsReferences: boolean;
  readonly filters: {
    /** Whether values are compared as JSON has them, all conditions at once: where.ts. The rest is then without effect. */
    readonly isStrict: boolean;
    /** Whether `ne` holds for items without the member. */
    readonly missingDiffers: boolean;
    /** Whether lists are compared as texts, in place of each of their values. */
    readonly listsAsText: boolean;
    /** Whether texts are compared as texts, also where they are numbers. */
    readonly isTyped: boolean;
    /** Whether equal numbers are equal however they are written. */
    readonly equalNumbers: boolean;
    /** Whether a member that items lack is compared, where its parameter has an operator. */
    readonly lackedMembers: boolean;
    /** Whether a page or limit of 0, or that is not a number, is the usual one. */
    readonly usualPages: boolean;
    /** Whether a start alone cuts the list. */
    readonly startAlone: boolean;
  };
}

const names = new WeakMap<Dialect, ReadonlySet<string>>();

/** The names of all parameters that a dialect knows. */
export function namesIn(dialect: Dialect): ReadonlySet<string> {
  let known = names.get(dialect);
  if (known === undefined) names.set(dialect, (known = new Set(Object.values(dialect.parameters).flat())));
  return known;
}
