/** A stream of a response: its headers, its events, and the texts that are rendered. docs/mocks-streams.md, "Streams". */
import type { EventScope } from '../../../languages/templates/template-scopes.ts';
import type { HeaderLine, MockResponse, MockStream, StreamEvent } from '../definition/definition.ts';

/** Default headers of a stream: clients refuse events with another media type. */
export const STREAM_HEADERS: Readonly<Record<NonNullable<MockStream['format']>, readonly HeaderLine[]>> = {
  sse: [
    { name: 'content-type', value: 'text/event-stream' },
    { name: 'cache-control', value: 'no-cache' },
  ],
  ndjson: [{ name: 'content-type', value: 'application/x-ndjson' }],
  raw: [],
};

/** All events that a response may send: of its stream, and of its fault. */
export function eventsOf({ stream, fault }: Partial<Pick<MockResponse, 'stream' | 'fault'>>): readonly StreamEvent[] {
  return [...(stream?.events ?? []), ...(fault?.events ?? [])];
}

function scopeOf({ forEach }: Pick<StreamEvent, 'forEach'>): EventScope {
  return forEach === undefined ? 'run' : 'item';
}

interface EventText {
  readonly name: 'data' | 'event' | 'id' | 'comment' | 'forEach';
  readonly text: string;
  readonly scope: EventScope | undefined;
  /** Whether it stays JSON where the response is of JSON. */
  readonly isData: boolean;
}

/** The texts of an event that are templates where its response is `templated`. */
export function eventTexts(event: StreamEvent): readonly EventText[] {
  const scope = scopeOf(event);
  return (['forEach', 'event', 'id', 'comment', 'data'] as const).flatMap((name) => {
    const text = event[name];
    if (text === undefined || (name === 'data' && event.encoding === 'base64')) return [];
    return [{ name, text, scope: name === 'forEach' ? undefined : scope, isData: name === 'data' }];
  });
}
