/**
 * The rows of a traffic screen: requests, and lines where the record is interrupted. Pure; traffic-feed.ts fills it.
 *
 * While paused, arrivals wait, so that nothing moves under the pointer. Both parts are bounded: the oldest rows go first.
 */

export interface LogEntry {
  /** Increases until the record restarts. */
  readonly id: string;
}

export interface Totals {
  readonly total: number;
}

export type Row<Request extends LogEntry> =
  | {
      readonly kind: 'request';
      readonly key: string;
      /** The generation of the record: ids restart with each. */
      readonly life: number;
      readonly request: Request;
    }
  /** An interruption between the rows above and below. */
  | { readonly kind: 'line'; readonly key: string; readonly text: string };

export type RequestRow<Request extends LogEntry> = Extract<Row<Request>, { readonly kind: 'request' }>;

export interface TrafficLog<Request extends LogEntry> {
  /** Oldest first. */
  readonly shown: readonly Row<Request>[];
  /** Arrivals since the pause; oldest first. */
  readonly waiting: readonly Row<Request>[];
  /** The number of arrivals since the pause: exact, even when some have left `waiting`. */
  readonly waitingCount: number;
  readonly isPaused: boolean;
}

export const ROWS_MAX = 5_000;

export const EMPTY_LOG: TrafficLog<never> = { shown: [], waiting: [], waitingCount: 0, isPaused: false };

export const requestRow = <Request extends LogEntry>(request: Request, life: number): RequestRow<Request> => ({
  kind: 'request',
  key: `${life}-${request.id}`,
  life,
  request,
});

/** @param rows Arrivals, oldest first. */
export function addRows<Request extends LogEntry>(
  log: TrafficLog<Request>,
  rows: readonly Row<Request>[],
): TrafficLog<Request> {
  if (rows.length === 0) return log;
  if (!log.isPaused) return { ...log, shown: newest(log.shown, rows) };
  const waitingCount = log.waitingCount + rows.filter(({ kind }) => kind === 'request').length;
  return { ...log, waiting: newest(log.waiting, rows), waitingCount };
}

/** Adds rows before the oldest. @param rows Oldest first. */
export const addOlder = <Request extends LogEntry>(
  log: TrafficLog<Request>,
  rows: readonly Row<Request>[],
): TrafficLog<Request> => ({
  ...log,
  shown: [...rows, ...log.shown].slice(-ROWS_MAX),
});

export const pause = <Request extends LogEntry>(log: TrafficLog<Request>): TrafficLog<Request> =>
  log.isPaused ? log : { ...log, isPaused: true };

/** Shows the waiting rows. */
export const resume = <Request extends LogEntry>(log: TrafficLog<Request>): TrafficLog<Request> =>
  log.isPaused ? { shown: newest(log.shown, log.waiting), waiting: [], waitingCount: 0, isPaused: false } : log;

/** The newest is row 0. */
export const rowAt = <Request extends LogEntry>(
  { shown }: TrafficLog<Request>,
  index: number,
): Row<Request> | undefined => shown[shown.length - 1 - index];

export function indexOfKey({ shown }: TrafficLog<LogEntry>, key: string): number {
  const place = shown.findLastIndex((row) => row.key === key);
  return place === -1 ? -1 : shown.length - 1 - place;
}

function newest<Request extends LogEntry>(
  known: readonly Row<Request>[],
  rows: readonly Row<Request>[],
): readonly Row<Request>[] {
  const all = [...known, ...rows];
  return all.length > ROWS_MAX ? all.slice(-ROWS_MAX) : all;
}

export interface Tally<Counts extends Totals = Totals> {
  /** Requests sent by the stream. */
  readonly received: number;
  /** Requests that the stream reported as not sent: too fast. */
  readonly dropped: number;
  /** Requests before the stream started, in this generation. */
  readonly before: number;
  /** Requests of ended generations. */
  readonly earlier: number;
  /** The last exact counts; the other members are of the same moment. */
  readonly totals: Counts | undefined;
}

/**
 * The exact number of requests: the stream's counts beside what it had sent by then. Pure.
 *
 * Requests since the start of the stream are received, dropped, or in flight: a burst is delivered over some
 * tenths of a second.
 */
export const EMPTY_TALLY: Tally<never> = { received: 0, dropped: 0, before: 0, earlier: 0, totals: undefined };

/** Requests since the stream started; undefined before the first counts. */
export const cameSince = ({ before, earlier, totals }: Tally): number | undefined =>
  totals === undefined ? undefined : earlier + totals.total - before;

/** Adds the counts of a moment, and everything the stream had reported by then. */
export const tallyAt = <Counts extends Totals>(
  tally: Tally<Counts>,
  totals: Counts,
  received: number,
  dropped: number,
): Tally<Counts> => ({
  ...tally,
  totals,
  received,
  dropped,
});

/** Numbers restart: earlier requests count as reported. */
export const tallyReset = (received: number, dropped: number): Tally<never> => ({
  received,
  dropped,
  before: 0,
  earlier: received + dropped,
  totals: undefined,
});

/** A frame has 16 ms. */
const SLOW_MS = 8;
const SLOW_FOR_MS = 2_000;
/** After this idle time, it restarts. A slow page takes longer to its next frame. */
const IDLE_MS = 2_000;

interface Frame {
  readonly tookMs: number;
  readonly atMs: number;
}

/** Detects a page that cannot keep up: its recent frames took too long on average. Pure. */
export class SlowWatch {
  #since = 0;
  /** The last two seconds. */
  #frames: Frame[] = [];

  /**
   * @param tookMs The work of one frame.
   * @param atMs Its end, on a monotonic clock.
   * @returns Whether the frames of the last two seconds were slow.
   */
  add(tookMs: number, atMs: number): boolean {
    const last = this.#frames.at(-1);
    if (last === undefined || atMs - tookMs - last.atMs > IDLE_MS) {
      this.#since = atMs - tookMs;
      this.#frames = [];
    }
    this.#frames = [...this.#frames.filter((frame) => atMs - frame.atMs < SLOW_FOR_MS), { tookMs, atMs }];
    const mean = this.#frames.reduce((sum, frame) => sum + frame.tookMs, 0) / this.#frames.length;
    return mean > SLOW_MS && atMs - this.#since >= SLOW_FOR_MS;
  }

  clear(): void {
    this.#frames = [];
  }
}
