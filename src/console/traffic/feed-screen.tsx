/** Recorded requests as they come: filters, counts, rows that can be paused, and one request in detail. What is recorded, its screen says. */
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

/** An opened request: ids start again with each life of the record. */
export interface Opened<Request> {
  readonly id: string;
  readonly life: number;
  /** undefined when the address alone names it. */
  readonly summary: Request | undefined;
  readonly onClose: () => void;
}

interface FeedScreenProps<Request extends Recorded> {
  readonly feed: TrafficFeed<Request, Totals>;
  readonly filters: JSX.Element;
  readonly isFiltered: boolean;
  /** For the address: no filter at all. */
  readonly noFilter: Query;
  /** Between the filters and the list. */
  readonly figures?: JSX.Element;
  /** How many there are, in words. */
  readonly tally: JSX.Element;
  /** Asks, and forgets what is recorded. */
  readonly reset?: ((props: ResetProps) => JSX.Element) | undefined;
  /** While nothing is recorded. */
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
  const key = shown === undefined ? undefined : `${shown.life}-${shown.id}`;
  const onClose = (): void => {
    setOpened(undefined);
    refine({ request: undefined });
  };
  return (
    <div class={shown === undefined ? 'column traffic' : 'column traffic open'}>
      {props.filters}
      {props.figures}
      <FeedBar
        feed={feed}
        tally={props.tally}
        reset={props.reset}
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
    <Empty title="No request fits these filters">
      <p>Of those that are still recorded, none does. New ones are shown as they come.</p>
      <p class="row">
        <Button onClick={() => refine(noFilter)}>Clear the filters</Button>
        {waiting > 0 && <span>{numberText(waiting)} new</span>}
      </p>
    </Empty>
  );
}
