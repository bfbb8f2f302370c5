/** Toasts (toasts.ts). Each disappears after a while, but not under the pointer or focus (WCAG 2.2.1). */
import { useEffect, useRef } from 'preact/hooks';
import { dismiss, toasts, type Toast } from '../state/toasts.ts';
import { Button } from './controls.tsx';

const SHOWN_MS = 10_000;

export const ToastList = (): JSX.Element => (
  <div class="toasts" role="status">
    {toasts.value.map((toast) => (
      <ToastBox key={toast.id} {...toast} />
    ))}
  </div>
);

function ToastBox({ id, text, action }: Toast): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setInterval(() => {
      // All together: when one disappears, the others move.
      const isInUse = box.current?.parentElement?.matches(':hover, :focus-within') ?? false;
      if (!isInUse) dismiss(id);
    }, SHOWN_MS);
    return () => clearInterval(timer);
  }, [id]);
  return (
    <div class="one-line toast" ref={box}>
      <span>{text}</span>
      {action !== undefined && (
        <Button
          onClick={() => {
            action.run();
            dismiss(id);
          }}
        >
          {action.label}
        </Button>
      )}
      <Button kind="quiet" label="Dismiss" onClick={() => dismiss(id)}>
        ✕
      </Button>
    </div>
  );
}
