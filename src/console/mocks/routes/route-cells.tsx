/** A route in a row of a list, and its mark against the saved version. */
import { SafeLine } from '../../parts/safe-text.tsx';
import { Cell } from '../../parts/virtual-list.tsx';
import type { ListedRoute, Mark } from './route-rows.ts';

const SIGNS: Readonly<Record<Mark, string>> = { added: '+', changed: '~', removed: '−' };

export const MarkSign = ({ mark }: { readonly mark: Mark }): JSX.Element => (
  <span class={`mark-${mark}`} title={mark}>
    <span aria-hidden="true">{SIGNS[mark]}</span>
    <span class="visually-hidden">{mark}</span>
  </span>
);

interface RouteCellsProps {
  readonly route: ListedRoute;
  readonly isGone?: boolean;
}

const STATUSES_SHOWN = 3;

/** "GET /payments/:id 200 404 · 3" */
export function RouteCells({ route, isGone = false }: RouteCellsProps): JSX.Element {
  const { method, path, enabled } = route;
  const { count, statuses } = answersOf(route);
  return (
    <>
      <Cell class="route-method">{method}</Cell>
      <Cell class={isGone ? 'wide route-path gone' : 'wide route-path'}>
        <SafeLine text={path} />
      </Cell>
      <Cell>
        {!enabled && <span class="badge">off</span>} {statuses.slice(0, STATUSES_SHOWN).join(' ')}
        {count > 1 && <span class="muted"> · {count}</span>}
      </Cell>
    </>
  );
}

/** The number of responses, and their distinct statuses. */
export const answersOf = ({
  responses,
  moreResponses = 0,
}: Pick<ListedRoute, 'responses' | 'moreResponses'>): { readonly count: number; readonly statuses: number[] } => ({
  count: responses.length + moreResponses,
  statuses: [...new Set(responses.map(({ status }) => status))],
});
