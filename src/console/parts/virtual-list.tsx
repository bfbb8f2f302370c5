/**
 * A virtual list: a grid with one column, of which only the visible rows are in the document.
 *
 * Arrow keys, j and k, Page Up and Down, Home and End move the active row; Enter opens it.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PagedList } from '../state/paged-list.ts';
import { letterShortcuts } from '../state/shortcuts.ts';

interface VirtualListProps {
  /** For screen readers. */
  readonly label: string;
  readonly count: number;
  /** In px, for all rows. */
  readonly rowHeight: number;
  /** The cells of a visible row. */
  readonly row: (index: number) => ComponentChildren;
  readonly keyOf?: (index: number) => string;
  readonly isSelected?: (index: number) => boolean;
  readonly onOpen?: (index: number) => void;
  /** Reports the visible rows, for lists that load in pages. */
  readonly onRange?: (first: number, end: number) => void;
  readonly onScroll?: (top: number) => void;
  /** The active row, scrolled into view when it changes. Uncontrolled by default. */
  readonly active?: number;
  readonly onActive?: (index: number) => void;
  /** Handles further keys, such as a command on the active row. @returns Whether it handled the key. */
  readonly onKey?: (event: KeyboardEvent, index: number) => boolean;
}

/** Rows rendered beyond the edges, for smooth scrolling. */
const AHEAD = 8;

export function VirtualList(props: VirtualListProps): JSX.Element {
  const {
    label,
    count,
    rowHeight,
    row,
    keyOf = String,
    isSelected,
    onOpen,
    onRange,
    onScroll,
    onActive,
    onKey,
  } = props;
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(0);
  const [own, setOwn] = useState(0);
  const active = props.active ?? own;
  const setActive = (index: number): void => {
    setOwn(index);
    onActive?.(index);
  };

  useLayoutEffect(() => {
    const element = box.current as HTMLDivElement;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    setHeight(element.clientHeight);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(top / rowHeight) - AHEAD);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + AHEAD);
  useEffect(() => onRange?.(first, end), [first, end, count]);

  const current = Math.min(active, count - 1);
  const reveal = (index: number): void => {
    const element = box.current as HTMLDivElement;
    if (index * rowHeight < element.scrollTop) element.scrollTop = index * rowHeight;
    const overflow = (index + 1) * rowHeight - element.clientHeight;
    if (overflow > element.scrollTop) element.scrollTop = overflow;
  };
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(count - 1, index));
    setActive(next);
    reveal(next);
  };
  const isLaidOut = height > 0;
  useLayoutEffect(() => {
    if (isLaidOut && props.active !== undefined && props.active >= 0) reveal(props.active);
  }, [props.active, isLaidOut]);
  const perPage = Math.max(1, Math.floor(height / rowHeight) - 1);
  const moves: Record<string, number> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + perPage,
    PageUp: current - perPage,
    Home: 0,
    End: count - 1,
    ...(letterShortcuts.value ? { j: current + 1, k: current - 1 } : {}),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Controls within a row keep their keys.
    if (event.target !== event.currentTarget) return;
    if (current >= 0 && onKey?.(event, current) === true) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moves[event.key];
    if (next === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== undefined) moveTo(next);
    else if (current >= 0) onOpen?.(current);
  };

  const indexes = Array.from({ length: Math.max(0, end - first) }, (_, place) => first + place);
  return (
    <div
      ref={box}
      class="virtual-list"
      role="grid"
      aria-label={label}
      aria-rowcount={count}
      aria-activedescendant={current >= first && current < end ? `${id}-${current}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) => {
        setTop(event.currentTarget.scrollTop);
        onScroll?.(event.currentTarget.scrollTop);
      }}
    >
      <div class="virtual-rows" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {indexes.map((index) => (
          <div
            key={keyOf(index)}
            id={`${id}-${index}`}
            class={index === current ? 'virtual-row active' : 'virtual-row'}
            role="row"
            aria-rowindex={index + 1}
            aria-selected={isSelected?.(index)}
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
            onClick={(event) => {
              setActive(index);
              if (!isControl(event)) onOpen?.(index);
            }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Whether the click hits a control within the row. */
function isControl({ target, currentTarget }: Event): boolean {
  const control = target instanceof Element ? target.closest('a, button, input, label, select') : null;
  return control !== null && currentTarget instanceof Element && currentTarget.contains(control);
}

interface RowListProps<Row> extends Pick<VirtualListProps, 'label' | 'rowHeight' | 'onActive'> {
  /** All rows, or those of a list that loads page by page. */
  readonly rows: readonly Row[] | PagedList<Row>;
  readonly idOf: (row: Row) => string | number;
  readonly cells: (row: Row, index: number) => ComponentChildren;
  readonly selected?: string | number | undefined;
  readonly onOpen?: (row: Row) => void;
  /** Called like `onKey` of the virtual list. */
  readonly onKey?: (event: KeyboardEvent, row: Row) => boolean;
}

/** A virtual list of records. */
export function RowList<Row>(props: RowListProps<Row>): JSX.Element {
  const { rows, idOf, cells, selected, onOpen, onKey, ...list } = props;
  const paged = 'at' in rows && 'show' in rows ? rows : undefined;
  const count = paged === undefined ? (rows as readonly Row[]).length : (paged.state.value.value?.total ?? 0);
  const at = (index: number): Row | undefined => rows.at(index);
  const withRow = <Answer,>(index: number, then: ((row: Row) => Answer) | undefined): Answer | undefined => {
    const row = at(index);
    return row === undefined ? undefined : then?.(row);
  };
  return (
    <VirtualList
      {...list}
      count={count}
      keyOf={(index) => String(withRow(index, idOf) ?? index)}
      isSelected={(index) => selected !== undefined && withRow(index, idOf) === selected}
      row={(index) => withRow(index, (row) => cells(row, index)) ?? <Cell class="muted">…</Cell>}
      onOpen={(index) => withRow(index, onOpen)}
      onRange={(first, end) => paged?.show(first, end)}
      onKey={(event, index) => withRow(index, (row) => onKey?.(event, row)) ?? false}
    />
  );
}

export const Cell = (props: { readonly class?: string; readonly children?: ComponentChildren }): JSX.Element => (
  <div role="gridcell" class={`cell ${props.class ?? ''}`}>
    {props.children}
  </div>
);
