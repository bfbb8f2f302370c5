/** Bytes that are no text: the first of them. */
import type { JSX } from 'preact';
import { hexOf } from './body-text.ts';
import { numberText } from './words.ts';

const BYTES_SHOWN = 256;

/** @param props.bytes undefined: what was read is no base64. */
export function BytesView({ bytes }: { readonly bytes: Uint8Array | undefined }): JSX.Element {
  if (bytes === undefined) return <p class="error">This is no base64.</p>;
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
