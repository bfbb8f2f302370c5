/** Adding, removing and moving rows: buttons, and where the focus goes. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { Button, useReadOnly } from './controls.tsx';

interface MoveButtonsProps {
  /** "pair 2" */
  readonly what: string;
  readonly index: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
}

export const MoveButtons = ({ what, index, count, onMove }: MoveButtonsProps): JSX.Element => (
  <>
    <Button kind="quiet" label={`Move ${what} up`} disabled={index === 0} onClick={() => onMove(index - 1)}>
      ↑
    </Button>
    <Button kind="quiet" label={`Move ${what} down`} disabled={index === count - 1} onClick={() => onMove(index + 1)}>
      ↓
    </Button>
  </>
);

interface RemoveButtonProps {
  readonly what: string;
  readonly onClick: (event: MouseEvent) => void;
}

/** Renders nothing where its row is read-only. */
export const RemoveButton = ({ what, onClick }: RemoveButtonProps): JSX.Element | null =>
  useReadOnly() ? null : (
    <Button kind="quiet" label={`Remove ${what}`} onClick={onClick}>
      ✕
    </Button>
  );

interface AddButtonProps {
  /** "Add a header" */
  readonly label: string;
  readonly onClick: () => void;
}

/** Takes the focus when the last row is removed. Renders nothing where the rows are read-only. */
export const AddButton = ({ label, onClick }: AddButtonProps): JSX.Element | null =>
  useReadOnly() ? null : (
    <span class="add-row" tabIndex={-1}>
      <Button kind="quiet" label={label} onClick={onClick}>
        Add
      </Button>
    </span>
  );

export function focusSoon(find: () => Element | null | undefined): void {
  requestAnimationFrame(() => {
    const element = find();
    const control = element?.querySelector('input, select, textarea, button') ?? element;
    if (control instanceof HTMLElement) control.focus();
  });
}

/** Above this count, large rows are collapsed but one. */
export const ROWS_OPEN_MAX = 12;

/** @returns The same values when the move is impossible. */
export function moved<Value>(values: readonly Value[], index: number, to: number): readonly Value[] {
  const value = values[index];
  if (value === undefined || to < 0 || to >= values.length) return values;
  return values.toSpliced(index, 1).toSpliced(to, 0, value);
}

interface Rows<Row> {
  /** Contains the rows, each a `[data-unit]`, and the button that adds one. */
  readonly root: RefObject<HTMLElement | null>;
  readonly add: (row: Row) => void;
  readonly set: (index: number, row: Row) => void;
  readonly remove: (index: number) => void;
  readonly move: (index: number, to: number) => void;
  readonly focus: (index: number) => void;
}

/** Rows that are added at the end, changed, moved and removed. @param onArranged Called after the last two, to save. */
export function useRows<Row>(
  rows: readonly Row[],
  onChange: (rows: readonly Row[]) => void,
  onArranged: () => void,
): Rows<Row> {
  const root = useRef<HTMLElement>(null);
  const focus = (index: number): void => focusSoon(() => root.current?.querySelectorAll(':scope > [data-unit]')[index]);
  const add = (row: Row): void => {
    onChange([...rows, row]);
    focus(rows.length);
  };
  const remove = (index: number): void => {
    onChange(rows.toSpliced(index, 1));
    onArranged();
    focusSoon(() => root.current?.querySelector('.add-row'));
  };
  const move = (index: number, to: number): void => {
    const next = moved(rows, index, to);
    if (next === rows) return;
    onChange(next);
    onArranged();
    focus(to);
  };
  return { root, add, move, focus, set: (index, row) => onChange(rows.with(index, row)), remove };
}
