/**
 * An owner's history: who changed what, when. One entry per commit, made by the store with the commit itself.
 *
 * How it is read, page by page: query-history.ts.
 */
import { PAGE_RECORDS_DEFAULT, PAGE_RECORDS_MAX } from '../limits.ts';
import { Type } from './schema-type.ts';

/** Record ids that one entry names; deleting a group may change 100,000 rules. */
export const HISTORY_IDS_MAX = 100;

/** Who did what, when: one entry per commit. */
export interface HistoryEntry {
  /** The owner's version that the commit made. */
  readonly version: number;
  /** Milliseconds since the Unix epoch, never below those of the entry before it. */
  readonly date: number;
  readonly userId: string;
  readonly keyId: string;
  readonly command: string;
  /** Ids of the records that were written or removed; at most HISTORY_IDS_MAX of them. */
  readonly recordIds: readonly string[];
  /** Count of all of them. */
  readonly recordCount: number;
}

/** An entry must fit all that are given. */
export interface HistoryFilter {
  /** Among the ids that an entry names. */
  readonly recordId?: string;
  readonly user?: string;
  readonly command?: string;
  /** Milliseconds since the Unix epoch; entries of this moment included. */
  readonly since?: number;
}

export interface HistoryPage {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  /** The version that the next page comes before; null when there is none. */
  readonly nextBefore: number | null;
}

export interface HistoryRequest {
  /** Only entries of lower versions. */
  readonly before: number;
  /** Count of entries at most, from 1. */
  readonly pageSize: number;
  readonly filter: HistoryFilter | undefined;
}

/** What a client may ask for. */
export const historyQuerySchema = Type.Object({
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only entries of lower versions: the `nextBefore` of the page before.' }),
  ),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: PAGE_RECORDS_DEFAULT,
      description: `Count of entries at most. Values over ${PAGE_RECORDS_MAX} are read as ${PAGE_RECORDS_MAX}.`,
    }),
  ),
  recordId: Type.Optional(Type.String({ description: 'Only entries that name this record.' })),
  user: Type.Optional(Type.String({ description: 'Only what this user did.' })),
  command: Type.Optional(Type.String({ description: 'Only entries of this command.' })),
  since: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only entries of this date or later. Milliseconds since the Unix epoch.' }),
  ),
});

/** An entry as it is returned. */
export const historyEntrySchema = Type.Object({
  version: Type.Integer({ description: "The owner's version that it made: counts from 1, without a gap." }),
  date: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  user: Type.String({ description: 'Id of the user who did it.' }),
  keyId: Type.String({ description: 'Id of the API key that was used.' }),
  command: Type.String({ description: 'What was done: `rule.create`.' }),
  recordIds: Type.Array(Type.String(), {
    maxItems: HISTORY_IDS_MAX,
    description: `Ids of the records that were written or removed, the first ${HISTORY_IDS_MAX} of them.`,
  }),
  recordCount: Type.Integer({ description: 'Count of all of them.' }),
});
