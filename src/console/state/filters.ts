/** Filters of a list, kept in the address. Pure. */
import type { Query } from './place.ts';

interface Filters<Name extends string> {
  /** "" for any. */
  readonly of: (query: ReadonlyMap<string, string>) => Readonly<Record<Name, string>>;
  /** The query that clears all of them. */
  readonly none: Query;
}

/** @param names The members of the query. */
export const filtersBy = <Name extends string>(...names: readonly Name[]): Filters<Name> => ({
  of: (query) => Object.fromEntries(names.map((name) => [name, query.get(name) ?? ''])) as Record<Name, string>,
  none: Object.fromEntries(names.map((name) => [name, undefined])),
});

type NonEmpty<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Drops the members without a value: undefined, or "". */
export const dropEmpty = <Members extends object>(members: Members): NonEmpty<Members> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ''),
  ) as NonEmpty<Members>;
