/** Text of strangers in one line or in a block: hidden characters are shown, nothing is interpreted. */
import type { JSX } from 'preact';
import { visibleLine, visibleText } from '../state/visible-text.ts';
import { numberText } from './words.ts';

interface TextProps {
  readonly text: string;
  /** Characters that are shown. */
  readonly max?: number;
}

export const SafeLine = ({ text, max = 200 }: TextProps): JSX.Element => (
  <bdi class="safe-line">{visibleLine(text, max)}</bdi>
);

export function SafeBlock({ text, max = 65_536 }: TextProps): JSX.Element {
  const isCut = text.length > max;
  return (
    <>
      <pre class="safe-block" tabIndex={0}>
        {visibleText(text.slice(0, max))}
      </pre>
      {isCut && (
        <p class="muted">
          The first {numberText(max)} of {numberText(text.length)} characters.
        </p>
      )}
    </>
  );
}
