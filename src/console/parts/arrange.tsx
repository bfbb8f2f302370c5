/** Rows that come, go and move: buttons for it, and where the focus goes. */
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { Button } from './controls.tsx';

interface MoveButtonsProps {
  /** "pair 2": what moves. */
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

export const RemoveButton = ({ what, onClick }: RemoveButtonProps): JSX.Element => (
  <Button kind="quiet" label={`Remove ${what}`} onClick={onClick}>
    ✕
  </Button>
);

export function focusSoon(find: () => Element | null | undefined): void {
  requestAnimationFrame(() => {
    const element = find();
    const control = element?.querySelector('input, select, textarea, button') ?? element;
    if (control instanceof HTMLElement) control.focus();
  });
}

interface Rows<Row> {
  /** The element that has the rows, each a `[data-unit]`, and the button that adds one. */
  readonly root: RefObject<HTMLElement | null>;
  readonly add: (row: Row) => void;
  readonly set: (index: number, row: Row) => void;
  readonly remove: (index: number) => void;
}

/** Rows that are added at the end, changed and removed. @param onRemoved What else is done then, as a save. */
export function useRows<Row>(
  rows: readonly Row[],
  onChange: (rows: readonly Row[]) => void,
  onRemoved: () => void,
): Rows<Row> {
  const root = useRef<HTMLElement>(null);
  const add = (row: Row): void => {
    onChange([...rows, row]);
    focusSoon(() => root.current?.querySelector(':scope > [data-unit]:last-of-type'));
  };
  const remove = (index: number): void => {
    onChange(rows.toSpliced(index, 1));
    onRemoved();
    focusSoon(() => root.current?.querySelector('.add-row'));
  };
  return { root, add, set: (index, row) => onChange(rows.with(index, row)), remove };
}
