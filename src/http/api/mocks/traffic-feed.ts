/**
 * The new requests of one mock for all its followers: one poll of the data plane, however many they are.
 *
 * A follower that does not keep up is not waited for: the requests that it misses are counted. Numbers are given by
 * the data plane, whose threads answer one after the other: a missing number may be with a thread that answered before
 * the number was given. The feed waits for it for one poll, and only then counts it as dropped.
 */
import { STREAM_BYTES_PER_POLL_MAX, STREAM_EVENTS_PER_POLL_MAX, STREAM_POLL_MS } from '../../../limits.ts';
import type { EventStream } from '../../event-stream.ts';
import { representRequest, type MockTraffic, type RequestPage } from './traffic.ts';

export interface Follower {
  /** Called once, when the feed knows where to begin: later requests are written. */
  readonly onBegin: () => void;
  readonly stream: Pick<EventStream, 'keepsUp' | 'write'>;
  /** The requests that it has missed while it did not keep up, and whether there was a reset. */
  missed: number;
  missedReset: boolean;
}

const RESET = 'event: reset\ndata: {}\n\n';

const feeds = new Map<string, TrafficFeed>();

/** @returns Ends it. */
export function followTraffic(mockId: string, traffic: MockTraffic, follower: Follower): () => void {
  const running = feeds.get(mockId);
  if (running !== undefined) return running.join(follower);
  const feed = new TrafficFeed(mockId, traffic);
  feeds.set(mockId, feed);
  const leave = feed.join(follower);
  void feed.run();
  return leave;
}

class TrafficFeed {
  readonly #mockId: string;
  readonly #traffic: MockTraffic;
  readonly #joining = new Set<Follower>();
  readonly #followers = new Set<Follower>();
  #last = 0;
  /** The number that was missing at the last poll; 0 for none. */
  #missing = 0;
  #epoch: string | undefined;
  #resets = 0;

  constructor(mockId: string, traffic: MockTraffic) {
    this.#mockId = mockId;
    this.#traffic = traffic;
  }

  join(follower: Follower): () => void {
    this.#joining.add(follower);
    return () => {
      this.#joining.delete(follower);
      this.#followers.delete(follower);
    };
  }

  /** Until there are no followers. */
  async run(): Promise<void> {
    try {
      while (this.#joining.size + this.#followers.size > 0) {
        await this.#step();
        await new Promise((resolve) => setTimeout(resolve, STREAM_POLL_MS));
      }
    } finally {
      // In the same step as the check of the followers: none can join in between.
      feeds.delete(this.#mockId);
    }
  }

  async #step(): Promise<void> {
    // Followers that join during the poll begin with the next.
    const joining = [...this.#joining];
    // The first poll only finds where to begin.
    const isFirst = this.#followers.size === 0;
    const page = await this.#poll(isFirst);
    if (page === undefined) return;
    if (isFirst) this.#startAt(page, page.records[0]?.number ?? 0);
    else this.#send(page);
    for (const follower of joining) if (this.#joining.delete(follower)) this.#begin(follower);
  }

  #poll(isFirst: boolean): Promise<RequestPage | undefined> {
    if (isFirst) return this.#traffic.requests(this.#mockId, { limit: 1 });
    return this.#traffic.requests(this.#mockId, {
      afterNumber: this.#last,
      limit: STREAM_EVENTS_PER_POLL_MAX,
      bytesMax: STREAM_BYTES_PER_POLL_MAX,
    });
  }

  #begin(follower: Follower): void {
    this.#followers.add(follower);
    follower.onBegin();
  }

  #send(page: RequestPage): void {
    if (page.epoch !== this.#epoch || page.resets !== this.#resets) {
      this.#startAt(page, 0);
      for (const follower of this.#followers) reset(follower);
      return;
    }
    for (const record of page.records.toReversed()) {
      const next = this.#last + 1;
      if (record.number > next) {
        if (this.#missing !== next) {
          this.#missing = next;
          return;
        }
        for (const follower of this.#followers) follower.missed += record.number - next;
      }
      this.#last = record.number;
      const event = `id: ${record.number}\nevent: request\ndata: ${JSON.stringify(representRequest(record))}\n\n`;
      for (const follower of this.#followers) give(follower, event);
    }
  }

  #startAt({ epoch, resets }: RequestPage, last: number): void {
    this.#last = last;
    this.#missing = 0;
    this.#epoch = epoch;
    this.#resets = resets;
  }
}

function give(follower: Follower, event: string): void {
  if (follower.stream.keepsUp) follower.stream.write(missedBy(follower) + event);
  else follower.missed++;
}

/** Earlier misses no longer matter. */
function reset(follower: Follower): void {
  follower.missed = 0;
  follower.missedReset = true;
  catchUp(follower);
}

/** Reports to a follower that keeps up again what it missed. */
export function catchUp(follower: Follower): void {
  const events = follower.stream.keepsUp ? missedBy(follower) : '';
  if (events !== '') follower.stream.write(events);
}

/** The events about missed requests; resets the follower's counts. */
function missedBy(follower: Follower): string {
  const { missed, missedReset } = follower;
  follower.missed = 0;
  follower.missedReset = false;
  return (missedReset ? RESET : '') + (missed === 0 ? '' : `event: dropped\ndata: {"count":${missed}}\n\n`);
}
