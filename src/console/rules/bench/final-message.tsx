/** A request or an answer as it is after all rules. */
import type { JSX } from 'preact';
import type { Evaluation } from '../../../client/shapes.ts';
import { SafeBlock, SafeLine } from '../../parts/safe-text.tsx';

interface FinalMessageProps {
  readonly title: string;
  /** Method and URL, or the status. */
  readonly first: string;
  readonly message: Pick<Evaluation['request'], 'headers' | 'body' | 'bodyEncoding'>;
}

export const FinalMessage = ({ title, first, message }: FinalMessageProps): JSX.Element => (
  <div class="panel">
    <h2>{title}</h2>
    <p class="monospace bench-first">
      <SafeLine text={first} max={4_000} />
    </p>
    {message.headers.length > 0 && (
      <ul class="bench-headers monospace">
        {message.headers.map(({ name, value }, index) => (
          <li key={index}>
            <SafeLine text={`${name}: ${value}`} max={2_000} />
          </li>
        ))}
      </ul>
    )}
    {message.body === undefined || message.body === '' ? (
      <p class="muted">No body.</p>
    ) : (
      <>
        {message.bodyEncoding === 'base64' && <p class="muted">The body is no text: in base64.</p>}
        <SafeBlock text={message.body} />
      </>
    )}
  </div>
);
