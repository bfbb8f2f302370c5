/** The events of a stream as one body: for formats that know whole bodies alone. */
import type { MockResponse, MockStream } from '../../model/mocks/definition/definition.ts';
import { eventText } from '../../model/mocks/streams/event-text.ts';
import { STREAM_HEADERS } from '../../model/mocks/streams/stream.ts';
import { STREAM_DEFAULTS } from '../../model/mocks/streams/stream-schema.ts';

/** @returns The response with its events once, in their order; itself without a stream. */
export function streamAsBody(response: MockResponse): MockResponse {
  const { stream, ...whole } = response;
  if (stream === undefined) return response;
  const { format = STREAM_DEFAULTS.format } = stream;
  const names = new Set(response.headers.map(({ name }) => name.toLowerCase()));
  const headers = [...response.headers, ...STREAM_HEADERS[format].filter(({ name }) => !names.has(name))];
  const isBinary = stream.events.some(({ encoding }) => encoding === 'base64');
  const bytes = bytesOf(format, stream);
  // The text of events is not JSON, whatever each of them is.
  const templated = whole.templated !== false;
  return isBinary
    ? { ...whole, headers, body: bytes.toString('base64'), bodyEncoding: 'base64', templated: false }
    : { ...whole, headers, body: bytes.toString(), templated };
}

function bytesOf(format: NonNullable<MockStream['format']>, { events }: MockStream): Buffer {
  return Buffer.concat(
    events.map((event) =>
      event.encoding === 'base64' ? Buffer.from(event.data ?? '', 'base64') : Buffer.from(eventText(format, event)),
    ),
  );
}
