/** Details beside a list; below 1,024 px they stand above it. Escape closes them. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useShortcuts } from '../state/shortcuts.ts';
import { Button } from './controls.tsx';

interface DrawerProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Drawer({ title, onClose, children }: DrawerProps): JSX.Element {
  const heading = useId();
  const opener = useRef(document.activeElement);
  useShortcuts([{ keys: 'Escape', label: 'Close details', run: onClose }]);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // On a narrow screen the list has gone, and the focus with it.
    const at = opener.current;
    const isGone = at instanceof HTMLElement && at !== document.body && at.getClientRects().length === 0;
    if (isGone) head.current?.focus();
  }, []);
  useEffect(
    () => () => {
      if (opener.current instanceof HTMLElement) opener.current.focus();
    },
    [],
  );
  return (
    <aside class="drawer" aria-labelledby={heading}>
      <header>
        <h2 id={heading} ref={head} tabIndex={-1}>
          {title}
        </h2>
        <Button kind="quiet" label="Close details" onClick={onClose}>
          ✕
        </Button>
      </header>
      <div class="drawer-content">{children}</div>
    </aside>
  );
}
