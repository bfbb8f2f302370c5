/**
 * An owner's history: who changed what, and when. One entry per commit, written by the store in the same transaction.
 *
 * query-history.ts reads it page by page.
 */
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../limits.ts';
import { Type } from './schema-type.ts';
import type { Value } from './schema-value.ts';

/** Record ids in one entry at most: deleting a group may change 100,000 rules. */
export const HISTORY_IDS_MAX = 100;

/** Who did what, and when: one entry per commit. */
export interface HistoryEntry {
  /** The owner's version after the commit. */
  readonly version: number;
  /** Milliseconds since the Unix epoch, never below the date of the entry before. */
  readonly date: number;
  readonly userId: string;
  readonly keyId: string;
  readonly command: string;
  /** Ids of the written or removed records; at most HISTORY_IDS_MAX of them. */
  readonly recordIds: readonly string[];
  /** Count of all written or removed records. */
  readonly recordCount: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** `beforeVersion` of the next page; null on the last one. */
  readonly nextBefore: number | null;
}

export interface HistoryRequest {
  /** Only entries of lower versions. */
  readonly before: number;
  /** Maximum count of entries, from 1. */
  readonly pageSize: number;
  readonly filter: HistoryFilter | undefined;
}

/** The query parameters of a client. */
export const historyQuerySchema = Type.Object({
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only entries of lower versions: the `nextBefore` of the previous page.' }),
  ),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: PAGE_RECORDS_DEFAULT,
      description: `Page size. Values over ${PAGE_RECORDS_MAX} count as ${PAGE_RECORDS_MAX}.`,
    }),
  ),
  recordId: Type.Optional(Type.String({ description: 'Only entries that name this record.' })),
  user: Type.Optional(Type.String({ description: 'Only entries of this user.' })),
  command: Type.Optional(Type.String({ description: 'Only entries of this command.' })),
  since: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only entries of this date or later. Milliseconds since the Unix epoch.' }),
  ),
});

/** An entry must match all filters that are set. */
export type HistoryFilter = Pick<Value<typeof historyQuerySchema>, 'recordId' | 'user' | 'command' | 'since'>;

/** The query parameters of the stream of changes. */
export const changesQuerySchema = Type.Object({
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Only changes above this version. Default: from now on. The header `Last-Event-ID` takes precedence.',
    }),
  ),
});

/** A change as the stream reports it: an entry without what is for editors alone. */
export const changeSchema = Type.Object({
  version: Type.Integer({ description: 'The owner version after the change: counts from 1, without gaps.' }),
  date: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  user: Type.String({ description: 'Id of the user who did it.' }),
  command: Type.String({ description: 'What was done: `rule.create`.' }),
  recordIds: Type.Array(Type.String(), { maxItems: HISTORY_IDS_MAX }),
  recordCount: Type.Integer({ description: 'Count of records written or removed.' }),
});

/** An entry as the API returns it. */
export const historyEntrySchema = Type.Object({
  version: Type.Integer({ description: 'The owner version after the change: counts from 1, without gaps.' }),
  date: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  user: Type.String({ description: 'Id of the user who did it.' }),
  keyId: Type.String({ description: 'Id of the API key that was used.' }),
  command: Type.String({ description: 'What was done: `rule.create`.' }),
  recordIds: Type.Array(Type.String(), {
    maxItems: HISTORY_IDS_MAX,
    description: `Ids of the first ${HISTORY_IDS_MAX} records written or removed.`,
  }),
  recordCount: Type.Integer({ description: 'Count of all records written or removed.' }),
  names: Type.Record(Type.String(), Type.String(), {
    description: 'Current names of these records, by id. Deleted records have none.',
  }),
});
