/** The schemas of streams and of their events. What they cannot express is in stream-checks.ts. docs/mocks-streams.md, "Streams". */
import {
  LATENCY_MS_MAX,
  MOCK_STREAM_EVENTS_MAX,
  MOCK_STREAM_KEEP_ALIVE_MS,
  MOCK_STREAM_KEEP_ALIVE_MS_MAX,
  MOCK_STREAM_REPEAT_MAX,
} from '../../../limits.ts';
import { defaultsOf } from '../../normalise.ts';
import { CLOSED, EXPECTED, EXPECTED_TYPE, LAST, Type, TYPE_HINT } from '../../schema-type.ts';
import { latencyShape } from '../behaviour/latency-schema.ts';

export const EVENT_FIELD_CHARS_MAX = 1_000;

const ofSse = (description: string) =>
  Type.Optional(Type.String({ maxLength: EVENT_FIELD_CHARS_MAX, description: `Of \`sse\`: ${description}` }));

/** Members of events that pushes also support. */
const pushedEventMembers = {
  data: Type.Optional(Type.String({ description: 'A text.', [TYPE_HINT]: 'send JSON as text' })),
  encoding: Type.Optional(
    Type.Enum(['text', 'base64'], { description: 'For `raw`: use `base64` for bytes that are not text.' }),
  ),
  event: ofSse('the name of the event.'),
  id: ofSse('the id that a client sends as `Last-Event-ID` when it reconnects.'),
  retry: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LATENCY_MS_MAX,
      description: 'For `sse`: milliseconds that a client waits before it reconnects.',
    }),
  ),
  comment: ofSse('a comment line, which clients ignore.'),
};

/** An event that is pushed: at once, and as it is. */
export const pushedEventShape = Type.Object(pushedEventMembers, { ...CLOSED, title: 'Pushed event' });

export const streamEventShape = Type.Object(
  {
    ...pushedEventMembers,
    delay: Type.Optional(latencyShape),
    forEach: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A template that renders a JSON array, once: the event is sent for each item, with {{item}}, {{@index}}, {{@first}} and {{@last}}.',
      }),
    ),
  },
  { ...CLOSED, title: 'Stream event', [LAST]: ['data', 'encoding'] },
);

export const streamShape = Type.Object(
  {
    format: Type.Documented(
      Type.Enum(['sse', 'ndjson', 'raw'], {
        default: 'sse',
        description: 'Server-sent events, one line of JSON per event, or raw bytes.',
      }),
    ),
    events: Type.Array(streamEventShape, {
      maxItems: MOCK_STREAM_EVENTS_MAX,
      [EXPECTED_TYPE]: 'an array of events',
    }),
    repeat: Type.Documented(
      Type.Unsafe<number | 'forever'>({
        anyOf: [{ type: 'integer', minimum: 1, maximum: MOCK_STREAM_REPEAT_MAX }, { const: 'forever' }],
        default: 1,
        [EXPECTED]: `an integer from 1 to ${MOCK_STREAM_REPEAT_MAX}, or forever`,
        description: 'How often to send the list of events.',
      }),
    ),
    end: Type.Documented(
      Type.Enum(['close', 'open'], {
        default: 'close',
        description: 'Whether the body ends after the last event, or stays open for pushes.',
      }),
    ),
    keepAliveMs: Type.Documented(
      Type.Integer({
        default: MOCK_STREAM_KEEP_ALIVE_MS,
        minimum: 0,
        maximum: MOCK_STREAM_KEEP_ALIVE_MS_MAX,
        description: 'For `sse`: idle time after which a comment is sent. 0: never.',
      }),
    ),
    ids: Type.Optional(
      Type.Enum(['auto'], {
        description: 'For `sse`: numbers events without an `id`, from 1.',
      }),
    ),
    resume: Type.Documented(
      Type.Boolean({
        default: true,
        description:
          'For `sse`: resumes after the event that a request names in `Last-Event-ID` or the query parameter `lastEventId`.',
      }),
    ),
    channel: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'Name for pushes. Default: the `label` of the response.',
      }),
    ),
  },
  { ...CLOSED, title: 'Stream', description: 'Events sent over time, instead of a body.' },
);
export const STREAM_DEFAULTS = defaultsOf(streamShape);
