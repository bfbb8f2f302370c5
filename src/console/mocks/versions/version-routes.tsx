/** The routes of a saved version, which never change. */
import type { JSX } from 'preact';
import type { RouteSummary } from '../../../client/shapes.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Shown } from '../../parts/states.tsx';
import { Cell, VirtualList } from '../../parts/virtual-list.tsx';
import { useResource } from '../../state/resource.ts';
import { routesOf } from '../review/load-diff.ts';

const ROW_PX = 32;
const STATUSES_SHOWN = 4;

export function VersionRoutes({ mockId, number }: { readonly mockId: string; readonly number: number }): JSX.Element {
  const routes = useResource<readonly RouteSummary[]>(() => routesOf(mockId, number), [mockId, number]);
  return (
    <Shown of={routes} what="the routes of the version">
      {(all) =>
        all.length === 0 ? (
          <p class="muted">It has no routes: every request was answered 404.</p>
        ) : (
          <VirtualList
            label={`Routes of version ${number}`}
            count={all.length}
            rowHeight={ROW_PX}
            row={(index) => <RouteCells route={all[index] as RouteSummary} />}
          />
        )
      }
    </Shown>
  );
}

function RouteCells({ route }: { readonly route: RouteSummary }): JSX.Element {
  const { method, path, enabled, responses, moreResponses = 0 } = route;
  const count = responses.length + moreResponses;
  const statuses = [...new Set(responses.map(({ status }) => status))];
  return (
    <>
      <Cell class="route-method">{method}</Cell>
      <Cell class="wide route-path">
        <SafeLine text={path} />
      </Cell>
      <Cell class="route-answers">
        {!enabled && <span class="badge">off</span>} {statuses.slice(0, STATUSES_SHOWN).join(' ')}
        {count > 1 && <span class="muted"> · {count}</span>}
      </Cell>
    </>
  );
}
