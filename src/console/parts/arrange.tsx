/** Rows that come, go and move: buttons for it, and where the focus goes. */
import type { JSX } from 'preact';
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
