/** A row of a mock's requests, and the screen without any. */
import { useMemo } from 'preact/hooks';
import type { MockRecord, RequestSummary, RouteSummary } from '../../client/shapes.ts';
import { Command } from '../parts/copy-button.tsx';
import { StatusBadge } from '../parts/safe-text.tsx';
import { Empty } from '../parts/states.tsx';
import { targetOf } from '../parts/words.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { FeedRow } from './feed-row.tsx';

interface CellsProps {
  readonly request: RequestSummary;
  readonly names: RouteNames;
}

export function RequestCells({ request, names }: CellsProps): JSX.Element {
  const { method, status, routeId, durationMs, session, fault, proxied, stream, message } = request;
  return (
    <FeedRow
      time={request.time}
      method={message === undefined ? method : 'WS'}
      status={message?.direction ?? <StatusBadge status={status} />}
      target={<bdi>{visibleLine(targetOf(request), 300)}</bdi>}
      isNotable={routeId === null}
      session={session && `session ${session}`}
      ms={durationMs}
    >
      {routeId === null ? (
        <span class="badge bad">no route</span>
      ) : (
        <bdi class="muted">→ {visibleLine(routeText(request, names))}</bdi>
      )}
      {fault !== undefined && <span class="badge bad">fault: {fault}</span>}
      {stream !== undefined && <span class="badge">{status === 101 ? 'WebSocket' : 'stream'}</span>}
      {message !== undefined && <span class="badge">{message.type}</span>}
      {proxied && <span class="badge">upstream</span>}
    </FeedRow>
  );
}

export type RouteNames = ReadonlyMap<string, RouteSummary>;

const NONE: RouteNames = new Map();

/** Empty until loaded, and on failure: rows then show less. */
export function useRouteNames({ id, version }: MockRecord): RouteNames {
  const routes = useResource(() => api().mocks.versionRoutes(id, version), [id, version]);
  const { value } = routes.state.value;
  return useMemo(() => (value === undefined ? NONE : new Map(value.map((route) => [route.id, route]))), [value]);
}

/** "GET /payments/:id #2"; with the number of the response where there are several. */
export function routeText({ routeId, responseId, version, session }: RequestSummary, names: RouteNames): string {
  const route = names.get(routeId ?? '');
  if (route === undefined) return `a route of v${version}${session === undefined ? '' : ' or its session'}`;
  const place = route.responses.findIndex(({ id }) => id === responseId);
  return `${route.method} ${route.path}${route.responses.length > 1 && place >= 0 ? ` #${place + 1}` : ''}`;
}

export const NoTraffic = ({ record }: { readonly record: MockRecord }): JSX.Element => (
  <Empty title="No requests yet" waiting="Waiting…">
    <p>
      Requests to this mock appear here live, each with the reason for its answer. Send the first, or configure your app
      with the address above:
    </p>
    <Command text={`curl -i ${api().mocks.urlFor(record, '/')}`} label="" />
    {record.state === 'stopped' && <p class="warning">The mock is stopped: it answers 503.</p>}
  </Empty>
);
