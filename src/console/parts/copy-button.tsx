/** Copies a text, and confirms it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { notify } from '../state/toasts.ts';
import { Button } from './controls.tsx';

interface CopyProps {
  readonly text: string;
  /** For screen readers: "the address". */
  readonly what: string;
  readonly children?: ComponentChildren;
  /** Removed from the tab order, like a Button. */
  readonly skipped?: boolean;
}

export function CopyButton({ text, what, children = 'Copy', skipped = false }: CopyProps): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    // Browsers offer the clipboard only over HTTPS and on loopback addresses.
    if (navigator.clipboard === undefined) return notify(`Copying needs HTTPS: ${text}`);
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 2_000);
      },
      () => notify('The browser refused to copy.'),
    );
  };
  return (
    <Button kind="quiet" label={`Copy ${what}`} skipped={skipped} onClick={copy}>
      {isCopied ? 'Copied' : children}
    </Button>
  );
}

interface CommandProps {
  readonly text: string;
  readonly what?: string;
  /** Its purpose; by default, where the key comes from. "" for none. */
  readonly label?: string;
}

/** A line for a terminal or a test, with a copy button. */
export const Command = ({ text, what = 'the command', label = IN_A_TERMINAL }: CommandProps): JSX.Element => (
  <>
    {label !== '' && <p>{label}</p>}
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  </>
);

const IN_A_TERMINAL = 'In a terminal, with your key in SWITCHYARD_API_KEY:';
