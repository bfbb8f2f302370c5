/** A modal dialog. The browser keeps the focus in it, closes it with Escape and gives the focus back. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** For much content. */
  readonly wide?: boolean;
}

/** Open while it is rendered. */
export function Dialog({ title, onClose, children, wide }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isLeaving = useRef(false);
  useLayoutEffect(() => {
    element.current?.showModal();
    // The browser takes the first control, which closes it.
    element.current?.querySelector<HTMLElement>('[data-takes-focus]')?.focus();
    return () => {
      // Its event would come when another dialog may be open, and close that one.
      isLeaving.current = true;
      element.current?.close();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={wide === true ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onClose={() => {
        if (!isLeaving.current) onClose();
      }}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <Button kind="quiet" label="Close" onClick={onClose}>
          ✕
        </Button>
      </header>
      {children}
    </dialog>
  );
}
