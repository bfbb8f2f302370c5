/** Bodies that no editor shows: the beginning of a large text, and bytes. */
import type { JSX } from 'preact';
import { hexOf } from '../../parts/body-text.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeBlock } from '../../parts/safe-text.tsx';

const CHARS_SHOWN = 4_000;
const BYTES_SHOWN = 256;

interface HeavyTextProps {
  readonly text: string;
  readonly onEdit: (() => void) | undefined;
}

export const HeavyText = ({ text, onEdit }: HeavyTextProps): JSX.Element => (
  <>
    <p class="row">
      <span class="hint">It is large, or has very long lines: here is its beginning.</span>
      {onEdit !== undefined && (
        <Button kind="quiet" onClick={onEdit}>
          Edit as plain text
        </Button>
      )}
    </p>
    <SafeBlock text={text} max={CHARS_SHOWN} />
  </>
);

interface PlainTextProps {
  readonly text: string;
  readonly onLeave: (text: string) => void;
}

/** Not kept in the page's state with every character: that would take long. */
export const PlainText = ({ text, onLeave }: PlainTextProps): JSX.Element => (
  <textarea
    class="monospace body-plain"
    aria-label="Body"
    defaultValue={text}
    wrap="off"
    spellcheck={false}
    onChange={(event) => event.stopPropagation()}
    onBlur={(event) => onLeave(event.currentTarget.value)}
  />
);

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
          The first {BYTES_SHOWN} of {bytes.length.toLocaleString('en')} bytes.
        </p>
      )}
    </>
  );
}
