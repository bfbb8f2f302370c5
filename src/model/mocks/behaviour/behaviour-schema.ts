/** The schemas of how a mock answers beyond head and body: latency, faults, delivery, rate limit, scenarios. docs/mocks-behaviour.md. */
import { LATENCY_MS_MAX, MOCK_STREAM_EVENTS_MAX, MOCK_STREAM_EVENTS_SENT_MAX } from '../../../limits.ts';
import { CLOSED, EXPECTED_TYPE, Type } from '../../schema-type.ts';
import { closeCodeShape } from '../sockets/socket-schema.ts';
import { streamEventShape } from '../streams/stream-schema.ts';

export const FAULT_KINDS = [
  'empty',
  'reset',
  'hang',
  'truncated',
  'malformedChunk',
  'garbage',
  'status',
  'ended',
  'events',
] as const;

/** How the body is sent: in pieces over time, at a rate, or late after the head. */
export type Delivery =
  | { readonly chunks: number; readonly overMs: number }
  | { readonly bytesPerSecond: number }
  | { readonly firstByteMs: number };

const status = Type.Integer({ minimum: 200, maximum: 599 });
const errorBody = Type.Optional(Type.String({ maxLength: 10_000 }));
const countOfRequests = { minimum: 1, maximum: 1_000_000_000 };

export const faultShape = Type.Object(
  {
    kind: Type.Enum(FAULT_KINDS, { description: 'The kind of failure.' }),
    probability: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'Share of requests that fail. Default: all.' }),
    ),
    first: Type.Optional(
      Type.Integer({ ...countOfRequests, description: 'Fail only the first N requests of the route.' }),
    ),
    after: Type.Optional(
      Type.Integer({ ...countOfRequests, description: 'Fail only requests after the first N of the route.' }),
    ),
    status: Type.Optional({ ...status, description: 'For `status`, which requires it.' }),
    body: errorBody,
    retryAfter: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 86_400, description: 'For `status`: seconds in `Retry-After`.' }),
    ),
    bytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_485_760,
        description: 'For `truncated`: bytes of the body to send. Default: half.',
      }),
    ),
    ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LATENCY_MS_MAX,
        description: 'For `hang`: when to close the connection. Default: never.',
      }),
    ),
    afterEvents: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOCK_STREAM_EVENTS_SENT_MAX,
        description: 'In a stream: after this many events.',
      }),
    ),
    events: Type.Optional(
      Type.Array(streamEventShape, {
        minItems: 1,
        maxItems: MOCK_STREAM_EVENTS_MAX,
        description: 'For `events`: sent instead of the next event; then the stream ends.',
      }),
    ),
    code: Type.Optional({
      ...closeCodeShape,
      description: 'For `ended` on a WebSocket: the close code. Default: 1011.',
    }),
  },
  { ...CLOSED, title: 'Fault', description: 'A failure instead of the response, or in the middle of it.' },
);

export const deliveryShape = Type.Custom<Delivery>(
  Type.Object(
    {
      chunks: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000, description: 'Number of chunks of the body, sent over `overMs`.' }),
      ),
      overMs: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LATENCY_MS_MAX, description: 'Time from the first chunk to the last.' }),
      ),
      bytesPerSecond: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'Rate of the body.' }),
      ),
      firstByteMs: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: LATENCY_MS_MAX,
          description: 'Time from the head to the first byte of the body.',
        }),
      ),
    },
    {
      ...CLOSED,
      title: 'Delivery',
      description: 'How to send the body: {chunks, overMs}, {bytesPerSecond} or {firstByteMs}.',
    },
  ),
);

export const rateLimitShape = Type.Object(
  {
    requests: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests allowed per `perMs`.' }),
    perMs: Type.Integer({ minimum: 1, maximum: 86_400_000 }),
    burst: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests allowed at once. Default: `requests`.' }),
    ),
    by: Type.Optional(
      Type.String({
        pattern: "^(mock|header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200})$",
        'x-expected': 'mock or header:<name>',
        description: 'What the limit counts: `mock`, or each value of `header:<name>`. Each session counts separately.',
      }),
    ),
    status: Type.Optional({ ...status, description: 'Status of the refusal. Default: 429.' }),
    body: errorBody,
  },
  { ...CLOSED, title: 'Rate limit', description: 'The mock refuses requests beyond this rate.' },
);

const name = Type.String({ minLength: 1, maxLength: 100 });

export const scenarioShape = Type.Object(
  {
    name,
    states: Type.Array(name, { minItems: 1, maxItems: 100, [EXPECTED_TYPE]: 'an array of names' }),
    initial: Type.Optional({ ...name, description: 'One of `states`. Default: the first.' }),
  },
  { ...CLOSED, title: 'Scenario', description: 'Named states that requests move through.' },
);

export const stepShape = Type.Object(
  {
    name: { ...name, description: 'Name of a scenario in the settings.' },
    requires: Type.Optional(
      Type.Union([name, Type.Array(name, { minItems: 1, maxItems: 100 })], {
        'x-expected': 'the name of a state, or an array of such',
        description: 'The state, or states, in which the response answers.',
      }),
    ),
    moveTo: Type.Optional({ ...name, description: 'The state after the response.' }),
  },
  { ...CLOSED, title: 'Scenario step' },
);

export const scenarioStepsShape = Type.Union([stepShape, Type.Array(stepShape, { minItems: 1, maxItems: 10 })], {
  'x-expected': '{name, requires?, moveTo?}, or an array of up to 10 such',
  description: 'The scenario step of the response: the states in which it answers, and the state that follows.',
});
