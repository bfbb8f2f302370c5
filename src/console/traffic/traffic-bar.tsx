/** How many requests of a mock came and how many of them are shown. Exact. */
import { countText, numberText } from '../parts/words.ts';
import type { MockFeed } from './mock-feed.ts';
import { cameSince } from './traffic-log.ts';

interface TallyProps {
  readonly feed: MockFeed;
  readonly isFiltered: boolean;
}

/** Exact: what came is what is shown and what is not. */
export function TallyText({ feed, isFiltered }: TallyProps): JSX.Element {
  const tally = feed.tally.value;
  const { totals, received, dropped } = tally;
  if (totals === undefined) return <span class="muted traffic-tally">{feed.isListed.value && 'No count yet'}</span>;
  const isPart = isFiltered || feed.missesSince.value !== undefined;
  const came = cameSince(tally) ?? 0;
  const coming = isPart ? 0 : Math.max(0, came - received - dropped);
  return (
    <span class="muted traffic-tally">
      <strong>{countText(totals.total, 'request')}</strong>, {countText(totals.unmatched, 'miss', 'misses')} · since
      this page opened, {numberText(came)} came: {numberText(received)} {isPart ? 'that fit ' : ''}
      shown, {numberText(dropped)} not shown{coming > 0 && `, ${numberText(coming)} on their way`}
    </span>
  );
}
