/**
 * How many requests came, to the request: the stream's exact counts beside what it had sent by then. Pure.
 *
 * What came since the stream began is what was received, what was dropped, and what is on its way: a burst is handed out over several
 * looks.
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

/** A look at the counts, with all that the stream had told by then. */
export const tallyAt = (tally: Tally, totals: RequestTotals, received: number, dropped: number): Tally => ({
  ...tally,
  totals,
  received,
  dropped,
});

/** Numbers start again: of what came before, it is known what was told. */
export const tallyReset = (received: number, dropped: number): Tally => ({
  received,
  dropped,
  before: 0,
  earlier: received + dropped,
  totals: undefined,
});
