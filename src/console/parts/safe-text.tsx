/** Untrusted text in one line or in a block: hidden characters become visible, nothing is interpreted. */
import { visibleLine, visibleText } from '../state/visible-text.ts';
import { hexOf } from './body-text.ts';
import { numberText } from './words.ts';

interface TextProps {
  readonly text: string;
  /** In characters. */
  readonly max?: number;
}

export const SafeLine = ({ text, max = 200 }: TextProps): JSX.Element => (
  <bdi class="safe-line">{visibleLine(text, max)}</bdi>
);

export const SafeCode = (props: TextProps): JSX.Element => (
  <code>
    <SafeLine {...props} />
  </code>
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

const BYTES_SHOWN = 256;

/** @param props.bytes undefined: invalid base64. */
export function BytesView({ bytes }: { readonly bytes: Uint8Array | undefined }): JSX.Element {
  if (bytes === undefined) return <p class="error">Invalid base64.</p>;
  if (bytes.length === 0) return <p class="muted">No bytes.</p>;
  return (
    <>
      <pre class="safe-block hex" tabIndex={0}>
        {hexOf(bytes)}
      </pre>
      {bytes.length > BYTES_SHOWN && (
        <p class="muted">
          The first {BYTES_SHOWN} of {numberText(bytes.length)} bytes.
        </p>
      )}
    </>
  );
}
