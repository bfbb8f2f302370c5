/** The server's errors about fields of a form, in the form's words, with focus. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Detail } from '../../../errors.ts';
import { FailureBox } from '../../parts/states.tsx';
import type { Failure } from '../../state/failure.ts';
import { visibleText } from '../../state/visible-text.ts';

/** @returns The error at a path, such as "/pairs/0/source/value". */
export function errorsOf(failure: Failure | undefined): (path: string) => string | undefined {
  return (path) => {
    const detail = failure?.details.find((each) => each.path === path);
    return detail && fieldError(detail);
  };
}

/**
 * The text at a field: "Expected a number of milliseconds." from "expected a number of milliseconds; got \"x\"".
 *
 * The field shows the value it got.
 */
function fieldError({ path, message }: Detail): string {
  if (path === '/name' && message.endsWith('got ""')) return 'Give the rule a name.';
  const text = visibleText(message.replace(/; got [^;]*$/, ''));
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** @returns Whether there is an error at a path, or below it. */
export function errorsIn(failure: Failure | undefined): (path: string) => boolean {
  return (path) => failure?.details.some((detail) => `${detail.path}/`.startsWith(`${path}/`)) ?? false;
}

/** Focuses the first invalid field once it is rendered. It may be collapsed. */
export function focusError(): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const field = document.querySelector<HTMLElement>('main [aria-invalid="true"]');
      field?.closest('details')?.setAttribute('open', '');
      field?.focus();
    }),
  );
}

interface FormFailureProps {
  readonly failure: Failure;
  /** The action: "Saving the rule". */
  readonly what: string;
  readonly onRetry: () => void;
}

const REFUSED = 400;

export function FormFailure({ failure, what, onRetry }: FormFailureProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [others, setOthers] = useState<readonly Detail[]>([]);
  useLayoutEffect(() => {
    const errors = box.current?.closest('form')?.querySelectorAll('.error') ?? [];
    const said = new Set([...errors].map(({ textContent }) => textContent));
    setOthers(failure.details.filter((detail) => !said.has(fieldError(detail))));
  }, [failure]);
  if (failure.status === REFUSED && failure.details.length > 0) {
    return (
      <div class="failure" role="alert" ref={box}>
        <p>
          <strong>{what} failed.</strong> {others.length < failure.details.length && 'See the marked fields.'}
        </p>
        {others.length > 0 && (
          <ul>
            {others.map((detail) => (
              <li key={`${detail.path} ${detail.message}`}>
                {detail.path !== '' && <code>{visibleText(detail.path)}</code>} {fieldError(detail)}
              </li>
            ))}
          </ul>
        )}
      </div>
    );
  }
  return <FailureBox failure={failure} what={what} onRetry={onRetry} />;
}
