/** Reads the text of server-sent events, as clients do: what was recorded, or written as an example, becomes events of a stream. */
import { LATENCY_MS_MAX } from '../../../limits.ts';
import type { EventParts } from './event-text.ts';
import { EVENT_FIELD_CHARS_MAX } from './stream-schema.ts';

interface ReadEvents {
  readonly events: readonly EventParts[];
  /** Whether lines are left out that no event of a stream can have: unknown fields, a second comment, what is too long. */
  readonly isPartial: boolean;
  /** Text after the last blank line, which is not an event to clients. */
  readonly rest: string;
}

export function readEvents(text: string): ReadEvents {
  const blocks = text
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .split(/\n\n+/);
  const rest = (blocks.pop() ?? '').replace(/^\n+/, '');
  const read = blocks.map((block) => readEvent(block.split('\n')));
  return {
    events: read.flatMap(({ event }) => (Object.keys(event).length === 0 ? [] : [event])),
    isPartial: read.some(({ isPartial }) => isPartial),
    rest,
  };
}

function readEvent(lines: readonly string[]): { readonly event: EventParts; readonly isPartial: boolean } {
  const event: { data?: string; event?: string; id?: string; retry?: number; comment?: string } = {};
  let isPartial = false;
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    const isShort = value.length <= EVENT_FIELD_CHARS_MAX;
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
    else if (name === 'event' && isShort) event.event = value;
    else if (name === 'id' && isShort && !value.includes('\0')) event.id = value;
    else if (name === 'retry' && /^\d+$/.test(value) && Number(value) <= LATENCY_MS_MAX) event.retry = Number(value);
    else if (name === '' && isShort && event.comment === undefined) event.comment = value;
    // An empty comment only keeps a connection open.
    else if (name !== '' || value !== '') isPartial = true;
    if (event.comment === '') delete event.comment;
  }
  return { event, isPartial };
}
