/** Recorded requests, live: filters, counts, a list that can be paused, and the details of one request. Each screen supplies its kind of request. */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { Empty, FailureBox, Loading } from '../parts/states.tsx';
import { numberText } from '../parts/words.ts';
import { place, refine, type Query } from '../state/place.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { FeedBar, type ResetProps } from './feed-bar.tsx';
import { FeedList } from './feed-list.tsx';
import type { TrafficFeed } from './traffic-feed.ts';
import type { Recorded, RequestRow, Totals } from './traffic-log.ts';

/** An opened request: ids restart with each life of the record. */
export interface Opened<Request> {
  readonly id: string;
  readonly life: number;
  /** undefined: only the address names it. */
  readonly summary: Request | undefined;
  readonly onClose: () => void;
}

interface FeedScreenProps<Request extends Recorded> {
  readonly feed: TrafficFeed<Request, Totals>;
  readonly filters: JSX.Element;
  readonly isFiltered: boolean;
  /** The query that clears all filters. */
  readonly noFilter: Query;
  /** Below the list. */
  readonly figures?: JSX.Element;
  /** The counts, in words. */
  readonly tally: JSX.Element;
  /** Confirms, then deletes the recorded requests. */
  readonly reset?: ((props: ResetProps) => JSX.Element) | undefined;
  /** Replaces the list while nothing is recorded. */
  readonly empty: JSX.Element;
  readonly cells: (row: RequestRow<Request>) => JSX.Element;
  readonly details: (opened: Opened<Request>) => JSX.Element;
}

export function FeedScreen<Request extends Recorded>(props: FeedScreenProps<Request>): JSX.Element {
  const { feed, isFiltered } = props;
  const { query } = place.value;
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  const [isHeld, setHeld] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const [activeKey, setActiveKey] = useState<string>();
  const [opened, setOpened] = useState<Omit<Opened<Request>, 'onClose'>>();
  const list = useRef<HTMLDivElement>(null);

  const asked = query.get('request');
  const shown =
    opened?.id === asked ? opened : asked === undefined ? undefined : { id: asked, life: 0, summary: undefined };
  const isPaused = isHeld || scrolled || activeKey !== undefined || shown !== undefined;
  useEffect(() => (isPaused ? feed.pause() : feed.resume()), [isPaused, feed]);

  const resume = (): void => {
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
        label: isPaused ? 'Resume' : 'Pause',
        run: () => (isPaused ? resume() : setHeld(true)),
      },
    ],
    [isPaused, feed, asked],
  );

  const { failure, state } = feed.connection.value;
  const key = shown === undefined ? undefined : `${shown.life}-${shown.id}`;
  const onClose = (): void => {
    setOpened(undefined);
    refine({ request: undefined });
  };
  return (
    <div class={shown === undefined ? 'column traffic' : 'column traffic open'}>
      {props.filters}
      <FeedBar
        feed={feed}
        tally={props.tally}
        reset={props.reset}
        isPaused={isPaused}
        onPause={() => setHeld(true)}
        onResume={resume}
      />
      <FailureBox failure={failure} what="Following traffic" onRetry={() => feed.retry()} />
      <div class={shown === undefined ? 'panes' : 'panes open'}>
        <div class="column traffic-rows" ref={list}>
          {feed.isListed.value ? (
            <Rows
              feed={feed}
              isFiltered={isFiltered}
              noFilter={props.noFilter}
              empty={props.empty}
              list={
                <FeedList
                  feed={feed}
                  cells={props.cells}
                  activeKey={activeKey}
                  openedKey={key}
                  onActive={setActiveKey}
                  onScrolled={setScrolled}
                  onOpen={({ key: rowKey, life, request }) => {
                    setActiveKey(rowKey);
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
        {shown !== undefined && <Fragment key={key}>{props.details({ ...shown, onClose })}</Fragment>}
      </div>
      {props.figures}
    </div>
  );
}

interface RowsProps extends Pick<FeedScreenProps<Recorded>, 'isFiltered' | 'noFilter' | 'empty'> {
  readonly feed: TrafficFeed<Recorded, Totals>;
  readonly list: JSX.Element;
}

function Rows({ feed, isFiltered, noFilter, empty, list }: RowsProps): JSX.Element {
  if (feed.log.value.shown.length > 0) return list;
  const waiting = feed.log.value.waitingCount;
  if (!isFiltered) return empty;
  return (
    <Empty title="No requests match these filters">
      <p>New requests that match appear here.</p>
      <p class="row">
        <Button onClick={() => refine(noFilter)}>Clear filters</Button>
        {waiting > 0 && <span>{numberText(waiting)} new</span>}
      </p>
    </Empty>
  );
}
