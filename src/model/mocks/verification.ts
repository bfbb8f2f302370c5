/** Verification of a mock's requests: what is expected of them, and how it turned out (docs/mocks.md, "Traffic, counts and verification"). */
import { EXPLAINED_CHARS_MAX, EXPLAINED_VALUES_MAX, VERIFY_MS_MAX, VERIFY_STEPS_MAX } from '../../limits.ts';
import type { Static } from 'typebox';
import { CALLBACK_STATES, callbackRecordSchema } from './callback-record.ts';
import { Type } from '../schema-type.ts';
import { STREAM_ENDS } from './streams/stream-record.ts';
import { EXPECTED } from '../validate.ts';
import { recordedConditionsShape } from './recorded-conditions.ts';
import {
  epochSchema,
  requestSchema,
  requestSummarySchema,
  traceIdSchema,
  truncatedSchema,
  unjudgedSchema,
} from './traffic.ts';

const times = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

const verifiedMessageSchema = Type.Enum(['in', 'out', 'any'], {
  description: 'Messages on WebSockets in place of requests, by direction.',
});

/** What requests must be. A misspelt member would match everything. */
export const matchSchema = Type.Object(
  {
    method: Type.Optional(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Z-]+$", [EXPECTED]: 'a method, which is in upper case' }),
    ),
    path: Type.Optional(
      Type.String({
        pattern: '^/',
        [EXPECTED]: 'a path that starts with /',
        description: 'Exact, or the pattern of a route in a version that answered, whatever it calls its parameters.',
      }),
    ),
    routeId: Type.Optional(Type.String({ description: 'In the saved version, or one that answered.' })),
    responseId: Type.Optional(Type.String({ description: 'As routeId.' })),
    header: Type.Optional(Type.Record(Type.String(), Type.String())),
    query: Type.Optional(Type.Record(Type.String(), Type.String())),
    bodyContains: Type.Optional(Type.String({ description: 'A part of the recorded body.' })),
    trace: Type.Optional(traceIdSchema),
    proxied: Type.Optional(Type.Boolean({ description: 'Whether it was sent on to an upstream.' })),
    ended: Type.Optional(
      Type.Enum([...STREAM_ENDS], { description: 'Who ended the stream that it was answered with.' }),
    ),
    events: Type.Optional(
      Type.Object(
        {
          atLeast: Type.Optional(Type.Integer({ minimum: 0 })),
          atMost: Type.Optional(Type.Integer({ minimum: 0 })),
        },
        { additionalProperties: false, description: 'How many events were sent of its stream, up to now.' },
      ),
    ),
    message: Type.Optional(verifiedMessageSchema),
    requestId: Type.Optional(
      Type.String({ description: 'With `message`: the handshake that the messages belong to.' }),
    ),
    rules: Type.Optional(recordedConditionsShape),
  },
  { additionalProperties: false },
);

/** What callbacks must be: of the mock's own requests, each with all its attempts. */
const callbackMatchSchema = Type.Object(
  {
    kind: Type.Literal('callback'),
    name: Type.Optional(Type.String()),
    url: Type.Optional(Type.String({ description: 'As it was sent.' })),
    method: Type.Optional(Type.String()),
    header: Type.Optional(Type.Record(Type.String(), Type.String())),
    bodyContains: Type.Optional(Type.String({ description: 'A part of the first 64 KB of the body.' })),
    state: Type.Optional(Type.Enum([...CALLBACK_STATES])),
    attempts: Type.Optional(Type.Integer({ minimum: 0, description: 'How many there were.' })),
  },
  { additionalProperties: false },
);

/** The expectation of a verification: of how many requests there were, or of their order. */
export const expectationSchema = Type.Object(
  {
    match: Type.Optional(matchSchema),
    inOrder: Type.Optional(
      Type.Array(matchSchema, {
        minItems: 1,
        maxItems: VERIFY_STEPS_MAX,
        description: 'Instead of `match`: a request for each, in this order. Others may lie between.',
      }),
    ),
    atLeast: times('1 when nothing else is asked; not above atMost.'),
    atMost: times('Never verified when older requests were dropped.'),
    exactly: times('As atMost, and without the other two.'),
    withinMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: VERIFY_MS_MAX, default: 0, description: 'How long to wait for it.' }),
    ),
  },
  { additionalProperties: false },
);

/** What a request has instead of what `match` asks for. */
export const differenceSchema = Type.Object({
  path: Type.String({ description: 'Of the member or condition in the expectation: `/match/query/page`.' }),
  expected: Type.String(),
  actual: Type.Array(Type.String(), {
    description: `What the request has: at most ${EXPLAINED_VALUES_MAX} values of ${EXPLAINED_CHARS_MAX} characters. Empty when it has none.`,
  }),
  unjudged: Type.Optional(Type.String({ description: 'Why it is unknown whether the request fits.' })),
});

export interface Difference extends Omit<Static<typeof differenceSchema>, 'actual'> {
  readonly actual: readonly string[];
}

/** The same of how many callbacks there were. */
export const callbackExpectationSchema = Type.Object(
  {
    match: callbackMatchSchema,
    atLeast: expectationSchema.properties.atLeast,
    atMost: times('Never verified when any were forgotten, or the process that sends them was replaced.'),
    exactly: expectationSchema.properties.exactly,
    withinMs: expectationSchema.properties.withinMs,
  },
  { additionalProperties: false },
);

export const verificationSchema = Type.Object({
  verified: Type.Boolean(),
  count: Type.Integer({ description: 'Of requests that match; of `inOrder`, of steps that were found.' }),
  truncated: truncatedSchema,
  unjudged: Type.Optional(unjudgedSchema),
  epoch: epochSchema,
  callbacks: Type.Optional(
    Type.Array(callbackRecordSchema, {
      description: 'Of a verification of callbacks that is not verified: the newest of all that there are.',
    }),
  ),
  order: Type.Optional(
    Type.Object(
      {
        missing: Type.Integer({ description: 'Index of the step that was not found.' }),
        found: Type.Array(requestSummarySchema, { description: 'The requests of the steps before it.' }),
      },
      { description: 'With `inOrder`, when it is not verified.' },
    ),
  ),
  closest: Type.Optional(
    Type.Array(
      Type.Object({
        ...requestSchema.properties,
        differs: Type.Array(Type.String(), {
          description: 'Members of `match` that it does not fit; none when it counts.',
        }),
        differences: Type.Array(differenceSchema, { description: 'Each member and condition that it does not fit.' }),
      }),
      { description: 'What came, most alike first; only when it is not verified.' },
    ),
  ),
});
