/** What the server said about fields of a form, in words of a form, and the way to them. */
import type { Detail } from '../../../errors.ts';
import type { Failure } from '../../state/failure.ts';
import { visibleText } from '../../state/visible-text.ts';

/** @returns What it said about a path, such as "/pairs/0/source/value". */
export function errorsOf(failure: Failure | undefined): (path: string) => string | undefined {
  return (path) => {
    const detail = failure?.details.find((each) => each.path === path);
    return detail && fieldError(detail);
  };
}

/**
 * What stands at a field: "Expected a number of milliseconds." of "expected a number of milliseconds; got \"x\"".
 *
 * What was got stands in the field.
 */
export function fieldError({ path, message }: Detail): string {
  if (path === '/name' && message.endsWith('got ""')) return 'Give the rule a name.';
  const text = visibleText(message.replace(/; got [^;]*$/, ''));
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** @returns Whether it said something about a member, or about what is in it. */
export function errorsIn(failure: Failure | undefined): (path: string) => boolean {
  return (path) => failure?.details.some((detail) => `${detail.path}/`.startsWith(`${path}/`)) ?? false;
}

/** Focuses the first field with an error, once it is drawn. It may be folded away. */
export function focusError(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field = document.querySelector<HTMLElement>('main [aria-invalid="true"]');
      field?.closest('details')?.setAttribute('open', '');
      field?.focus();
    }),
  );
}
