/** A modal dialog. The browser keeps the focus in it, closes it with Escape and gives the focus back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useShortcuts } from '../state/shortcuts.ts';
import type { Write } from '../state/write.ts';
import { Button } from './controls.tsx';
import { FailureBox } from './states.tsx';

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

interface FormDialogProps extends DialogProps {
  /** What the button does, in its words. */
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly write: Write;
  /** What is tried, for a failure: "Deleting the mock". Without it, the content says what failed. */
  readonly what?: string;
  /** What cannot be undone. */
  readonly danger?: boolean;
  readonly cancel?: string;
  readonly disabled?: boolean;
}

/** A dialog with one request at its end: a form, or a question. */
export function FormDialog(props: FormDialogProps): JSX.Element {
  const { submit, onSubmit, write, what, danger = false, cancel = 'Cancel', disabled = false, children } = props;
  const failure = write.failure.value;
  return (
    <Dialog {...props}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {what !== undefined && <FailureBox failure={failure} what={what} />}
        <div class="row">
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={write.isRunning.value} disabled={disabled}>
            {submit}
          </Button>
          <Button onClick={props.onClose}>{cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface DrawerProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Details beside a list; below 1,024 px they stand above it. Escape closes them. */
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
