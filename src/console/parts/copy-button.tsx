/** Copies a text, and says so. */
import { useState } from 'preact/hooks';
import { tell } from '../state/toasts.ts';
import { Button } from './controls.tsx';

interface CopyProps {
  readonly text: string;
  /** For screen readers: "the address". */
  readonly what: string;
  readonly children?: string;
}

export function CopyButton({ text, what, children = 'Copy' }: CopyProps): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    // Browsers offer the clipboard to pages of HTTPS and of loopback addresses alone.
    if (navigator.clipboard === undefined) return tell(`This page cannot copy, as it is not served by HTTPS: ${text}`);
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 2_000);
      },
      () => tell('The browser has refused to copy.'),
    );
  };
  return (
    <Button kind="quiet" label={`Copy ${what}`} onClick={copy}>
      {isCopied ? 'Copied' : children}
    </Button>
  );
}

interface CommandProps {
  readonly text: string;
  readonly what?: string;
  /** What it is for. Without it, a line on where the key is taken from; "" for none. */
  readonly label?: string;
}

/** A line for a terminal or a test, with its copy button. */
export const Command = ({ text, what = 'the command', label = IN_A_TERMINAL }: CommandProps): JSX.Element => (
  <>
    {label !== '' && <p>{label}</p>}
    <div class="command">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  </>
);

const IN_A_TERMINAL = 'In a terminal, with the key in SWITCHYARD_API_KEY:';
