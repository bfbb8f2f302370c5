/**
 * Follows recorded requests for one screen: first the newest of the record, then the stream, applied once a frame.
 * Subclasses define the source: mock-feed.ts, gateway/exchange-feed.ts.
 *
 * A hidden tab closes the stream. It resumes after the last event, so that no recorded request is missed.
 */
import { batch, signal, type ReadonlySignal } from '@preact/signals';
import { numberText, timeText } from '../parts/words.ts';
import { failureOf, isPassing, type Failure } from '../state/failure.ts';
import { RETRY_SECONDS } from '../state/resource.ts';
import { checkKeyAfter } from '../state/session.ts';
import {
  addOlder,
  addRows,
  EMPTY_LOG,
  EMPTY_TALLY,
  pause,
  requestRow,
  resume,
  ROWS_MAX,
  SlowWatch,
  tallyAt,
  tallyReset,
  type LogEntry,
  type Row,
  type Tally,
  type Totals,
  type TrafficLog,
} from './traffic-log.ts';

export interface FeedPage<Request> {
  readonly records: readonly Request[];
  /** Whether older requests were dropped. */
  readonly truncated: boolean;
  readonly nextBefore: number | null;
  /** The time since which every request is kept, if known. */
  readonly oldest: number | null;
}

/** An event of the stream: docs/mocks-traffic.md. */
export type FeedEvent<Request, Counts> =
  | { readonly type: 'request'; readonly id: string; readonly request: Request }
  | { readonly type: 'message'; readonly id: string; readonly message: Request }
  | { readonly type: 'dropped'; readonly count: number }
  | { readonly type: 'reset' }
  | { readonly type: 'counts'; readonly counts: Counts };

export interface FollowInput {
  readonly after: string;
  /** Only misses, when there are more requests than the page can draw. */
  readonly missesOnly: boolean;
  readonly signal: AbortSignal;
}

/** The common part for all kinds of requests. */
export type AnyFeed = TrafficFeed<LogEntry, Totals>;

/** The history before the oldest row. */
interface Older {
  readonly mayBe: boolean;
  readonly isLoading: boolean;
  /** The time since which every request is kept, when some were dropped. */
  readonly keptSince: number | undefined;
}

interface Connection {
  readonly state: 'connecting' | 'live' | 'hidden' | 'away' | 'failed';
  /** The last failure. */
  readonly failure: Failure | undefined;
}

const FIRST_ROWS = 200;

export abstract class TrafficFeed<out Request extends LogEntry, out Counts extends Totals> {
  readonly #log = signal<TrafficLog<Request>>(EMPTY_LOG);
  readonly log: ReadonlySignal<TrafficLog<Request>> = this.#log;
  readonly #tally = signal<Tally<Counts>>(EMPTY_TALLY);
  readonly tally: ReadonlySignal<Tally<Counts>> = this.#tally;
  readonly #connection = signal<Connection>({ state: 'connecting', failure: undefined });
  readonly connection: ReadonlySignal<Connection> = this.#connection;
  readonly #older = signal<Older>({ mayBe: false, isLoading: false, keptSince: undefined });
  readonly older: ReadonlySignal<Older> = this.#older;
  readonly #isListed = signal(false);
  /** Whether the newest requests are loaded. */
  readonly isListed: ReadonlySignal<boolean> = this.#isListed;
  readonly #missesSince = signal<number | undefined>(undefined);
  /** Since when only misses are listed, because the page could not keep up. */
  readonly missesSince: ReadonlySignal<number | undefined> = this.#missesSince;
  readonly #slow = new SlowWatch();
  readonly #leaving = new AbortController();
  #stream = new AbortController();
  #wake: () => void = () => undefined;
  #after = '0';
  #life = 0;
  #lineCount = 0;
  #retries = 0;
  #hiddenAt: number | undefined;
  // Arrivals since the last frame.
  #arrived: Row<Request>[] = [];
  #totals: Counts[] = [];
  #tallied: Tally<Counts> = EMPTY_TALLY;
  // Since its start.
  #received = 0;
  #dropped = 0;
  #frame: number | undefined;

  readonly isFiltered: boolean;

  constructor(isFiltered: boolean) {
    this.isFiltered = isFiltered;
  }

  protected abstract page(asked: { readonly limit: number; readonly before?: number }): Promise<FeedPage<Request>>;

  protected abstract follow(asked: FollowInput): AsyncIterable<FeedEvent<Request, Counts>>;

  /** The number recorded in this generation, unfiltered. @returns undefined where the newest id reveals it. */
  protected abstract countAll(): Promise<number | undefined>;

  /** Whether the feed can list only misses. */
  protected abstract readonly canShowMissesOnly: boolean;

  /** Called with each frame. @param counts Since the last frame, oldest first. */
  protected tookCounts(_counts: readonly Counts[]): void {
    // Most screens show only the last one.
  }

  /** The generation of the newest ids. */
  get life(): number {
    return this.#life;
  }

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#run();
  }

  stop(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#leaving.abort();
    this.#stream.abort();
    this.#wake();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
  }

  pause(): void {
    this.#log.value = pause(this.#log.value);
  }

  resume(): void {
    this.#log.value = resume(this.#log.value);
  }

  retry(): void {
    if (this.#connection.value.state === 'failed') void this.#run();
    else this.#wake();
  }

  showAll(): void {
    this.#missesSince.value = undefined;
    this.#slow.clear();
    this.#line('All requests are shown again, including those in between.');
    this.#reconnect();
  }

  async loadOlder(): Promise<void> {
    const oldest = this.#log.value.shown.find((row) => row.kind === 'request');
    if (oldest?.kind !== 'request' || oldest.life !== this.#life || this.#older.value.isLoading) return;
    this.#older.value = { ...this.#older.value, isLoading: true };
    try {
      const page = await this.page({ limit: FIRST_ROWS, before: Number(oldest.request.id) });
      const rows = page.records.map((request) => requestRow(request, this.#life)).toReversed();
      this.#log.value = addOlder(this.#log.value, rows);
      this.#took(page.nextBefore, page.truncated ? page.oldest : null);
    } catch (error) {
      this.#older.value = { ...this.#older.value, isLoading: false };
      this.#connection.value = { ...this.#connection.value, failure: failureOf(error) };
    }
  }

  async #run(): Promise<void> {
    const { signal: left } = this.#leaving;
    while (!left.aborted) {
      if (document.hidden) {
        await this.#whileHidden();
        continue;
      }
      this.#stream = new AbortController();
      try {
        if (!this.#isListed.value) await this.#list();
        await this.#follow(this.#stream.signal);
        if (this.#stream.signal.aborted) continue;
        this.#connection.value = { state: 'away', failure: undefined };
      } catch (error) {
        if (left.aborted) return;
        const failure = failureOf(error);
        checkKeyAfter(failure);
        this.#connection.value = { state: isPassing(failure) ? 'away' : 'failed', failure };
        if (!isPassing(failure)) return;
      }
      await this.#waitToRetry();
    }
  }

  async #list(): Promise<void> {
    // The newest match is not the newest arrival. Asked first: what arrives before the answer may be shown, and then has arrived too.
    const total = await this.countAll();
    const page = await this.page({ limit: FIRST_ROWS });
    const rows = page.records.map((request) => requestRow(request, this.#life)).toReversed();
    const newest = page.records[0]?.id ?? '0';
    this.#after = newest;
    batch(() => {
      // Shown even while paused, as when an address opens a request.
      this.#log.value = addOlder(this.#log.value, rows);
      this.#tallied = { ...EMPTY_TALLY, before: total ?? Number(newest) };
      this.#took(page.nextBefore, page.truncated ? page.oldest : null);
      this.#isListed.value = true;
    });
  }

  #took(nextBefore: number | null, keptSince: number | null): void {
    const mayBe = nextBefore !== null && this.#log.value.shown.length < ROWS_MAX;
    this.#older.value = { mayBe, isLoading: false, keptSince: keptSince ?? undefined };
  }

  async #follow(left: AbortSignal): Promise<void> {
    const asked = { after: this.#after, missesOnly: this.#missesSince.value !== undefined, signal: left };
    for await (const event of this.follow(asked)) {
      if (this.#connection.value.state !== 'live') this.#connection.value = { state: 'live', failure: undefined };
      this.#retries = 0;
      this.#take(event);
    }
  }

  #take(event: FeedEvent<Request, Counts>): void {
    if (event.type === 'request') {
      this.#after = event.id;
      this.#received++;
      this.#arrived.push(requestRow(event.request, this.#life));
    } else if (event.type === 'message') {
      // Request counts lack it.
      this.#after = event.id;
      this.#arrived.push(requestRow(event.message, this.#life));
    } else if (event.type === 'counts') {
      this.#totals.push(event.counts);
      this.#tallied = tallyAt(this.#tallied, event.counts, this.#received, this.#dropped);
    } else if (event.type === 'dropped') {
      this.#dropped += event.count;
      this.#line(`${numberText(event.count)} requests not shown: too fast, or no longer recorded.`);
    } else {
      // The arrivals belong to the ended generation.
      this.#fold();
      this.#life++;
      this.#after = '0';
      this.#tallied = tallyReset(this.#received, this.#dropped);
      this.#older.value = { ...this.#older.value, mayBe: false };
      this.#line(`Reset at ${timeText(Date.now())}: recorded requests and counts were cleared.`);
    }
    this.#frame ??= requestAnimationFrame(() => this.#foldFrame());
  }

  #foldFrame(): void {
    this.#frame = undefined;
    const began = performance.now();
    const hasRows = this.#arrived.length > 0;
    this.#fold();
    // Rendering is a microtask, queued before this one.
    queueMicrotask(() => {
      const now = performance.now();
      const isSlow = hasRows && this.#slow.add(now - began, now);
      if (isSlow && this.#missesSince.value === undefined && this.canShowMissesOnly) this.#missesOnly();
    });
  }

  #fold(): void {
    const rows = this.#arrived;
    batch(() => {
      this.#log.value = addRows(this.#log.value, rows);
      this.#tally.value = this.#tallied;
      if (this.#totals.length > 0) this.tookCounts(this.#totals);
    });
    this.#arrived = [];
    this.#totals = [];
  }

  #missesOnly(): void {
    this.#missesSince.value = Date.now();
    this.#line('Too many requests to show: from here on only misses. Counts remain exact.');
    this.#reconnect();
  }

  #line(text: string): void {
    this.#arrived.push({ kind: 'line', key: `line-${++this.#lineCount}`, text });
    this.#frame ??= requestAnimationFrame(() => this.#foldFrame());
  }

  /** The loop reopens the stream. */
  #reconnect(): void {
    this.#stream.abort();
  }

  readonly #onVisibility = (): void => {
    if (document.hidden) {
      this.#hiddenAt = Date.now();
      this.#stream.abort();
    }
    this.#wake();
  };

  async #whileHidden(): Promise<void> {
    this.#hiddenAt ??= Date.now();
    this.#connection.value = { state: 'hidden', failure: undefined };
    while (document.hidden && !this.#leaving.signal.aborted) await this.#woken();
    const from = timeText(this.#hiddenAt);
    this.#hiddenAt = undefined;
    this.#connection.value = { state: 'connecting', failure: undefined };
    this.#line(`The tab was hidden from ${from} to ${timeText(Date.now())}. Requests in between follow.`);
  }

  async #waitToRetry(): Promise<void> {
    const seconds = RETRY_SECONDS[Math.min(this.#retries++, RETRY_SECONDS.length - 1)] as number;
    const timer = setTimeout(() => this.#wake(), seconds * 1_000);
    await this.#woken();
    clearTimeout(timer);
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
