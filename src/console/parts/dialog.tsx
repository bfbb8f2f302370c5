/** A modal dialog. The browser traps the focus, closes it with Escape, and restores the focus. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useShortcuts } from '../state/shortcuts.ts';
import { useWrite, type Write } from '../state/write.ts';
import { Button, Form } from './controls.tsx';
import { FailureBox } from './states.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
}

export function Dialog({ title, onClose, children, wide }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isLeaving = useRef(false);
  useLayoutEffect(() => {
    element.current?.showModal();
    // The browser would focus the first control, which closes the dialog.
    element.current?.querySelector<HTMLElement>('[data-takes-focus]')?.focus();
    return () => {
      // Its event comes late, and would close a dialog opened in the meantime.
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
  /** The label of the button. */
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly write: Write;
  /** The action, for a failure: "Deleting the mock". Without it, the content reports failures. */
  readonly what?: string;
  /** Marks an irreversible action. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
}

/** A dialog that submits one request. */
export function FormDialog(props: FormDialogProps): JSX.Element {
  const { submit, onSubmit, write, what, danger = false, disabled = false, children } = props;
  const failure = write.failure.value;
  return (
    <Dialog {...props}>
      <Form onSubmit={onSubmit}>
        {children}
        {what !== undefined && <FailureBox failure={failure} what={what} />}
        <div class="row">
          <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={write.isRunning.value} disabled={disabled}>
            {submit}
          </Button>
          <Button onClick={props.onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface ConfirmDialogProps<Answer> extends Omit<FormDialogProps, 'onSubmit' | 'write' | 'danger'> {
  readonly send: () => Promise<Answer>;
  readonly onDone: (answer: Answer) => void;
}

/** Asks before an irreversible action. @param children The consequences. */
export function ConfirmDialog<Answer>({ send, onDone, children, ...dialog }: ConfirmDialogProps<Answer>): JSX.Element {
  const write = useWrite();
  const submit = async (): Promise<void> => {
    const done = await write.run(async () => ({ answer: await send() }));
    if (done !== undefined) onDone(done.answer);
  };
  return (
    <FormDialog {...dialog} danger write={write} onSubmit={() => void submit()}>
      <p>{children}</p>
    </FormDialog>
  );
}

interface DrawerProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Details beside a list; below 1,024 px in place of it. Escape closes them. */
export function Drawer({ title, onClose, children }: DrawerProps): JSX.Element {
  const heading = useId();
  const opener = useRef(document.activeElement);
  useShortcuts([{ keys: 'Escape', label: 'Close details', run: onClose }]);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // A narrow screen hides the list, and with it the focus.
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
      <div class="stack">{children}</div>
    </aside>
  );
}
