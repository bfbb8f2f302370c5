/** The schemas of how a mock answers beyond head and body: latency, faults, delivery, rate limit, scenarios. docs/mocks.md. */
import { LATENCY_MS_MAX, MOCK_STREAM_EVENTS_MAX, MOCK_STREAM_EVENTS_SENT_MAX } from '../../../limits.ts';
import { EXPECTED_TYPE } from '../../validate.ts';
import { Type } from '../../schema-type.ts';
import { FAULT_KINDS, type ScenarioStep, type StreamEvent } from '../definition/definition.ts';
import { closeCodeShape } from '../sockets/socket-schema.ts';
import { streamEventShape } from '../streams/stream-schema.ts';

const NOTHING_ELSE = { additionalProperties: false } as const;

const status = Type.Integer({ minimum: 200, maximum: 599 });
const errorBody = Type.Optional(Type.String({ maxLength: 10_000 }));
const countOfRequests = { minimum: 1, maximum: 1_000_000_000 };

export const faultShape = Type.Object(
  {
    kind: Type.Enum([...FAULT_KINDS], { description: 'What is done to the client.' }),
    probability: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: 'The share of requests that fail; all when absent.' }),
    ),
    first: Type.Optional(
      Type.Integer({ ...countOfRequests, description: 'Only the first so many requests of the route fail.' }),
    ),
    after: Type.Optional(
      Type.Integer({ ...countOfRequests, description: 'The first so many requests of the route do not fail.' }),
    ),
    status: Type.Optional({ ...status, description: 'Of `status`, which requires it.' }),
    body: errorBody,
    retryAfter: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 86_400, description: 'Of `status`: seconds in its `Retry-After`.' }),
    ),
    bytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10_485_760,
        description: 'Of `truncated`: how much of the body is sent; half of it when absent.',
      }),
    ),
    ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: LATENCY_MS_MAX,
        description: 'Of `hang`: when the connection is closed; never when absent.',
      }),
    ),
    afterEvents: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOCK_STREAM_EVENTS_SENT_MAX,
        description: 'In the midst of a stream: after so many of its events.',
      }),
    ),
    events: Type.Optional(
      Type.Unsafe<readonly StreamEvent[]>(
        Type.Array(streamEventShape, {
          minItems: 1,
          maxItems: MOCK_STREAM_EVENTS_MAX,
          description: 'Of `events`: what is sent in place of the next event; then the stream ends.',
        }),
      ),
    ),
    code: Type.Optional({
      ...closeCodeShape,
      description: 'Of `ended` on a WebSocket: the code that it is closed with; 1011 when absent.',
    }),
  },
  { ...NOTHING_ELSE, title: 'Fault', description: 'A failure in place of the response, or in the midst of it.' },
);

export const deliveryShape = Type.Object(
  {
    chunks: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'Pieces of the body, over `overMs`.' }),
    ),
    overMs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LATENCY_MS_MAX, description: 'From the first piece to the last.' }),
    ),
    bytesPerSecond: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'The rate of the body.' }),
    ),
    firstByteMs: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LATENCY_MS_MAX, description: 'From the head to the body.' }),
    ),
  },
  {
    ...NOTHING_ELSE,
    title: 'Delivery',
    description: 'How the body is sent: {chunks, overMs}, {bytesPerSecond} or {firstByteMs}.',
  },
);

export const rateLimitShape = Type.Object(
  {
    requests: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'In each `perMs`.' }),
    perMs: Type.Integer({ minimum: 1, maximum: 86_400_000 }),
    burst: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'At once; as many as `requests` when absent.' }),
    ),
    by: Type.Optional(
      Type.String({
        pattern: "^(mock|header:[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200})$",
        'x-expected': 'mock or header:<name>',
        description: 'What has a limit of its own: `mock` or `header:<name>`; in each session anew.',
      }),
    ),
    status: Type.Optional({ ...status, description: 'Of the refusal; 429 when absent.' }),
    body: errorBody,
  },
  { ...NOTHING_ELSE, title: 'Rate limit', description: 'Requests beyond it are refused.' },
);

const name = Type.String({ minLength: 1, maxLength: 100 });

export const scenarioShape = Type.Object(
  {
    name,
    states: Type.Array(name, { minItems: 1, maxItems: 100, [EXPECTED_TYPE]: 'an array of names' }),
    initial: Type.Optional({ ...name, description: 'One of `states`; the first when absent.' }),
  },
  { ...NOTHING_ELSE, title: 'Scenario', description: 'Named states that requests move through.' },
);

const stepShape = Type.Object(
  {
    name: { ...name, description: 'Of a scenario of the settings.' },
    requires: Type.Optional(
      Type.Union([name, Type.Array(name, { minItems: 1, maxItems: 100 })], {
        'x-expected': 'the name of a state, or an array of such',
        description: 'It answers only in this state, or one of these.',
      }),
    ),
    moveTo: Type.Optional({ ...name, description: 'The state after it has answered.' }),
  },
  { ...NOTHING_ELSE, title: 'Scenario step' },
);

export const scenarioStepsShape = Type.Optional(
  Type.Unsafe<ScenarioStep | readonly ScenarioStep[]>(
    Type.Union([stepShape, Type.Array(stepShape, { minItems: 1, maxItems: 10 })], {
      'x-expected': '{name, requires?, moveTo?}, or an array of up to 10 such',
      description: "The response's part in scenarios: in which state it answers, and which state follows.",
    }),
  ),
);
