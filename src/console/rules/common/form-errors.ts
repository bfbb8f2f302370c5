/** What the server said about fields of a form, and the way to them. */
import type { Failure } from '../../state/failure.ts';
import { visibleText } from '../../state/visible-text.ts';

/** @returns What it said about a path, such as "/pairs/0/source/value". */
export function errorsOf(failure: Failure | undefined): (path: string) => string | undefined {
  return (path) => {
    const message = failure?.details.find((detail) => detail.path === path)?.message;
    return message === undefined ? undefined : visibleText(message);
  };
}

/** @returns Whether it said something about a member, or about what is in it. */
export function errorsIn(failure: Failure | undefined): (path: string) => boolean {
  return (path) => failure?.details.some((detail) => `${detail.path}/`.startsWith(`${path}/`)) ?? false;
}

/** Focuses the first field with an error, once it is drawn. */
export function focusError(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus()),
  );
}
