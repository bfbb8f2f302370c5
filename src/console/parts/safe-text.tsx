/** Untrusted text in one line or in a block: hidden characters become visible, nothing is interpreted. And requests and statuses. */
import { visibleLine, visibleText } from '../state/visible-text.ts';
import { hexOf } from './body-text.ts';
import { numberText, statusClass } from './words.ts';

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

/** One line of two parts: the first is cut before the second, which identifies it. */
export const HeadTail = ({ head, tail }: { readonly head: string; readonly tail: string }): JSX.Element => (
  <span class="head-tail">
    <bdi class="muted">{visibleLine(head, 100)}</bdi>
    <bdi>{visibleLine(tail, 300)}</bdi>
  </span>
);

export const SafeParagraph = ({ class: look, ...text }: TextProps & { readonly class: string }): JSX.Element => (
  <p class={look}>
    <SafeLine {...text} />
  </p>
);

interface RequestLineProps {
  readonly method: string;
  /** A path with its query, or a URL. */
  readonly target: string;
  readonly max?: number;
}

export const RequestLine = ({ method, target, max = 300 }: RequestLineProps): JSX.Element => (
  <span class="monospace">
    {visibleLine(method, 32)} <SafeLine text={target} max={max} />
  </span>
);

interface StatusProps {
  /** 0: no answer. */
  readonly status: number;
  readonly text?: string;
}

export const StatusBadge = ({ status, text = String(status) }: StatusProps): JSX.Element => (
  <span class={statusClass(status)}>{text}</span>
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
