/**
 * The requests of one mock as they come, for all who follow it: asked of the data plane once, however many they are.
 *
 * A follower that is not taken along for a while is not waited for: what it misses is counted. Numbers are the data plane's; threads
 * are asked one after the other, so that a number may be missing which another thread has by now. It is waited for once, and only
 * then told as dropped.
 */
import { STREAM_BYTES_PER_LOOK_MAX, STREAM_EVENTS_PER_LOOK_MAX, STREAM_LOOK_MS } from '../../limits.ts';
import { representRequest, type MockTraffic, type RequestPage } from './mock-traffic-api.ts';

export interface Follower {
  /** Called once, when the feed has found where it begins: what is requested from now on is told. */
  readonly onBegin: () => void;
  /** @returns Whether more may be written at once. */
  readonly write: (events: string) => boolean;
  /** Whether it takes what is written; and since it does not, how many requests it has missed, and whether they were reset. */
  keepsUp: boolean;
  missed: number;
  missedReset: boolean;
}

const RESET = 'event: reset\ndata: {}\n\n';

const feeds = new Map<string, TrafficFeed>();

/** @returns What ends it. */
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
  /** The number that was missing at the last look; 0 when none was. */
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

  /** Until nobody follows. */
  async run(): Promise<void> {
    try {
      while (this.#joining.size + this.#followers.size > 0) {
        await this.#step();
        await new Promise((resolve) => setTimeout(resolve, STREAM_LOOK_MS));
      }
    } finally {
      // In one go with the look at who is left: nobody can join in between.
      feeds.delete(this.#mockId);
    }
  }

  async #step(): Promise<void> {
    // Those that join during the look begin with the next.
    const joining = [...this.#joining];
    // The first look only finds where to begin.
    const isFirst = this.#followers.size === 0;
    const page = await this.#look(isFirst);
    if (page === undefined) return;
    if (isFirst) this.#startAt(page, page.records[0]?.number ?? 0);
    else this.#tell(page);
    for (const follower of joining) if (this.#joining.delete(follower)) this.#begin(follower);
  }

  #look(isFirst: boolean): Promise<RequestPage | undefined> {
    if (isFirst) return this.#traffic.requests(this.#mockId, { limit: 1 });
    return this.#traffic.requests(this.#mockId, {
      afterNumber: this.#last,
      limit: STREAM_EVENTS_PER_LOOK_MAX,
      bytesMax: STREAM_BYTES_PER_LOOK_MAX,
    });
  }

  #begin(follower: Follower): void {
    this.#followers.add(follower);
    follower.onBegin();
  }

  #tell(page: RequestPage): void {
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
  if (follower.keepsUp) follower.keepsUp = follower.write(missedBy(follower) + event);
  else follower.missed++;
}

/** What was missed before it is of no interest any more. */
function reset(follower: Follower): void {
  follower.missed = 0;
  follower.missedReset = true;
  catchUp(follower);
}

/** Tells a follower that keeps up what it missed. */
export function catchUp(follower: Follower): void {
  const events = follower.keepsUp ? missedBy(follower) : '';
  if (events !== '') follower.keepsUp = follower.write(events);
}

/** Taken from the follower: it will be told. */
function missedBy(follower: Follower): string {
  const { missed, missedReset } = follower;
  follower.missed = 0;
  follower.missedReset = false;
  return (missedReset ? RESET : '') + (missed === 0 ? '' : `event: dropped\ndata: {"count":${missed}}\n\n`);
}
