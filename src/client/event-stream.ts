/** Streams of the API: parses server-sent events. */
import type { ByteStream, Signal } from './fetch-types.ts';
import { SwitchyardError } from './switchyard-error.ts';
import type { Query, Transport } from './transport.ts';

export interface ServerEvent {
  readonly type: string | undefined;
  readonly id: string | undefined;
  /** Parsed JSON. */
  readonly data: unknown;
}

/** @param read Makes what the caller gets of an event; undefined for one that it does not know. */
export async function* followEvents<Event>(
  transport: Transport,
  path: readonly string[],
  query: Query,
  signal: Signal | undefined,
  read: (event: ServerEvent) => Event | undefined,
): AsyncGenerator<Event, void> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    const stream = await transport.stream(path, query, signal);
    for await (const chunk of chunksOf(stream)) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() as string;
      for (const event of events) {
        const found = read(parseEvent(event));
        if (found !== undefined) yield found;
      }
    }
  } catch (error) {
    if (signal?.aborted === true) return;
    throw error instanceof SwitchyardError ? error : transport.noResponse(path, error);
  }
}

/** Not all browsers can iterate a stream. A loop that is left ends it. */
async function* chunksOf(stream: ByteStream): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); read.value !== undefined; read = await reader.read()) yield read.value;
  } finally {
    // The failure of the stream has been thrown already.
    await reader.cancel().catch(() => undefined);
  }
}

/** A comment, which keeps the connection open, has no type. */
function parseEvent(text: string): ServerEvent {
  const fields = new Map(text.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
  return { type: fields.get('event'), id: fields.get('id'), data: JSON.parse(fields.get('data') ?? '{}') };
}
