/** The rows of a traffic list, newest first, and loading older ones. */
import { Button } from '../parts/controls.tsx';
import { Cell, VirtualList } from '../parts/virtual-list.tsx';
import { countText, numberText, timeText } from '../parts/words.ts';
import type { AnyFeed, TrafficFeed } from './traffic-feed.ts';
import { indexOfKey, rowAt, ROWS_MAX, type Recorded, type RequestRow, type Totals } from './traffic-log.ts';

const ROW_PX = 30;

interface ListProps<Request extends Recorded> {
  readonly feed: TrafficFeed<Request, Totals>;
  readonly cells: (row: RequestRow<Request>) => JSX.Element;
  readonly activeKey: string | undefined;
  readonly openedKey: string | undefined;
  readonly onActive: (key: string | undefined) => void;
  readonly onScrolled: (isAway: boolean) => void;
  readonly onOpen: (row: RequestRow<Request>) => void;
}

export function FeedList<Request extends Recorded>(props: ListProps<Request>): JSX.Element {
  const { feed, cells, activeKey, openedKey, onActive, onScrolled, onOpen } = props;
  const log = feed.log.value;
  return (
    <>
      <VirtualList
        label="Requests"
        count={log.shown.length}
        rowHeight={ROW_PX}
        keyOf={(index) => rowAt(log, index)?.key ?? String(index)}
        active={Math.max(0, activeKey === undefined ? 0 : indexOfKey(log, activeKey))}
        onActive={(index) => onActive(rowAt(log, index)?.key)}
        isSelected={(index) => rowAt(log, index)?.key === openedKey}
        onScroll={(top) => onScrolled(top > 0)}
        onOpen={(index) => {
          const row = rowAt(log, index);
          if (row?.kind === 'request') onOpen(row);
        }}
        row={(index) => {
          const row = rowAt(log, index);
          if (row === undefined) return <Cell>…</Cell>;
          return row.kind === 'line' ? <Cell class="wide traffic-line">{row.text}</Cell> : cells(row);
        }}
      />
      <OlderRows feed={feed} />
    </>
  );
}

function OlderRows({ feed }: { readonly feed: AnyFeed }): JSX.Element {
  const { mayBe, isLoading, keptSince } = feed.older.value;
  const count = feed.log.value.shown.length;
  return (
    <p class="row traffic-older muted">
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
