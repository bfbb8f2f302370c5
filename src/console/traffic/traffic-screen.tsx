/** The requests that a mock has received, live: rates, rows, and one request in detail with the reason for its answer. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RequestSummary } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { Empty, FailureBox, Loading } from '../parts/states.tsx';
import { numberText } from '../parts/words.ts';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { place, refine } from '../state/place.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { MissesTold, RatePanel } from './rate-panel.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { TrafficBar } from './traffic-bar.tsx';
import { TrafficFeed } from './traffic-feed.ts';
import { filterOf, isFiltered, NO_FILTER, selectionOf } from './traffic-filter.ts';
import { TrafficFilters } from './traffic-filters.tsx';
import { NoTraffic, TrafficList, useRouteNames } from './traffic-list.tsx';

/** An opened request: ids start again with each life of the record. */
interface Opened {
  readonly id: string;
  readonly life: number;
  /** undefined when the address alone names it. */
  readonly summary: RequestSummary | undefined;
}

export function TrafficScreen({ mock, record }: MockScreenProps): JSX.Element {
  const { query } = place.value;
  const filter = filterOf(query);
  const feed = useMemo(() => new TrafficFeed(record.id, selectionOf(filter)), [record.id, ...Object.values(filter)]);
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  const names = useRouteNames(record);
  const [isHeld, setHeld] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const [activeKey, setActiveKey] = useState<string>();
  const [opened, setOpened] = useState<Opened>();
  const list = useRef<HTMLDivElement>(null);

  const asked = query.get('request');
  const shown =
    opened?.id === asked ? opened : asked === undefined ? undefined : { id: asked, life: 0, summary: undefined };
  const isPaused = isHeld || scrolled || activeKey !== undefined || shown !== undefined;
  useEffect(() => (isPaused ? feed.pause() : feed.resume()), [isPaused, feed]);

  const goOn = (): void => {
    setHeld(false);
    setScrolled(false);
    setActiveKey(undefined);
    list.current?.querySelector('[role=grid]')?.scrollTo({ top: 0 });
    if (asked !== undefined) refine({ request: undefined });
    feed.resume();
  };
  useShortcuts(
    [
      {
        keys: 'Space',
        label: isPaused ? 'Resume the traffic' : 'Pause the traffic',
        run: () => (isPaused ? goOn() : setHeld(true)),
      },
    ],
    [isPaused, feed, asked],
  );

  const { failure, state } = feed.connection.value;
  return (
    <div class={shown === undefined ? 'column traffic' : 'column traffic open'}>
      <TrafficFilters filter={filter} names={names} />
      <RatePanel feed={feed} />
      <TrafficBar
        feed={feed}
        record={record}
        isFiltered={isFiltered(filter)}
        isOfSession={filter.session !== ''}
        isPaused={isPaused}
        onPause={() => setHeld(true)}
        onResume={goOn}
      />
      <FailureBox failure={failure} what="Following the traffic" onRetry={() => feed.retry()} />
      <div class={shown === undefined ? 'panes' : 'panes open'}>
        <div class="column traffic-rows" ref={list}>
          {feed.isListed.value ? (
            <Rows
              feed={feed}
              isFiltered={isFiltered(filter)}
              empty={<NoTraffic record={record} />}
              list={
                <TrafficList
                  feed={feed}
                  names={names}
                  activeKey={activeKey}
                  openedKey={shown === undefined ? undefined : `${shown.life}-${shown.id}`}
                  onActive={setActiveKey}
                  onScrolled={setScrolled}
                  onOpen={({ key, life, request }) => {
                    setActiveKey(key);
                    setOpened({ id: request.id, life, summary: request });
                    refine({ request: request.id });
                  }}
                />
              }
            />
          ) : (
            state !== 'failed' && failure === undefined && <Loading what="the traffic" />
          )}
        </div>
        {shown !== undefined && (
          <RequestDrawer
            key={`${shown.life}-${shown.id}`}
            feed={feed}
            mock={mock}
            record={record}
            names={names}
            requestId={shown.id}
            life={shown.life}
            summary={shown.summary}
            onClose={() => {
              setOpened(undefined);
              refine({ request: undefined });
            }}
          />
        )}
      </div>
      <MissesTold feed={feed} />
    </div>
  );
}

interface RowsProps {
  readonly feed: TrafficFeed;
  readonly isFiltered: boolean;
  readonly empty: JSX.Element;
  readonly list: JSX.Element;
}

function Rows({ feed, isFiltered: filtered, empty, list }: RowsProps): JSX.Element {
  if (feed.log.value.shown.length > 0) return list;
  const waiting = feed.log.value.waitingCount;
  if (!filtered) return empty;
  return (
    <Empty title="No request fits these filters">
      <p>Of those that are still recorded, none does. New ones are shown as they come.</p>
      <p class="row">
        <Button onClick={() => refine(NO_FILTER)}>Clear the filters</Button>
        {waiting > 0 && <span>{numberText(waiting)} new</span>}
      </p>
    </Empty>
  );
}
