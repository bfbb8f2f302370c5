/**
 * A position in the recorded requests of a mock, from which a stream reads on, oldest first.
 *
 * What one poll cannot take waits for the next ones, since requests come in bursts. When more than STREAM_BACKLOG_MAX
 * wait, the older ones are left out, and counted: a reader is shown what happens now.
 */
import { STREAM_BACKLOG_MAX, STREAM_BYTES_PER_POLL_MAX, STREAM_EVENTS_PER_POLL_MAX } from '../../../limits.ts';
import type { TrafficFilter, TrafficRecord } from '../../../model/mocks/traffic.ts';
import type { MockTraffic, RequestPage } from './traffic.ts';
import type { TrafficSelection } from './traffic-query.ts';

export interface Poll {
  readonly page: RequestPage;
  /** Oldest first. */
  readonly records: readonly TrafficRecord[];
  /**
   * Requests before and between these that were left out, or are not recorded any more. With filters, what is not
   * recorded counts whether it fitted or not.
   */
  readonly missed: number;
  /** The number up to which everything is among the records or missed. */
  readonly position: number;
}

/** Which life of a mock's record its numbers belong to: they start again with a reset, and with a new data plane. */
export function recordOf({ epoch, resets }: RequestPage): string {
  return `${epoch}-${resets}`;
}

export class TrafficCursor {
  readonly #traffic: MockTraffic;
  readonly #mockId: string;
  readonly #selection: TrafficSelection;
  /** Up to here nothing is left out, however much waits. */
  readonly #wholeTo: number;
  #position: number;
  #leavesOut = false;

  constructor(traffic: MockTraffic, mockId: string, selection: TrafficSelection, position: number, wholeTo = position) {
    this.#traffic = traffic;
    this.#mockId = mockId;
    this.#selection = selection;
    this.#position = position;
    this.#wholeTo = wholeTo;
  }

  get position(): number {
    return this.#position;
  }

  /** Whether the next poll leaves older requests out, since too many wait. */
  get leavesOut(): boolean {
    return this.#leavesOut;
  }

  /** @param more Further parts of the question. @returns undefined when the data plane does not answer in time. */
  async poll(more: Pick<TrafficFilter, 'upToNumber' | 'countsStatuses'> = {}): Promise<Poll | undefined> {
    const page = await this.#traffic.requests(this.#mockId, {
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
      const missed = position - this.#position - page.seen + count - records.length;
      return { page, records: this.#leavesOut ? records.toReversed() : records, missed, position };
    }
    const position = records.at(-1)?.number ?? this.#position;
    const seen = await this.#seenTo(position, page);
    return seen === undefined ? undefined : { page, records, missed: position - this.#position - seen, position };
  }

  /** The poll was used: the next one goes on after it. */
  accept({ page, position }: Poll): void {
    this.#position = position;
    const isPast = position >= this.#wholeTo;
    this.#leavesOut = isPast && page.count > (this.#leavesOut ? STREAM_EVENTS_PER_POLL_MAX : STREAM_BACKLOG_MAX);
  }

  /**
   * Only its first records were used: the next poll begins with the others. For a poll that leaves nothing out.
   *
   * @returns As `missed`, of what was used; 0 where the data plane does not tell in time.
   */
  async acceptFirst({ page, records }: Poll, count: number): Promise<number> {
    const from = this.#position;
    const used = records.slice(0, count);
    const to = used.at(-1)?.number ?? from;
    const seen = await this.#seenTo(to, { ...page, records: used });
    this.#position = to;
    return seen === undefined ? 0 : to - from - seen;
  }

  /** Count of recorded requests from the position to another, whether they fit or not. */
  async #seenTo(upToNumber: number, page: RequestPage): Promise<number | undefined> {
    const { isSummary: _isSummary, session, ...filters } = this.#selection;
    if (session === undefined && Object.keys(filters).length === 0) return page.records.length;
    const scope = session === undefined ? {} : { session };
    const asked = { ...scope, afterNumber: this.#position, upToNumber, limit: 0 };
    const found = await this.#traffic.requests(this.#mockId, asked);
    // After a reset it is of other requests.
    return found !== undefined && recordOf(found) === recordOf(page) ? found.seen : undefined;
  }
}
