/**
 * How many requests came, to the request: the stream's exact counts beside what it has sent. Pure.
 *
 * `came` counts from the request at which the stream began, so `received + dropped` is `came` as soon as everything up to a look at the
 * counts has been told.
 */
import type { RequestTotals } from '../../client/shapes.ts';

export interface Tally {
  /** Requests that the stream has sent. */
  readonly received: number;
  /** Requests that it has told as not sent: they came too fast. */
  readonly dropped: number;
  /** Requests before the stream began, in this life of the record. */
  readonly before: number;
  /** Of lives of the record that have ended. */
  readonly earlier: number;
  /** The last look. */
  readonly totals: RequestTotals | undefined;
}

export const EMPTY_TALLY: Tally = { received: 0, dropped: 0, before: 0, earlier: 0, totals: undefined };

/** Requests since the stream began; undefined before the first look. */
export const cameSince = ({ before, earlier, totals }: Tally): number | undefined =>
  totals === undefined ? undefined : earlier + totals.total - before;

/** Numbers start again: what came before is known from what was told. */
export const tallyReset = ({ received, dropped }: Tally): Tally => ({
  received,
  dropped,
  before: 0,
  earlier: received + dropped,
  totals: undefined,
});
