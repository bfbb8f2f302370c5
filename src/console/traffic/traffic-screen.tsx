/** The live requests of a mock: a list, one request with the reason for its answer, rates and durations. */
import { useMemo } from 'preact/hooks';
import { countText, numberText } from '../parts/words.ts';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { place } from '../state/place.ts';
import { api } from '../state/session.ts';
import { durationText } from './durations.ts';
import { FeedScreen } from './feed-screen.tsx';
import { MockFeed } from './mock-feed.ts';
import { MissesStatus, RatePanel } from './rate-panel.tsx';
import { OpenSockets, OpenStreams } from './open-list.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { FILTERS, selectionOf } from './traffic-filter.ts';
import { TrafficFilters } from './traffic-filters.tsx';
import { NoTraffic, RequestCells, useRouteNames } from './traffic-list.tsx';
import { cameSince } from './traffic-log.ts';

/** A reset affects requests outside of sessions: it is not offered within one. */
const RESET =
  'Deletes the recorded requests of this mock for all users. Counts and response sequences restart. This cannot be undone.';

export function TrafficScreen({ mock, record }: MockScreenProps): JSX.Element {
  const { id } = record;
  const filter = FILTERS.of(place.value.query);
  const feed = useMemo(() => new MockFeed(id, selectionOf(filter)), [id, ...Object.values(filter)]);
  const names = useRouteNames(record);
  const isWhole = filter.session === '';
  return (
    <>
      <FeedScreen
        feed={feed}
        filters={<TrafficFilters filter={filter} names={names} />}
        noFilter={FILTERS.none}
        figures={
          <>
            <RatePanel feed={feed} />
            <WaitsNote feed={feed} />
            <OpenStreams feed={feed} mockId={id} names={names} session={filter.session} />
            <OpenSockets feed={feed} mockId={id} session={filter.session} />
          </>
        }
        tally={<TallyText feed={feed} />}
        reset={isWhole ? { send: () => api().mocks.resetRequests(id), consequences: RESET } : undefined}
        empty={<NoTraffic record={record} />}
        cells={(request) => <RequestCells request={request} names={names} />}
        details={(opened) => <RequestDrawer {...opened} feed={feed} mock={mock} record={record} names={names} />}
      />
      <MissesStatus feed={feed} />
    </>
  );
}

interface FeedProps {
  readonly feed: MockFeed;
}

/** Exact: new requests are shown or counted as not shown. */
function TallyText({ feed }: FeedProps): JSX.Element {
  const tally = feed.tally.value;
  const { totals, received, dropped } = tally;
  if (totals === undefined) return <span class="muted traffic-tally">{feed.isListed.value && 'Counting…'}</span>;
  const isPart = feed.isFiltered || feed.missesSince.value !== undefined;
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
function WaitsNote({ feed }: FeedProps): JSX.Element | null {
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
