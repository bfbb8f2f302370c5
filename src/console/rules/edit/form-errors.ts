/** What the server said about fields of a form, and the way to them. */
import type { Failure } from '../../state/failure.ts';

/** @returns What it said about a path, such as "/pairs/0/source/value". */
export function errorsOf(failure: Failure | undefined): (path: string) => string | undefined {
  return (path) => failure?.details.find((detail) => detail.path === path)?.message;
}

/** Focuses the first field with an error, once it is drawn. */
export function focusError(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus()),
  );
}
