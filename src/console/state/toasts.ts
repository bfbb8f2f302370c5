/** Short messages at the edge of the page: what was done, with the way back. */
import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; run(): void };
}

let last = 0;

export const toasts = signal<readonly Toast[]>([]);

/**
 * Takes the place of messages that offer no action: what they say may be past, and a pile would cover the page.
 *
 * @param action Such as "Undo". It is offered while the message stands: toast-list.tsx.
 */
export function tell(text: string, action?: Toast['action']): void {
  const id = ++last;
  toasts.value = [
    ...toasts.value.filter((toast) => toast.action !== undefined),
    { id, text, ...(action === undefined ? {} : { action }) },
  ];
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
