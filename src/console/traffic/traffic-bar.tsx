/** The counts of a mock: requests, how many of them are shown, and waits of its owner. Exact. */
import { countText, numberText } from '../parts/words.ts';
import { durationText } from './durations.ts';
import type { MockFeed } from './mock-feed.ts';
import { cameSince } from './traffic-log.ts';

interface TallyProps {
  readonly feed: MockFeed;
  readonly isFiltered: boolean;
}

/** Exact: new requests are shown or counted as not shown. */
export function TallyText({ feed, isFiltered }: TallyProps): JSX.Element {
  const tally = feed.tally.value;
  const { totals, received, dropped } = tally;
  if (totals === undefined) return <span class="muted traffic-tally">{feed.isListed.value && 'Counting…'}</span>;
  const isPart = isFiltered || feed.missesSince.value !== undefined;
  const came = cameSince(tally) ?? 0;
  const coming = isPart ? 0 : Math.max(0, came - received - dropped);
  return (
    <span class="muted traffic-tally">
      <strong>{countText(totals.total, 'request')}</strong>, {countText(totals.unmatched, 'miss', 'misses')} ·{' '}
      {numberText(came)} new
      {(came > 0 || dropped > 0) &&
        `: ${numberText(received)} ${isPart ? 'matching ' : ''}shown, ${numberText(dropped)} not shown`}
      {coming > 0 && `, ${numberText(coming)} pending`}
    </span>
  );
}

/** Appears with the first wait. Not a live region: its figures change each second. */
export function WaitsNote({ feed }: Pick<TallyProps, 'feed'>): JSX.Element | null {
  const waits = feed.tally.value.totals?.ownerWaits;
  if (waits === undefined) return null;
  const { waited, refused, longestWaitMs } = waits;
  return (
    <p class={refused > 0 ? 'bar' : 'hint'}>
      {countText(waited, 'request or message', 'requests and messages')} waited for your share of the server, requests
      up to {durationText(longestWaitMs)}; {numberText(refused)} refused. To reduce waits, start the server with more
      --workers, or send less at once.
    </p>
  );
}
