/** The events that a stream would send, each with the time since the head. */
import type { TryAnswer } from '../../../client/shapes.ts';
import { fromBase64 } from '../../parts/body-text.ts';
import { BytesView, SafeLine } from '../../parts/safe-text.tsx';
import { visibleText } from '../../state/visible-text.ts';
import { numberText } from '../../parts/words.ts';

/** What a dry run says about a stream: docs/mocks.md, "Streams". */
interface StreamTried {
  /** The first 100. */
  readonly events?: readonly { readonly atMs: number; readonly text: string; readonly encoding?: 'base64' }[];
  /** Why no further event can be rendered. */
  readonly eventsProblem?: string;
}

export const streamTried = ({ response }: TryAnswer): StreamTried => (response ?? {}) as StreamTried;

const CHARS_SHOWN = 2_000;

export function EventTimeline({ events = [], eventsProblem }: StreamTried): JSX.Element {
  return (
    <>
      {events.length === 0 && <p class="muted">No events.</p>}
      <ol class="timeline" aria-label="Events">
        {events.map(({ atMs, text, encoding }, index) => (
          <li key={index}>
            <span class="muted">+{numberText(atMs)} ms</span>
            {encoding === undefined ? (
              <pre>{visibleText(text.trimEnd().slice(0, CHARS_SHOWN))}</pre>
            ) : (
              <BytesView bytes={fromBase64(text)} />
            )}
          </li>
        ))}
      </ol>
      {eventsProblem !== undefined && (
        <p class="error">
          Then it is cut: <SafeLine text={eventsProblem} max={500} />
        </p>
      )}
    </>
  );
}
