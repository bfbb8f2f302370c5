/** The bytes of one event in each format. */
import type { StreamEvent } from '../definition/definition.ts';

export type StreamFormat = 'sse' | 'ndjson' | 'raw';

/** Rendered text of an event. */
export type EventParts = Pick<StreamEvent, 'data' | 'event' | 'id' | 'retry' | 'comment'>;

/** A comment, which readers ignore: sent at the start of a stream and when idle. */
export const COMMENT = ':\n\n';

/** Clients end a line at each of the three. */
const LINE_END = /\r\n|\r|\n/;

export function eventText(format: StreamFormat, parts: EventParts): string {
  const { data = '' } = parts;
  if (format === 'raw') return data;
  // JSON has line ends between its tokens alone.
  return format === 'ndjson' ? `${oneLine(data)}\n` : sseText(parts);
}

function sseText({ data, event, id, retry, comment }: EventParts): string {
  let text = comment === undefined ? '' : `: ${oneLine(comment)}\n`;
  if (event !== undefined) text += `event: ${oneLine(event)}\n`;
  // Clients ignore an id with a NUL.
  if (id !== undefined) text += `id: ${oneLine(id).replaceAll('\0', '')}\n`;
  if (retry !== undefined) text += `retry: ${retry}\n`;
  if (data !== undefined) for (const line of data.split(LINE_END)) text += `data: ${line}\n`;
  return `${text}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}
