/**
 * A position in numbered records, such as the recorded requests of a mock, from which a stream reads on, oldest first.
 *
 * A poll leaves its surplus to the next ones, since requests come in bursts. When more than STREAM_BACKLOG_MAX
 * wait, the older ones are left out, and counted: a reader is shown what happens now.
 *
 * Numbers of requests in one session have gaps, so what was missed does not follow from them. It follows from how many
 * requests had passed at either end.
 */
import { STREAM_BYTES_PER_POLL_MAX, STREAM_EVENTS_PER_POLL_MAX } from '../../../limits.ts';
import type { JournalNumbers, JournalPage, JournalRange, NumberedRecord } from '../../../model/journal.ts';
import type { TrafficFilter } from '../../../model/mocks/traffic.ts';

/** How many new requests may wait for the next polls: of more, only the newest are sent. */
const STREAM_BACKLOG_MAX = 2_000;

/** The part of a page that a cursor reads. */
export interface RecordPage<Record> extends Omit<JournalPage<Record>, 'unjudged' | 'truncated'>, JournalNumbers {
  readonly epoch: string;
  /** Where they are asked for. */
  readonly totals?: object;
}

/** Selects records. Its members are filters, but for these. */
export interface RecordSelection {
  readonly session?: string;
  readonly isSummary?: boolean;
  readonly message?: TrafficFilter['message'];
}

/** Where records are read. */
export interface RecordSource<Record extends NumberedRecord, Selection extends RecordSelection> {
  /** @param id Of what has them. @returns undefined when it does not answer in time. */
  readonly requests: (id: string, asked: JournalRange & Partial<Selection>) => Promise<RecordPage<Record> | undefined>;
}

export interface Poll<Record> {
  readonly page: RecordPage<Record>;
  /** Oldest first. */
  readonly records: readonly Record[];
  /**
   * Requests before and between these that were left out, or are not recorded any more. With filters, what is not
   * recorded counts whether it fitted or not.
   */
  readonly missed: number;
  /** The number up to which everything is among the records or missed. */
  readonly position: number;
  /** How many requests in scope are among these records, missed, or before them; undefined where it is not known. */
  readonly passed: number | undefined;
}

/** The range of a poll, like the members of a page. */
type Range = Pick<RecordPage<never>, 'passed' | 'seen' | 'dropped'>;

/** Where a cursor begins. */
export type Start = Pick<Poll<unknown>, 'position' | 'passed'>;

/** Which life of a mock's record its numbers belong to: they start again with a reset, and with a new data plane. */
export function recordOf({ epoch, resets }: Pick<RecordPage<never>, 'epoch' | 'resets'>): string {
  return `${epoch}-${resets}`;
}

export class TrafficCursor<Record extends NumberedRecord, Selection extends RecordSelection> {
  readonly #traffic: RecordSource<Record, Selection>;
  readonly #id: string;
  readonly #selection: Selection;
  /** Up to here nothing is left out, however much waits. */
  readonly #wholeTo: number;
  #position: number;
  #passed: number | undefined;
  #leavesOut = false;

  constructor(
    traffic: RecordSource<Record, Selection>,
    id: string,
    selection: Selection,
    { position, passed }: Start,
    wholeTo = position,
  ) {
    this.#traffic = traffic;
    this.#id = id;
    this.#selection = selection;
    this.#position = position;
    this.#passed = passed;
    this.#wholeTo = wholeTo;
  }

  get position(): number {
    return this.#position;
  }

  /** The highest number that the last poll passed. */
  get passed(): number | undefined {
    return this.#passed;
  }

  /** Whether the next poll leaves older requests out, since too many wait. */
  get leavesOut(): boolean {
    return this.#leavesOut;
  }

  /**
   * @param more Further parts of the question.
   * @param end  How many requests have passed at its `upToNumber`, where another cursor has found that before.
   * @returns undefined when the data plane does not answer in time.
   */
  async poll(
    more: Pick<JournalRange, 'upToNumber' | 'countsStatuses'> = {},
    end?: number,
  ): Promise<Poll<Record> | undefined> {
    const page = await this.#traffic.requests(this.#id, {
      ...this.#selection,
      ...more,
      afterNumber: this.#position,
      isOldestFirst: !this.#leavesOut,
      limit: STREAM_EVENTS_PER_POLL_MAX,
      bytesMax: STREAM_BYTES_PER_POLL_MAX,
    });
    if (page === undefined) return undefined;
    const { count, records } = page;
    if (this.#leavesOut || !page.hasMore) {
      const position = Math.max(this.#position, more.upToNumber ?? page.newestNumber);
      const passed = end ?? page.passed;
      const missed = this.#missedIn({ ...page, passed }) + count - records.length;
      return { page, records: this.#leavesOut ? records.toReversed() : records, missed, position, passed };
    }
    const position = records.at(-1)?.number ?? this.#position;
    const range = await this.#rangeTo(position, page);
    if (range === undefined) return undefined;
    return { page, records, missed: this.#missedIn(range), position, passed: range.passed };
  }

  /** The poll was used: the next one goes on after it. */
  accept({ page, position, passed }: Poll<Record>): void {
    this.#position = position;
    this.#passed = passed;
    const isPast = position >= this.#wholeTo;
    this.#leavesOut = isPast && page.count > (this.#leavesOut ? STREAM_EVENTS_PER_POLL_MAX : STREAM_BACKLOG_MAX);
  }

  /**
   * Only its first records were used: the next poll begins with the others. For a poll that leaves nothing out.
   *
   * @returns As `missed`, of what was used; 0 where the data plane does not answer in time.
   */
  async acceptFirst({ page, records }: Poll<Record>, count: number): Promise<number> {
    const used = records.slice(0, count);
    const to = used.at(-1)?.number ?? this.#position;
    const range = await this.#rangeTo(to, { ...page, records: used });
    const missed = range === undefined ? 0 : this.#missedIn(range);
    this.#position = to;
    this.#passed = range?.passed ?? (this.#selection.session === undefined ? to : undefined);
    return missed;
  }

  #missedIn({ passed, seen, dropped }: Range): number {
    return this.#passed === undefined ? dropped : passed - this.#passed - seen;
  }

  /** From the position to that of the page's last record. */
  async #rangeTo(upToNumber: number, page: RecordPage<Record>): Promise<Range | undefined> {
    const { session } = this.#selection;
    const isWhole = !hasFilters(this.#selection);
    const seen = page.records.length;
    if (session === undefined && isWhole) return { passed: upToNumber, seen, dropped: 0 };
    const scope = (session === undefined ? {} : { session }) as Partial<Selection>;
    const asked = { ...scope, afterNumber: this.#position, upToNumber, limit: 0 };
    const found = await this.#traffic.requests(this.#id, asked);
    // After a reset it is of other requests.
    if (found === undefined || recordOf(found) !== recordOf(page)) return undefined;
    // What was dropped since the page was read has passed, and is among its records.
    return isWhole ? { ...found, seen } : found;
  }
}

/** Whether only some of the requests in scope fit. */
export function hasFilters({
  isSummary: _isSummary,
  session: _session,
  message,
  ...filters
}: RecordSelection): boolean {
  return Object.keys(filters).length > 0 || (message !== undefined && message !== 'also');
}
