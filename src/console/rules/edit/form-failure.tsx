/** Why a form was not taken, beside its button: fields say what is wrong with them, and the rest is said here. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Detail } from '../../../errors.ts';
import { FailureBox } from '../../parts/states.tsx';
import type { Failure } from '../../state/failure.ts';
import { visibleText } from '../../state/visible-text.ts';
import { fieldError } from '../common/form-errors.ts';

interface FormFailureProps {
  readonly failure: Failure;
  /** What was tried: "Saving the rule". */
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
          <strong>{what} was refused.</strong> {others.length < failure.details.length && 'See what is marked above.'}
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

export const FoundAgain = (): JSX.Element => (
  <p class="bar" role="status">
    What you typed before is still here, and not saved.
  </p>
);
