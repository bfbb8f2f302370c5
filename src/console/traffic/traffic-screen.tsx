/** The live requests of a mock: a list, one request with the reason for its answer, rates and durations. */
import { useMemo } from 'preact/hooks';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { place } from '../state/place.ts';
import { api } from '../state/session.ts';
import { ResetDialog } from './feed-bar.tsx';
import { FeedScreen } from './feed-screen.tsx';
import { MockFeed } from './mock-feed.ts';
import { MissesStatus, RatePanel } from './rate-panel.tsx';
import { OpenSockets } from './open-sockets.tsx';
import { OpenStreams } from './open-streams.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { TallyText, WaitsNote } from './traffic-bar.tsx';
import { filterOf, isFiltered, NO_FILTER, selectionOf } from './traffic-filter.ts';
import { TrafficFilters } from './traffic-filters.tsx';
import { NoTraffic, RequestCells, useRouteNames } from './traffic-list.tsx';

export function TrafficScreen({ mock, record }: MockScreenProps): JSX.Element {
  const filter = filterOf(place.value.query);
  const feed = useMemo(() => new MockFeed(record.id, selectionOf(filter)), [record.id, ...Object.values(filter)]);
  const names = useRouteNames(record);
  return (
    <>
      <FeedScreen
        feed={feed}
        filters={<TrafficFilters filter={filter} names={names} />}
        isFiltered={isFiltered(filter)}
        noFilter={NO_FILTER}
        figures={
          <>
            <RatePanel feed={feed} />
            <WaitsNote feed={feed} />
            <OpenStreams feed={feed} record={record} names={names} session={filter.session} />
            <OpenSockets feed={feed} mockId={record.id} session={filter.session} />
          </>
        }
        tally={<TallyText feed={feed} isFiltered={isFiltered(filter)} />}
        // A reset affects requests outside of sessions: it is not offered within one.
        reset={
          filter.session === ''
            ? ({ onClose }) => (
                <ResetDialog send={() => api().mocks.resetRequests(record.id)} onClose={onClose}>
                  Deletes the recorded requests of this mock for all users. Counts and response sequences restart. This
                  cannot be undone.
                </ResetDialog>
              )
            : undefined
        }
        empty={<NoTraffic record={record} />}
        cells={({ request }) => <RequestCells request={request} names={names} />}
        details={({ id, ...opened }) => (
          <RequestDrawer {...opened} feed={feed} mock={mock} record={record} names={names} requestId={id} />
        )}
      />
      <MissesStatus feed={feed} />
    </>
  );
}
