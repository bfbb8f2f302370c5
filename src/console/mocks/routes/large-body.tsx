/** A text that is too large for an editor: its beginning, or a plain field. */
import type { JSX } from 'preact';
import { Button } from '../../parts/controls.tsx';
import { SafeBlock } from '../../parts/safe-text.tsx';

const CHARS_SHOWN = 4_000;

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
    onKeyDown={(event) => {
      if (event.key === 's' && (event.ctrlKey || event.metaKey)) onLeave(event.currentTarget.value);
    }}
  />
);
