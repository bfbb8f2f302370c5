/**
 * The new requests of one mock, or the new exchanges of an owner, for all followers that want the same of them: one poll of who has
 * them, however many they are.
 *
 * A follower that does not keep up is not waited for: the requests that it misses are counted. One that comes back is
 * brought up to the others first, from the position that it had, and at its own pace.
 */
import { STREAM_POLL_MS } from '../../../limits.ts';
import type { NumberedRecord } from '../../../model/journal.ts';
import type { Call } from '../../call.ts';
import { EVENT_STREAM, EventStream } from '../../event-stream.ts';
import {
  hasFilters,
  recordOf,
  TrafficCursor,
  type Poll,
  type RecordPage,
  type RecordSelection,
  type RecordSource,
  type Start,
} from './cursor.ts';
import { eventIdOf, type StreamPosition } from './query.ts';

/** Interval at which a stream sends exact counts. */
const STREAM_COUNTS_MS = 1_000;

interface Follower {
  /** Where it goes on; undefined when it begins with later requests. */
  readonly after: StreamPosition | undefined;
  /** Called once, when the feed knows where to begin: later requests are written. */
  readonly onBegin: () => void;
  readonly stream: Pick<EventStream, 'keepsUp' | 'write'>;
  /** The requests that it has missed while it did not keep up, and whether there was a reset. */
  missed: number;
  missedReset: boolean;
}

const RESET = 'event: reset\ndata: {}\n\n';

/** Records that are followed. */
export interface FollowedRecords<Record extends NumberedRecord, Selection extends RecordSelection> extends RecordSource<
  Record,
  Selection
> {
  /** A record as clients see it. */
  readonly represent: (record: Record, selection: Selection) => object;
  /** The name of its event: `request` when absent. */
  readonly eventName?: (record: Record) => string;
}

/** By whose records they are, and selection. */
const feeds = new Map<string, Pick<TrafficFeed<never, never>, 'join'>>();

/**
 * Answers with a stream, until the client disconnects, its access ends, another node has what is followed, or the service stops.
 *
 * @param id Of what has the records: a mock's, or no mock has it.
 */
export async function follow<Record extends NumberedRecord, Selection extends RecordSelection>(
  call: Call,
  id: string,
  { selection, after }: { readonly selection: Selection; readonly after: StreamPosition | undefined },
  followed: FollowedRecords<Record, Selection>,
  isAllowed: () => boolean | Promise<boolean>,
): Promise<void> {
  const stream = new EventStream(call);
  const onBegin = (): void => call.startStream(EVENT_STREAM);
  const follower: Follower = { after, onBegin, stream, missed: 0, missedReset: false };
  const leave = join(id, selection, followed, follower);
  try {
    await stream.hold(isAllowed, () => catchUp(follower));
  } finally {
    leave();
  }
}

/** @returns Ends it. */
function join<Record extends NumberedRecord, Selection extends RecordSelection>(
  id: string,
  selection: Selection,
  followed: FollowedRecords<Record, Selection>,
  follower: Follower,
): () => void {
  const key = JSON.stringify([id, selection]);
  const running = feeds.get(key);
  if (running !== undefined) return running.join(follower);
  const feed = new TrafficFeed(id, selection, followed);
  feeds.set(key, feed);
  const leave = feed.join(follower);
  // Removed in the same step as the check of the followers: none can join in between.
  void feed.run(() => feeds.delete(key));
  return leave;
}

class TrafficFeed<Record extends NumberedRecord, Selection extends RecordSelection> {
  readonly #id: string;
  readonly #selection: Selection;
  readonly #followed: FollowedRecords<Record, Selection>;
  /** Followers that are still behind the shared cursor, each with its own; undefined before its first poll. */
  readonly #joining = new Map<Follower, TrafficCursor<Record, Selection> | undefined>();
  readonly #followers = new Set<Follower>();
  #cursor: TrafficCursor<Record, Selection> | undefined;
  /** Id of the record (epoch) that the numbers of the cursor belong to. */
  #record = '';
  #countsDueAt = 0;

  constructor(id: string, selection: Selection, followed: FollowedRecords<Record, Selection>) {
    this.#id = id;
    this.#selection = selection;
    this.#followed = followed;
  }

  join(follower: Follower): () => void {
    this.#joining.set(follower, undefined);
    // The counts that it begins with.
    this.#countsDueAt = 0;
    return () => {
      this.#joining.delete(follower);
      this.#followers.delete(follower);
    };
  }

  /** Until there are no followers. */
  async run(onEnd: () => void): Promise<void> {
    try {
      while (this.#joining.size + this.#followers.size > 0) {
        await this.#step();
        await new Promise((resolve) => setTimeout(resolve, STREAM_POLL_MS));
      }
    } finally {
      onEnd();
    }
  }

  async #step(): Promise<void> {
    // Followers that join during the poll begin with the next.
    const joining = [...this.#joining.keys()];
    const countsStatuses = performance.now() >= this.#countsDueAt;
    if (countsStatuses) this.#countsDueAt = performance.now() + STREAM_COUNTS_MS;
    const page = await this.#pollOn(countsStatuses);
    if (page === undefined) return;
    await Promise.all(joining.map((follower) => this.#bringUp(follower, page)));
    if (page.totals === undefined) return;
    const counts = { epoch: page.epoch, time: Date.now(), ...page.totals };
    const event = `event: counts\ndata: ${JSON.stringify(counts)}\n\n`;
    for (const follower of new Set([...this.#followers, ...joining])) {
      if (follower.stream.keepsUp) follower.stream.write(missedBy(follower) + event);
    }
  }

  /** Gives the followers what is new to them. */
  async #pollOn(countsStatuses: boolean): Promise<RecordPage<Record> | undefined> {
    const cursor = this.#cursor;
    if (cursor === undefined) {
      // Only finds where to begin: no request has such a number.
      const { session } = this.#selection;
      const page = await this.#followed.requests(this.#id, {
        ...((session === undefined ? {} : { session }) as Partial<Selection>),
        afterNumber: Number.MAX_SAFE_INTEGER,
        limit: 0,
        countsStatuses,
      });
      if (page !== undefined) this.#startAt(page, { position: page.newestNumber, passed: page.passed });
      return page;
    }
    const poll = await cursor.poll({ countsStatuses });
    if (poll === undefined) return undefined;
    if (recordOf(poll.page) !== this.#record) {
      const start = this.#startOf(poll.page);
      this.#startAt(poll.page, start);
      for (const follower of this.#followers) reset(follower);
      for (const [follower, own] of this.#joining) {
        if (own === undefined) continue;
        this.#joining.set(follower, this.#cursorAt(start));
        reset(follower);
      }
      return poll.page;
    }
    cursor.accept(poll);
    this.#give(poll, this.#followers);
    return poll.page;
  }

  #startAt(page: RecordPage<Record>, start: Start): void {
    this.#record = recordOf(page);
    this.#cursor = this.#cursorAt(start);
  }

  #cursorAt(start: Start, wholeTo?: number): TrafficCursor<Record, Selection> {
    return new TrafficCursor(this.#followed, this.#id, this.#selection, start, wholeTo);
  }

  /** Before all that there is since a reset. */
  #startOf({ numbersFrom }: RecordPage<Record>): Start {
    return { position: numbersFrom, passed: this.#selection.session === undefined ? numbersFrom : 0 };
  }

  #startAfter({ number, passed }: StreamPosition, page: RecordPage<Record>): Start {
    if (this.#selection.session === undefined) return { position: number, passed: number };
    return { position: number, passed: number <= page.numbersFrom ? 0 : passed };
  }

  /** Brings a follower nearer to where the others are, where it joins them. */
  async #bringUp(follower: Follower, page: RecordPage<Record>): Promise<void> {
    const record = this.#record;
    const target = this.#cursor?.position ?? 0;
    if (!this.#joining.has(follower)) return;
    const own = this.#joining.get(follower) ?? this.#begin(follower, page, target);
    if (own.position < target && follower.stream.keepsUp) {
      const poll = await own.poll({ upToNumber: target }, this.#cursor?.passed);
      const isStill = this.#joining.get(follower) === own && poll !== undefined && recordOf(poll.page) === record;
      if (!isStill) return;
      if (own.leavesOut) {
        own.accept(poll);
        this.#give(poll, [follower]);
      } else {
        await this.#giveWhileTaken(follower, own, poll);
      }
    }
    if (own.position !== target || this.#joining.get(follower) !== own) return;
    // Requests count as passed when they are dropped, at whatever number: at one number, later polls may find more.
    follower.missed += (this.#cursor?.passed ?? 0) - (own.passed ?? this.#cursor?.passed ?? 0);
    this.#joining.delete(follower);
    this.#followers.add(follower);
  }

  #begin(follower: Follower, page: RecordPage<Record>, target: number): TrafficCursor<Record, Selection> {
    const { after } = follower;
    const isKnown =
      after !== undefined && (after.record ?? this.#record) === this.#record && after.number <= page.newestNumber;
    if (after !== undefined && !isKnown) follower.missedReset = true;
    const latest = { position: page.newestNumber, passed: page.passed };
    const start = isKnown ? this.#startAfter(after, page) : after === undefined ? latest : this.#startOf(page);
    const own = this.#cursorAt(start, Math.max(start.position, target));
    this.#joining.set(follower, own);
    follower.onBegin();
    return own;
  }

  #give({ records, missed, passed }: Poll<Record>, followers: Iterable<Follower>): void {
    for (const follower of followers) follower.missed += missed;
    const before = passed === undefined ? undefined : passed - records.length;
    for (const [index, record] of records.entries()) {
      // Not made for followers that do not take it: a poll of large bodies is 24 MB of JSON.
      let event: string | undefined;
      for (const follower of followers) {
        if (follower.stream.keepsUp) give(follower, (event ??= this.#eventOf(record, before, index)));
        else follower.missed++;
      }
    }
  }

  /** Nothing holds up a follower that is behind: what its connection does not take waits for its next poll. */
  async #giveWhileTaken(follower: Follower, own: TrafficCursor<Record, Selection>, poll: Poll<Record>): Promise<void> {
    const { records, missed } = poll;
    let count = 0;
    const before = own.passed;
    while (count < records.length && follower.stream.keepsUp) {
      give(follower, this.#eventOf(records[count] as Record, before, count));
      count++;
    }
    if (count === records.length) own.accept(poll);
    follower.missed += count === records.length ? missed : await own.acceptFirst(poll, count);
    catchUp(follower);
  }

  /** @param before How many requests in scope had been sent or counted as dropped before the first of its poll. */
  #eventOf(record: Record, before: number | undefined, index: number): string {
    // Elsewhere it follows from the number, or with filters is not known of each record.
    const hasOwnCount = this.#selection.session !== undefined && !hasFilters(this.#selection);
    const passed = hasOwnCount && before !== undefined ? before + index + 1 : undefined;
    const id = eventIdOf(record.number, this.#record, passed);
    const name = this.#followed.eventName?.(record) ?? 'request';
    return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(this.#followed.represent(record, this.#selection))}\n\n`;
  }
}

function give(follower: Follower, event: string): void {
  follower.stream.write(missedBy(follower) + event);
}

/** Earlier misses no longer matter. */
function reset(follower: Follower): void {
  follower.missed = 0;
  follower.missedReset = true;
  catchUp(follower);
}

/** Reports to a follower that keeps up again what it missed. */
function catchUp(follower: Follower): void {
  const events = follower.stream.keepsUp ? missedBy(follower) : '';
  if (events !== '') follower.stream.write(events);
}

/** The events about missed requests; resets the follower's counts. Fewer than none are set off against later ones. */
function missedBy(follower: Follower): string {
  const { missed, missedReset } = follower;
  follower.missed = Math.min(0, missed);
  follower.missedReset = false;
  return (missedReset ? RESET : '') + (missed <= 0 ? '' : `event: dropped\ndata: {"count":${missed}}\n\n`);
}
