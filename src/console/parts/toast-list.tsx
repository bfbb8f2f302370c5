/** The messages of toasts.ts. */
import type { JSX } from 'preact';
import { dismiss, toasts } from '../state/toasts.ts';
import { Button } from './controls.tsx';

export const ToastList = (): JSX.Element => (
  <div class="toasts" role="status">
    {toasts.value.map(({ id, text, action }) => (
      <div key={id} class="toast">
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
    ))}
  </div>
);
