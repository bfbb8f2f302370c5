/** Server-sent events of a file as a stream of a response. */
import { LATENCY_MS_MAX, MOCK_STREAM_EVENTS_MAX } from '../../limits.ts';
import { essenceOf } from '../../base/content-type.ts';
import type { MockStream } from '../../model/mocks/definition/definition.ts';
import { eventText, type EventParts } from '../../model/mocks/streams/event-text.ts';

export function isEventStream(mediaType = ''): boolean {
  return essenceOf(mediaType) === 'text/event-stream';
}

/** Delays of events that come at even distances. */
export function evenly(count: number, ms: number): readonly number[] {
  return Array.from({ length: count }, () => ms / count);
}

/**
 * @param delays Milliseconds from the event before, or from the head, of each; none: all are sent at once.
 * @returns A stream whose response says what its media type is: of more events than a stream may have, several are sent at once.
 */
export function streamOf(events: readonly EventParts[], delays: readonly number[] = []): MockStream {
  const together = Math.max(1, Math.ceil(events.length / MOCK_STREAM_EVENTS_MAX));
  const delayOf = (from: number): { readonly delay?: number } => {
    const ms = delays.slice(from, from + together).reduce((sum, each) => sum + each, 0);
    const delay = Math.min(LATENCY_MS_MAX, Math.round(ms * 100) / 100);
    return delay > 0 ? { delay } : {};
  };
  if (together === 1) return { events: events.map((event, index) => ({ ...delayOf(index), ...event })) };
  const count = Math.ceil(events.length / together);
  return {
    format: 'raw',
    events: Array.from({ length: count }, (_, index) => {
      const own = events.slice(index * together, (index + 1) * together);
      return { ...delayOf(index * together), data: own.map((event) => eventText('sse', event)).join('') };
    }),
  };
}
