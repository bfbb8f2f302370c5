/** Server-sent events of a file as a stream of a response. */
import { LATENCY_MS_MAX, MOCK_STREAM_EVENTS_MAX } from '../../limits.ts';
import { essenceOf } from '../../model/mocks/definition/media-type.ts';
import type { MockStream } from '../../model/mocks/definition/definition.ts';
import { eventText, type EventParts } from '../../model/mocks/streams/event-text.ts';

export function isEventStream(mediaType = ''): boolean {
  return essenceOf(mediaType) === 'text/event-stream';
}

/**
 * @param ms How long all of them take; they come at even distances.
 * @returns A stream whose response says what its media type is: of more events than a stream may have, several are sent at once.
 */
export function streamOf(events: readonly EventParts[], ms = 0): MockStream {
  const together = Math.ceil(events.length / MOCK_STREAM_EVENTS_MAX);
  const count = Math.ceil(events.length / Math.max(1, together));
  const between = Math.min(LATENCY_MS_MAX, Math.round((ms / count) * 100) / 100);
  const delay = between > 0 ? { delay: between } : {};
  if (together <= 1) return { events: events.map((event) => ({ ...delay, ...event })) };
  return {
    format: 'raw',
    events: Array.from({ length: count }, (_, index) => {
      const own = events.slice(index * together, (index + 1) * together);
      return { ...delay, data: own.map((event) => eventText('sse', event)).join('') };
    }),
  };
}
