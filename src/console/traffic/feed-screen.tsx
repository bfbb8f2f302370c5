/**
 * Recorded requests, live: filters, counts, a list that can be paused, and the details of one request. Each screen supplies
 * its kind of request.
 */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { Empty, FailureBox, Loading } from '../parts/states.tsx';
import { Cell, VirtualList } from '../parts/virtual-list.tsx';
import { countText, numberText, timeText } from '../parts/words.ts';
import { place, refine, type Query } from '../state/place.ts';
import { mayEdit } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import type { AnyFeed, TrafficFeed } from './traffic-feed.ts';
import { indexOfKey, rowAt, ROWS_MAX, type LogEntry, type RequestRow, type Totals } from './traffic-log.ts';

/** An opened request: ids restart with each life of the record. */
export interface OpenRequest<Request> {
  readonly id: string;
  readonly life: number;
  /** undefined: only the address names it. */
  readonly summary: Request | undefined;
  readonly onClose: () => void;
}

interface FeedScreenProps<Request extends LogEntry> {
  readonly feed: TrafficFeed<Request, Totals>;
  readonly filters: JSX.Element;
  /** The query that clears all filters. */
  readonly noFilter: Query;
  /** Below the list. */
  readonly figures?: JSX.Element;
  /** The counts, in words. */
  readonly tally: JSX.Element;
  /** Deletes the recorded requests, after a question. */
  readonly reset: Reset | undefined;
  /** Replaces the list while nothing is recorded. */
  readonly empty: JSX.Element;
  readonly cells: (request: Request) => JSX.Element;
  readonly details: (opened: OpenRequest<Request>) => JSX.Element;
}

interface Reset {
  readonly send: () => Promise<unknown>;
  readonly consequences: string;
}

const ROW_PX = 30;

export function FeedScreen<Request extends LogEntry>(props: FeedScreenProps<Request>): JSX.Element {
  const { feed, cells } = props;
  const { query } = place.value;
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  const [isHeld, setHeld] = useState(false);
  const [scrolled, setScrolled] = useState(false);
  const [activeKey, setActiveKey] = useState<string>();
  const [opened, setOpened] = useState<Omit<OpenRequest<Request>, 'onClose'>>();
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
  const turn = (): void => (isPaused ? resume() : setHeld(true));
  useShortcuts([{ keys: 'Space', label: isPaused ? 'Resume' : 'Pause', run: turn }], [isPaused, feed, asked]);

  const { failure, state } = feed.connection.value;
  const log = feed.log.value;
  const key = shown === undefined ? undefined : `${shown.life}-${shown.id}`;
  const open = ({ key: rowKey, life, request }: RequestRow<Request>): void => {
    setActiveKey(rowKey);
    setOpened({ id: request.id, life, summary: request });
    refine({ request: request.id });
  };
  const onClose = (): void => {
    setOpened(undefined);
    refine({ request: undefined });
  };
  const rows = (): JSX.Element => {
    if (log.shown.length === 0) return feed.isFiltered ? <NoMatches {...props} /> : props.empty;
    return (
      <>
        <VirtualList
          label="Requests"
          count={log.shown.length}
          rowHeight={ROW_PX}
          keyOf={(index) => rowAt(log, index)?.key ?? String(index)}
          active={Math.max(0, activeKey === undefined ? 0 : indexOfKey(log, activeKey))}
          onActive={(index) => setActiveKey(rowAt(log, index)?.key)}
          isSelected={(index) => rowAt(log, index)?.key === key}
          onScroll={(top) => setScrolled(top > 0)}
          onOpen={(index) => {
            const row = rowAt(log, index);
            if (row?.kind === 'request') open(row);
          }}
          row={(index) => {
            const row = rowAt(log, index);
            if (row === undefined) return <Cell>…</Cell>;
            return row.kind === 'line' ? <Cell class="wide traffic-line">{row.text}</Cell> : cells(row.request);
          }}
        />
        <OlderRows feed={feed} />
      </>
    );
  };
  return (
    <div class={shown === undefined ? 'column traffic' : 'column traffic open'}>
      {props.filters}
      <div class="row">
        <StateBadge feed={feed} isPaused={isPaused} />
        {props.tally}
        <Button onClick={turn}>
          {isPaused ? 'Resume' : 'Pause'} <kbd>Space</kbd>
        </Button>
        {mayEdit.value && props.reset !== undefined && <ResetButton {...props.reset} />}
      </div>
      {feed.missesSince.value !== undefined && (
        <div class="bar" role="status">
          <span>
            Too many requests to show: since {timeText(feed.missesSince.value)} this page lists only misses. Counts
            remain exact.
          </span>
          <Button onClick={() => feed.showAll()}>Show all</Button>
        </div>
      )}
      {log.waitingCount > 0 && (
        <p class="traffic-new">
          <Button kind="primary" onClick={resume}>
            ↑ {numberText(log.waitingCount)} new
          </Button>
        </p>
      )}
      <FailureBox failure={failure} what="Following traffic" onRetry={() => feed.retry()} />
      <div class={shown === undefined ? 'panes' : 'panes open'}>
        <div class="column traffic-rows" ref={list}>
          {feed.isListed.value ? rows() : state !== 'failed' && failure === undefined && <Loading what="the traffic" />}
        </div>
        {shown !== undefined && <Fragment key={key}>{props.details({ ...shown, onClose })}</Fragment>}
      </div>
      {props.figures}
    </div>
  );
}

function StateBadge({ feed, isPaused }: { readonly feed: AnyFeed; readonly isPaused: boolean }): JSX.Element {
  const { state } = feed.connection.value;
  if (state === 'live') {
    return isPaused ? <span class="badge warn">❚❚ paused</span> : <span class="badge good">▶ live</span>;
  }
  if (state === 'away') return <span class="badge bad">✕ no connection</span>;
  if (state === 'failed') return <span class="badge bad">✕ failed</span>;
  return <span class="badge">… {state === 'hidden' ? 'closed' : 'connecting'}</span>;
}

function ResetButton({ send, consequences }: Reset): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>Reset…</Button>
      {isAsking && (
        <ConfirmDialog
          title="Reset the traffic?"
          submit="Reset"
          what="Resetting"
          send={send}
          onDone={close}
          onClose={close}
        >
          {consequences}
        </ConfirmDialog>
      )}
    </>
  );
}

function OlderRows({ feed }: { readonly feed: AnyFeed }): JSX.Element {
  const { mayBe, isLoading, keptSince } = feed.older.value;
  const count = feed.log.value.shown.length;
  return (
    <p class="row muted">
      <span>{countText(count, 'row')}</span>
      {mayBe && count < ROWS_MAX && (
        <Button kind="quiet" busy={isLoading} onClick={() => void feed.loadOlder()}>
          Load older
        </Button>
      )}
      {count >= ROWS_MAX && <span>Only the newest {numberText(ROWS_MAX)} are listed: filter to find others.</span>}
      {keptSince !== undefined && <span>Requests before {timeText(keptSince)} were dropped; counts are exact.</span>}
    </p>
  );
}

function NoMatches({ feed, noFilter }: { readonly feed: AnyFeed; readonly noFilter: Query }): JSX.Element {
  const waiting = feed.log.value.waitingCount;
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
