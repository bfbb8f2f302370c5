/** The events that a stream would send, each with the time since the head. */
import type { TryAnswer } from '../../../client/shapes.ts';
import { fromBase64 } from '../../parts/body-text.ts';
import { BytesView, SafeLine } from '../../parts/safe-text.tsx';
import { visibleText } from '../../state/visible-text.ts';
import { numberText } from '../../parts/words.ts';

const CHARS_SHOWN = 2_000;

type StreamTried = Pick<NonNullable<TryAnswer['response']>, 'events' | 'eventsProblem'>;

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
