/**
 * The rows of a screen of traffic: requests, and lines where the record breaks off. Pure; traffic-feed.ts fills it.
 *
 * While it is paused, what arrives waits, so that nothing moves under the pointer. Both parts are bounded: the oldest rows leave first.
 */

/** What a row shows of a request. */
export interface Recorded {
  /** Addresses it; a number that rises, until the record begins anew. */
  readonly id: string;
}

/** Exact counts of a moment. */
export interface Totals {
  readonly total: number;
}

export type Row<Request extends Recorded> =
  | {
      readonly kind: 'request';
      readonly key: string;
      /** Which life of the record the request's id belongs to: ids start again with each. */
      readonly life: number;
      readonly request: Request;
    }
  /** What happened between the rows above and below. */
  | { readonly kind: 'line'; readonly key: string; readonly text: string };

export type RequestRow<Request extends Recorded> = Extract<Row<Request>, { readonly kind: 'request' }>;

export interface TrafficLog<Request extends Recorded> {
  /** Oldest first. */
  readonly shown: readonly Row<Request>[];
  /** What has arrived since the pause; oldest first. */
  readonly waiting: readonly Row<Request>[];
  /** Requests that have arrived since the pause: exact, even when some of them have left `waiting`. */
  readonly waitingCount: number;
  readonly isPaused: boolean;
}

export const ROWS_MAX = 5_000;

export const EMPTY_LOG: TrafficLog<never> = { shown: [], waiting: [], waitingCount: 0, isPaused: false };

export const requestRow = <Request extends Recorded>(request: Request, life: number): RequestRow<Request> => ({
  kind: 'request',
  key: `${life}-${request.id}`,
  life,
  request,
});

/** @param rows What has arrived; oldest first. */
export function addRows<Request extends Recorded>(
  log: TrafficLog<Request>,
  rows: readonly Row<Request>[],
): TrafficLog<Request> {
  if (rows.length === 0) return log;
  if (!log.isPaused) return { ...log, shown: newest(log.shown, rows) };
  const waitingCount = log.waitingCount + rows.filter(({ kind }) => kind === 'request').length;
  return { ...log, waiting: newest(log.waiting, rows), waitingCount };
}

/** Adds what was recorded before the oldest row. @param rows Oldest first. */
export const addOlder = <Request extends Recorded>(
  log: TrafficLog<Request>,
  rows: readonly Row<Request>[],
): TrafficLog<Request> => ({
  ...log,
  shown: [...rows, ...log.shown].slice(-ROWS_MAX),
});

export const pause = <Request extends Recorded>(log: TrafficLog<Request>): TrafficLog<Request> =>
  log.isPaused ? log : { ...log, isPaused: true };

/** What has waited is shown. */
export const resume = <Request extends Recorded>(log: TrafficLog<Request>): TrafficLog<Request> =>
  log.isPaused ? { shown: newest(log.shown, log.waiting), waiting: [], waitingCount: 0, isPaused: false } : log;

/** The newest is row 0 of the list. */
export const rowAt = <Request extends Recorded>(
  { shown }: TrafficLog<Request>,
  index: number,
): Row<Request> | undefined => shown[shown.length - 1 - index];

/** @returns -1 when it is not there. */
export function indexOfKey({ shown }: TrafficLog<Recorded>, key: string): number {
  const place = shown.findLastIndex((row) => row.key === key);
  return place === -1 ? -1 : shown.length - 1 - place;
}

function newest<Request extends Recorded>(
  known: readonly Row<Request>[],
  rows: readonly Row<Request>[],
): readonly Row<Request>[] {
  const all = [...known, ...rows];
  return all.length > ROWS_MAX ? all.slice(-ROWS_MAX) : all;
}

export interface Tally<Counts extends Totals = Totals> {
  /** Requests that the stream has sent. */
  readonly received: number;
  /** Requests that it has reported as not sent: they came too fast. */
  readonly dropped: number;
  /** Requests before the stream began, in this life of the record. */
  readonly before: number;
  /** Requests of generations of the record that have ended. */
  readonly earlier: number;
  /** The last exact counts; the other members are of the same moment. */
  readonly totals: Counts | undefined;
}

/**
 * How many requests came, to the request: the stream's exact counts beside what it had sent by then. Pure.
 *
 * What came since the stream began is what was received, what was dropped, and what is on its way: a burst is handed out over some
 * tenths of a second.
 */
export const EMPTY_TALLY: Tally<never> = { received: 0, dropped: 0, before: 0, earlier: 0, totals: undefined };

/** Requests since the stream began; undefined before the first counts. */
export const cameSince = ({ before, earlier, totals }: Tally): number | undefined =>
  totals === undefined ? undefined : earlier + totals.total - before;

/** With the counts of a moment, and all that the stream had reported by then. */
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

/** Numbers start again: of what came before, it is known what was reported. */
export const tallyReset = (received: number, dropped: number): Tally<never> => ({
  received,
  dropped,
  before: 0,
  earlier: received + dropped,
  totals: undefined,
});

/** Milliseconds of the 16 of a frame. */
const SLOW_MS = 8;
const SLOW_FOR_MS = 2_000;
/** Without work for so long, it begins anew. The slower a page, the longer it takes to its next frame. */
const IDLE_MS = 2_000;

interface Frame {
  readonly tookMs: number;
  readonly atMs: number;
}

/** Whether a page cannot keep up: its frames have taken too long for some time, in the mean. Pure. */
export class SlowWatch {
  #since = 0;
  /** Requests of the last two seconds. */
  #frames: Frame[] = [];

  /**
   * @param tookMs Of one frame's work.
   * @param atMs Its end, by a clock that does not jump.
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
