/** The routes of the working copy: search, groups by path, and a mark for each unsaved change. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { focusSoon } from '../../parts/arrange.tsx';
import { Button, Check, TextField } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Cell, VirtualList } from '../../parts/virtual-list.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { hrefOf, place, refine } from '../../state/place.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { MarkSign, RouteCells } from './route-cells.tsx';
import { filterRows, groupRows, type MarkedRows, type Row } from './route-rows.ts';

const ROW_PX = 34;
const STEPS: Readonly<Record<string, -1 | 1>> = { ArrowUp: -1, ArrowDown: 1 };

interface RouteListProps {
  readonly mockId: string;
  readonly marked: MarkedRows;
  readonly selected: string | undefined;
  readonly canEdit: boolean;
  readonly onOpen: (routeId: string) => void;
  /** One position up or down among the visible rows. */
  readonly onMove: (routeId: string, before: string | undefined) => void;
  readonly onDelete: (routeId: string) => void;
  readonly onSwitch: (routeIds: readonly string[], enabled: boolean) => void;
  readonly isWriting: boolean;
}

export function RouteList(props: RouteListProps): JSX.Element {
  const { mockId, marked, selected, canEdit, onOpen, onMove, onDelete, onSwitch, isWriting } = props;
  const { query } = place.value;
  const filter = query.get('q') ?? '';
  const isGrouped = query.get('group') === 'path';
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [activeId, setActiveId] = useState(selected);
  const found = useMemo(() => filterRows(marked.rows, filter), [marked, filter]);
  const rows = useMemo<readonly Row[]>(
    () => (isGrouped ? groupRows(found, closed) : found),
    [found, isGrouped, closed],
  );
  const foundIds = useMemo(() => found.filter(({ mark }) => mark !== 'removed').map(({ route }) => route.id), [found]);
  const search = useRef<HTMLDivElement>(null);
  useShortcuts([{ keys: '/', label: 'Find a route', run: () => search.current?.querySelector('input')?.focus() }]);

  const lastSelected = useRef(selected);
  if (lastSelected.current !== selected) {
    lastSelected.current = selected;
    if (selected !== undefined) setActiveId(selected);
  }
  const idOf = (row: Row): string => (row.kind === 'group' ? `/${row.name}` : row.route.id);
  const active = useMemo(() => rows.findIndex((row) => idOf(row) === activeId), [rows, activeId]);

  const open = (index: number): void => {
    const row = rows[index] as Row;
    if (row.kind === 'route') return onOpen(row.route.id);
    const names = new Set(closed);
    if (!names.delete(row.name)) names.add(row.name);
    setClosed(names);
  };
  const onKey = (event: KeyboardEvent, index: number): boolean => {
    const row = rows[index];
    if (!canEdit || row?.kind !== 'route' || row.mark === 'removed') return false;
    const { id } = row.route;
    const step = event.altKey ? STEPS[event.key] : undefined;
    if (step !== undefined) {
      setActiveId(id);
      moveBy(rows, index, step, onMove);
    } else if (event.key === 'Delete') {
      const next = rows[index + 1] ?? rows[index - 1];
      setActiveId(next && idOf(next));
      onDelete(id);
    } else return false;
    return true;
  };

  return (
    <section class="column route-list" aria-label="Routes">
      <div class="row route-tools" ref={search}>
        <TextField
          label="Find a route"
          hiddenLabel
          type="search"
          placeholder="Find a route…"
          value={filter}
          onInput={(q) => refine({ q })}
        />
        <Check label="By path" checked={isGrouped} onChange={(on) => refine({ group: on ? 'path' : undefined })} />
        {canEdit && (
          <a class="button" href={hrefOf(['mocks', mockId, 'routes', 'new'])}>
            New route
          </a>
        )}
      </div>
      {canEdit && filter.trim() !== '' && foundIds.length > 0 && (
        <SwitchFound routeIds={foundIds} busy={isWriting} onSwitch={onSwitch} />
      )}
      {rows.length === 0 ? (
        <p class="muted">
          No routes match this search. <Button onClick={() => refine({ q: '' })}>Show all</Button>
        </p>
      ) : (
        <VirtualList
          label="Routes"
          count={rows.length}
          rowHeight={ROW_PX}
          row={(index) => <RowCells row={rows[index] as Row} />}
          keyOf={(index) => idOf(rows[index] as Row)}
          isSelected={(index) => idOf(rows[index] as Row) === selected}
          onOpen={open}
          active={Math.max(0, active)}
          onActive={(index) => setActiveId(idOf(rows[index] as Row))}
          onKey={onKey}
        />
      )}
      <Foot marked={marked} shown={found.length} />
    </section>
  );
}

/** Moves a route past the next visible one in that direction. Removed routes have no position. */
export function moveBy(
  rows: readonly Row[],
  index: number,
  step: -1 | 1,
  onMove: (routeId: string, before: string | undefined) => void,
): void {
  const row = rows[index];
  const isPlaced = (each: Row | undefined): boolean => each?.kind === 'route' && each.mark !== 'removed';
  let other = index + step;
  while (rows[other] !== undefined && !isPlaced(rows[other])) other += step;
  if (row?.kind !== 'route' || rows[other] === undefined) return;
  let before = step === -1 ? other : other + 1;
  while (rows[before] !== undefined && !isPlaced(rows[before])) before++;
  const target = rows[before];
  onMove(row.route.id, target?.kind === 'route' ? target.route.id : undefined);
}

function RowCells({ row }: { readonly row: Row }): JSX.Element {
  if (row.kind === 'group') {
    return (
      <Cell class="wide">
        <strong>
          {row.isOpen ? '▾' : '▸'} <SafeLine text={row.name} />
        </strong>{' '}
        <span class="muted">{countText(row.count, 'route')}</span>
      </Cell>
    );
  }
  const { route, mark } = row;
  return (
    <>
      <Cell class="route-mark">{mark !== undefined && <MarkSign mark={mark} />}</Cell>
      <RouteCells route={route} isGone={mark === 'removed'} />
    </>
  );
}

function Foot({ marked, shown }: { readonly marked: MarkedRows; readonly shown: number }): JSX.Element {
  const { rows, added, changed, removed, isReordered } = marked;
  const all = rows.length - removed;
  const parts = [
    added > 0 && `+ ${added} added`,
    changed > 0 && `~ ${changed} changed`,
    removed > 0 && `− ${removed} removed`,
    isReordered && 'order changed',
  ].filter(Boolean);
  return (
    <p class="hint route-foot">
      {shown < rows.length && `${numberText(shown)} of `}
      {countText(all, 'route')}
      {parts.length > 0 && ` · unsaved: ${parts.join(', ')}`}
    </p>
  );
}

interface SwitchFoundProps {
  readonly routeIds: readonly string[];
  readonly busy: boolean;
  readonly onSwitch: (routeIds: readonly string[], enabled: boolean) => void;
}

function SwitchFound({ routeIds, busy, onSwitch }: SwitchFoundProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  // A filter for "off" finds nothing once all are on, and the focused button goes with them. The cleanup of a layout
  // effect still sees it; other cleanups run too late.
  useLayoutEffect(
    () => () => {
      const hasFocus = root.current?.contains(document.activeElement) === true;
      if (hasFocus) focusSoon(() => document.querySelector('.route-tools'));
    },
    [],
  );
  const count = countText(routeIds.length, 'route');
  return (
    <div class="row" role="group" aria-label="Routes found" ref={root}>
      <Button busy={busy} onClick={() => onSwitch(routeIds, false)}>
        Switch off {count}
      </Button>
      <Button busy={busy} onClick={() => onSwitch(routeIds, true)}>
        Switch on {count}
      </Button>
    </div>
  );
}
