/** Numbered entries of all journals, requests, exchanges, recordings and callbacks: ranges and pages of them, parameters of lists and streams. */
import { PAGE_BYTES_MAX, TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../limits.ts';
import { Type } from './schema-type.ts';

/** An entry. */
export interface NumberedRecord {
  readonly number: number;
}

/** Which entries of those that match are wanted. */
export interface JournalRange {
  /**
   * Only entries after the one with this number, and only those whose number was given when the question was asked:
   * of these none is missing. For followers.
   */
  readonly afterNumber?: number;
  /** Only entries up to the one with this number. */
  readonly upToNumber?: number;
  /** Only entries before the one with this number: for the next page. Has no effect on `count`. */
  readonly beforeNumber?: number;
  /** Number of entries to return, newest first; 0 only counts. */
  readonly limit: number;
  /** Whether the oldest are returned, oldest first. */
  readonly isOldestFirst?: boolean;
  /** Maximum bytes of the returned entries; at least one is returned. Default: PAGE_BYTES_MAX. */
  readonly bytesMax?: number;
  /** Whether to return the totals of the moment at which the question was asked. */
  readonly countsStatuses?: boolean;
}

/** Entries that match. */
export interface JournalPage<Entry> {
  /** Newest first, or as the range asks for. */
  readonly records: readonly Entry[];
  /** Count of all that match. */
  readonly count: number;
  /** Count of those that match otherwise, and of which it is unknown whether they match in all. */
  readonly unjudged: number;
  /** Count of entries after `afterNumber` and up to `upToNumber`, whether they match or not. */
  readonly seen: number;
  /**
   * Count of all entries in scope without those that are recorded past `upToNumber`. What lies between two pages and is not seen in
   * the later one was dropped, or never recorded: this holds exactly, though nobody knows the numbers of what was dropped.
   */
  readonly passed: number;
  /**
   * Count of entries in the same range that were recorded, and are not kept any more. Blocks are counted whole: for a reader that
   * does not know what had passed before.
   */
  readonly dropped: number;
  /** Whether further matching entries were not returned: older ones, or newer ones when the oldest are first. */
  readonly hasMore: boolean;
  /** Whether older entries were dropped. */
  readonly truncated: boolean;
}

/** Which numbers entries have. */
export interface JournalNumbers {
  /** Differs after a reset: what is known of entries before is over. */
  readonly resets: number;
  /** The number of the last entry before that reset: 0 where numbers start again. */
  readonly numbersFrom: number;
  /** The number of the last entry that there was when the question was asked. */
  readonly newestNumber: number;
}

/** @param format The form without an archive, which is the default. @param archive What an archive is of. */
export function listParameters<Format extends string>(
  entry: 'request' | 'exchange' | 'callback',
  format: Format,
  archive = 'the page',
) {
  return {
    format: Type.Optional(
      Type.Enum([format, 'har'], {
        default: format,
        description: `har: ${archive} as an HTTP archive, without the envelope.`,
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: TRAFFIC_LIMIT_MAX,
        default: TRAFFIC_LIMIT_DEFAULT,
        description: `Page size. A page ends early at ${PAGE_BYTES_MAX / 1_000_000} MB, but has at least one ${entry}.`,
      }),
    ),
    before: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: `Only older ${entry}s: the \`nextBefore\` of the previous page.`,
      }),
    ),
  };
}

/** Members next to `data` in a page. */
export function pageMembers(entry: 'request' | 'exchange' | 'callback') {
  return {
    total: Type.Integer({ description: `Count of matching ${entry}s that are kept.` }),
    truncated: Type.Boolean({ description: `Whether older ${entry}s were dropped.` }),
    nextBefore: Type.Union([Type.Integer(), Type.Null()], {
      description: `Pass it as \`before\` for the next page; null when no older ${entry}s match.`,
    }),
  };
}

export function streamParameters(entry: 'request' | 'exchange') {
  return {
    after: Type.Optional(
      Type.String({
        description: `Resumes after the event with this \`id\`, or after the ${entry} with this id. A \`Last-Event-ID\` header has the same effect and takes precedence.`,
      }),
    ),
  };
}
