/**
 * The rows of the traffic screen: requests, and lines where the record breaks off. Pure; traffic-feed.ts fills it.
 *
 * While it is paused, what arrives waits, so that nothing moves under the pointer. Both parts are bounded: the oldest rows leave first.
 */
import type { RequestSummary } from '../../client/shapes.ts';

export type Row =
  | {
      readonly kind: 'request';
      readonly key: string;
      /** Which life of the record the request's id belongs to: ids start again with each. */
      readonly life: number;
      readonly request: RequestSummary;
    }
  /** What happened between the rows above and below. */
  | { readonly kind: 'line'; readonly key: string; readonly text: string };

export type RequestRow = Extract<Row, { readonly kind: 'request' }>;

export interface TrafficLog {
  /** Oldest first. */
  readonly shown: readonly Row[];
  /** What has arrived since the pause; oldest first. */
  readonly waiting: readonly Row[];
  /** Requests that have arrived since the pause: exact, even when some of them have left `waiting`. */
  readonly waitingCount: number;
  readonly isPaused: boolean;
}

export const ROWS_MAX = 5_000;

export const EMPTY_LOG: TrafficLog = { shown: [], waiting: [], waitingCount: 0, isPaused: false };

export const requestRow = (request: RequestSummary, life: number): RequestRow => ({
  kind: 'request',
  key: `${life}-${request.id}`,
  life,
  request,
});

/** @param rows What has arrived; oldest first. */
export function addRows(log: TrafficLog, rows: readonly Row[]): TrafficLog {
  if (rows.length === 0) return log;
  if (!log.isPaused) return { ...log, shown: newest(log.shown, rows) };
  const waitingCount = log.waitingCount + rows.filter(({ kind }) => kind === 'request').length;
  return { ...log, waiting: newest(log.waiting, rows), waitingCount };
}

/** Adds what was recorded before the oldest row. @param rows Oldest first. */
export const addOlder = (log: TrafficLog, rows: readonly Row[]): TrafficLog => ({
  ...log,
  shown: [...rows, ...log.shown].slice(-ROWS_MAX),
});

export const pause = (log: TrafficLog): TrafficLog => (log.isPaused ? log : { ...log, isPaused: true });

/** What has waited is shown. */
export const resume = (log: TrafficLog): TrafficLog =>
  log.isPaused ? { shown: newest(log.shown, log.waiting), waiting: [], waitingCount: 0, isPaused: false } : log;

/** The newest is row 0 of the list. */
export const rowAt = ({ shown }: TrafficLog, index: number): Row | undefined => shown[shown.length - 1 - index];

/** @returns -1 when it is not there. */
export function indexOfKey({ shown }: TrafficLog, key: string): number {
  const place = shown.findLastIndex((row) => row.key === key);
  return place === -1 ? -1 : shown.length - 1 - place;
}

function newest(known: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const all = [...known, ...rows];
  return all.length > ROWS_MAX ? all.slice(-ROWS_MAX) : all;
}
