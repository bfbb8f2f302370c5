/** Examples and samples of `text/event-stream` as events: a text, one event, its data alone, or a list of these. */
import { printJson } from '../../../base/written-numbers.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { LATENCY_MS_MAX } from '../../../limits.ts';
import type { EventParts } from '../../../model/mocks/streams/event-text.ts';
import { readEvents } from '../../../model/mocks/streams/read-events.ts';
import { EVENT_FIELD_CHARS_MAX } from '../../../model/mocks/streams/stream-schema.ts';
import { scalarText } from '../../reading/members.ts';
import type { NamedSchema } from './schema.ts';

export function eventsOf(value: unknown): readonly EventParts[] {
  if (Array.isArray(value)) return value.flatMap(eventsOf);
  if (isObject(value) && isEvent(value)) return [eventOf(value)];
  if (typeof value !== 'string') return [{ data: printJson(value) ?? '' }];
  // Documents often leave the last blank line out.
  const { events } = readEvents(`${value}\n\n`);
  return events.length === 0 && value !== '' ? [{ data: value }] : events;
}

const MEMBERS: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry']);

function isEvent(value: JsonObject): boolean {
  return ('data' in value || 'event' in value) && Object.keys(value).every((name) => MEMBERS.has(name));
}

/** Drops events that no client takes. */
function eventOf({ data, event, id, retry }: JsonObject): EventParts {
  const line = (value: unknown) =>
    scalarText(value)
      ?.slice(0, EVENT_FIELD_CHARS_MAX)
      .replaceAll(/[\r\n\0]/g, ' ');
  const [name, own] = [line(event), line(id)];
  const isTime = typeof retry === 'number' && Number.isInteger(retry) && retry >= 0 && retry <= LATENCY_MS_MAX;
  return {
    ...(name === undefined ? {} : { event: name }),
    ...(own === undefined ? {} : { id: own }),
    ...(isTime ? { retry } : {}),
    ...(data === undefined ? {} : { data: typeof data === 'string' ? data : printJson(data) }),
  };
}

/** @returns The schema of what the data of such an event is as JSON; undefined where the document has none. */
export function dataSchemaOf({ schema }: NamedSchema): unknown {
  const data = isObject(schema) && isObject(schema.properties) ? schema.properties.data : undefined;
  return isObject(data) ? data.contentSchema : undefined;
}
