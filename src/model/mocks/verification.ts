/** Verification of a mock's requests: what is expected of them, and how it turned out (docs/mocks-traffic.md). */
import { EXPLAINED_CHARS_MAX, EXPLAINED_VALUES_MAX, VERIFY_MS_MAX, VERIFY_STEPS_MAX } from '../../limits.ts';
import type { Static, TInteger, TObject, TProperties, TSchema, TString } from 'typebox';
import { callbackMatchSchema, callbackRecordSchema } from './callback-record.ts';
import { CLOSED, EXPECTED, Type } from '../schema-type.ts';
import { STREAM_ENDS } from './streams/stream-record.ts';
import { recordedConditionsShape } from './recorded-conditions.ts';
import { epochSchema, requestSchema, requestSummarySchema, traceIdSchema, unjudgedSchema } from './traffic.ts';

const times = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

const verifiedMessageSchema = Type.Enum(['in', 'out', 'any'], {
  description: 'WebSocket messages instead of requests, by direction.',
});

/** Criteria for requests. Refuses unknown members, because a misspelt one would match everything. */
export const matchSchema = Type.Object(
  {
    method: Type.Optional(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Z-]+$", [EXPECTED]: 'an HTTP method in upper case' }),
    ),
    path: Type.Optional(
      Type.String({
        pattern: '^/',
        [EXPECTED]: 'a path that starts with /',
        description: 'An exact path, or the path pattern of a route; parameter names do not matter.',
      }),
    ),
    routeId: Type.Optional(
      Type.String({ description: 'Id of a route in the saved version or a version that answered.' }),
    ),
    responseId: Type.Optional(Type.String({ description: 'Id of a response, like `routeId`.' })),
    header: Type.Optional(Type.Record(Type.String(), Type.String())),
    query: Type.Optional(Type.Record(Type.String(), Type.String())),
    bodyContains: Type.Optional(Type.String({ description: 'Part of the recorded body.' })),
    trace: Type.Optional(traceIdSchema),
    proxied: Type.Optional(Type.Boolean({ description: 'Whether the request was proxied to an upstream.' })),
    ended: Type.Optional(Type.Enum([...STREAM_ENDS], { description: 'How the stream of the response ended.' })),
    events: Type.Optional(
      Type.Object(
        {
          atLeast: Type.Optional(Type.Integer({ minimum: 0 })),
          atMost: Type.Optional(Type.Integer({ minimum: 0 })),
        },
        { ...CLOSED, description: 'Count of events sent so far.' },
      ),
    ),
    message: Type.Optional(verifiedMessageSchema),
    requestId: Type.Optional(Type.String({ description: 'With `message`: id of the handshake of the messages.' })),
    rules: Type.Optional(recordedConditionsShape),
  },
  CLOSED,
);

/** The expectation of a verification: of how many entries there were, or of their order. */
export function expectationOf<Match extends TSchema>(match: Match, entry: 'request' | 'exchange') {
  return Type.Object(
    {
      match: Type.Optional(match),
      inOrder: Type.Optional(
        Type.Array(match, {
          minItems: 1,
          maxItems: VERIFY_STEPS_MAX,
          description: `Instead of \`match\`: one ${entry} per step, in this order. Other ${entry}s may come in between.`,
        }),
      ),
      atLeast: times('Minimum count. Default: 1 if no other bound is given. Not above `atMost`.'),
      atMost: times(`Maximum count. Never verified after older ${entry}s were dropped.`),
      exactly: times('Exact count, instead of `atLeast` and `atMost`.'),
      withinMs: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: VERIFY_MS_MAX,
          default: 0,
          description: 'How long to wait for the expectation to hold.',
        }),
      ),
    },
    CLOSED,
  );
}

export const expectationSchema = expectationOf(matchSchema, 'request');

/** A difference between a request and `match`. */
const differenceSchema = Type.Object({
  path: Type.String({
    description: 'JSON pointer of the member or condition in the expectation: `/match/query/page`.',
  }),
  expected: Type.String(),
  actual: Type.Array(Type.String(), {
    description: `Actual values in the request: at most ${EXPLAINED_VALUES_MAX}, of ${EXPLAINED_CHARS_MAX} characters each. Empty when there are none.`,
  }),
  unjudged: Type.Optional(Type.String({ description: 'Why the request could not be compared.' })),
});

export interface Difference extends Omit<Static<typeof differenceSchema>, 'actual'> {
  readonly actual: readonly string[];
}

/** The same of how many callbacks there were. */
export const callbackExpectationSchema = Type.Object(
  {
    match: callbackMatchSchema,
    atLeast: expectationSchema.properties.atLeast,
    atMost: times('Maximum count. Never verified after callbacks were dropped or the egress process restarted.'),
    exactly: expectationSchema.properties.exactly,
    withinMs: expectationSchema.properties.withinMs,
  },
  CLOSED,
);

/** How a verification turned out. */
export function verificationOf<Found extends TObject, Closest extends TProperties>(
  entry: 'request' | 'exchange',
  shown: { readonly found: Found; readonly closest: Closest; readonly unjudged: TInteger; readonly epoch: TString },
) {
  return {
    verified: Type.Boolean(),
    count: Type.Integer({ description: `Count of matching ${entry}s, or with \`inOrder\` of steps found.` }),
    truncated: Type.Boolean({ description: `Whether older ${entry}s were dropped.` }),
    unjudged: Type.Optional(shown.unjudged),
    epoch: shown.epoch,
    order: Type.Optional(
      Type.Object(
        {
          missing: Type.Integer({ description: 'Index of the step that was not found.' }),
          found: Type.Array(shown.found, { description: `The ${entry}s of the earlier steps.` }),
        },
        { description: 'With `inOrder`, when not verified.' },
      ),
    ),
    closest: Type.Optional(
      Type.Array(
        Type.Object({
          ...shown.closest,
          differs: Type.Array(Type.String(), {
            description: 'Members of `match` that differ; empty when the request counts.',
          }),
          differences: Type.Array(differenceSchema, { description: 'The differences, by member and condition.' }),
        }),
        { description: 'The closest requests, best match first; only when not verified.' },
      ),
    ),
  };
}

const { properties: closest } = requestSchema;
const shown = { found: requestSummarySchema, closest, unjudged: unjudgedSchema, epoch: epochSchema };

export const verificationSchema = Type.Object({
  ...verificationOf('request', shown),
  callbacks: Type.Optional(
    Type.Array(callbackRecordSchema, {
      description: 'When callbacks are not verified: the newest callbacks.',
    }),
  ),
});
