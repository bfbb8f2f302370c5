/** The rows, the newest at the top, and what was before them. */
import { useMemo } from 'preact/hooks';
import type { MockRecord, RequestSummary, RouteSummary } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { Command } from '../parts/copy-button.tsx';
import { Empty } from '../parts/states.tsx';
import { Cell, VirtualList } from '../parts/virtual-list.tsx';
import { countText, exactTimeText, numberText, statusClass, targetOf, timeText } from '../parts/words.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { durationText } from './durations.ts';
import type { TrafficFeed } from './traffic-feed.ts';
import { indexOfKey, rowAt, ROWS_MAX, type RequestRow } from './traffic-log.ts';

const ROW_PX = 30;

interface ListProps {
  readonly feed: TrafficFeed;
  readonly names: RouteNames;
  readonly activeKey: string | undefined;
  readonly openedKey: string | undefined;
  readonly onActive: (key: string | undefined) => void;
  readonly onScrolled: (isAway: boolean) => void;
  readonly onOpen: (row: RequestRow) => void;
}

export function TrafficList(props: ListProps): JSX.Element {
  const { feed, names, activeKey, openedKey, onActive, onScrolled, onOpen } = props;
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
          return row.kind === 'line' ? (
            <Cell class="wide traffic-line">{row.text}</Cell>
          ) : (
            <Cells row={row} names={names} />
          );
        }}
      />
      <OlderRows feed={feed} />
    </>
  );
}

function Cells({ row, names }: { readonly row: RequestRow; readonly names: RouteNames }): JSX.Element {
  const { request } = row;
  const { time, method, status, routeId, durationMs, session, fault, proxied } = request;
  return (
    <>
      <Cell class="traffic-time muted">{exactTimeText(time)}</Cell>
      <Cell class="traffic-method monospace">{visibleLine(method, 12)}</Cell>
      <Cell class="traffic-status">
        <span class={statusClass(status)}>{status}</span>
      </Cell>
      <Cell class="wide monospace">
        <bdi>{visibleLine(targetOf(request), 300)}</bdi>
      </Cell>
      <Cell class={routeId === null ? 'traffic-route missed' : 'traffic-route'}>
        {routeId === null ? (
          <span class="badge bad">no route</span>
        ) : (
          <bdi class="muted">→ {visibleLine(routeText(request, names))}</bdi>
        )}
        {fault !== undefined && <span class="badge bad">fault: {fault}</span>}
        {proxied && <span class="badge">upstream</span>}
        {session !== undefined && <bdi class="traffic-session muted">session {visibleLine(session, 40)}</bdi>}
      </Cell>
      <Cell class="traffic-duration muted">{durationText(durationMs)}</Cell>
    </>
  );
}

function OlderRows({ feed }: { readonly feed: TrafficFeed }): JSX.Element {
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
      {count >= ROWS_MAX && <span>The newest {numberText(ROWS_MAX)} are kept here: filter for others.</span>}
      {keptSince !== undefined && (
        <span>Requests before {timeText(keptSince)} are no longer recorded; counts are exact.</span>
      )}
    </p>
  );
}

export type RouteNames = ReadonlyMap<string, RouteSummary>;

const NONE: RouteNames = new Map();

/** Empty until they are loaded, and when they cannot be: rows say less then. */
export function useRouteNames({ id, version }: MockRecord): RouteNames {
  const routes = useResource(() => api().mocks.versionRoutes(id, version), [id, version]);
  const { value } = routes.state.value;
  return useMemo(() => (value === undefined ? NONE : new Map(value.map((route) => [route.id, route]))), [value]);
}

/** "GET /payments/:id #2"; the number of the response where there are several. */
export function routeText({ routeId, responseId, version, session }: RequestSummary, names: RouteNames): string {
  const route = names.get(routeId ?? '');
  if (route === undefined) return `a route of v${version}${session === undefined ? '' : ', or of its session'}`;
  const place = route.responses.findIndex(({ id }) => id === responseId);
  return `${route.method} ${route.path}${route.responses.length > 1 && place >= 0 ? ` #${place + 1}` : ''}`;
}

/** Where requests come from, while there are none. */
export const NoTraffic = ({ record }: { readonly record: MockRecord }): JSX.Element => (
  <Empty title="No requests yet">
    <p>
      Each request to this mock is listed here as it comes, with the reason for its answer. Send the first, or point
      what you test at the address above:
    </p>
    <Command text={`curl -i ${api().mocks.urlFor(record, '/')}`} label="" />
    {record.state === 'stopped' && <p class="warning">The mock is stopped: it answers 503 until it is started.</p>}
    <p class="muted" role="status">
      Waiting…
    </p>
  </Empty>
);
