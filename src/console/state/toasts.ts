/** Toasts: short confirmations, with an undo. */
import { signal } from '@preact/signals';

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action?: { readonly label: string; run(): void };
}

let last = 0;

export const toasts = signal<readonly Toast[]>([]);

/**
 * Replaces messages without an action: they may be outdated, and would pile up.
 *
 * @param action Such as "Undo", offered while the message is visible: toast-list.tsx.
 */
export function notify(text: string, action?: Toast['action']): void {
  const id = ++last;
  toasts.value = [
    ...toasts.value.filter((toast) => toast.action !== undefined),
    { id, text, ...(action === undefined ? {} : { action }) },
  ];
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
