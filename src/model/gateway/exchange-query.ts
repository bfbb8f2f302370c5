/** What is asked of kept exchanges: lists, streams, verification, and what becomes a mock. */
import { TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../limits.ts';
import { recordingFilters } from '../mocks/upstream/recording.ts';
import { stageRecordingSchema } from '../mocks/upstream/replay-schema.ts';
import { differenceSchema, expectationSchema } from '../mocks/verification.ts';
import { Type } from '../schema-type.ts';
import { EXPECTED } from '../validate.ts';
import { EXCHANGE_OUTCOMES, exchangeCountsSchema, exchangeSummarySchema } from './exchange.ts';

/** How a list of exchanges is answered. */
export const EXCHANGE_FORMATS: readonly [string, ...string[]] = ['json', 'har'];

const host = Type.String({
  minLength: 1,
  description: '`api.example.com`, `*.example.com`; with a port for this one alone.',
});
const url = Type.String({ minLength: 1, description: 'As it was asked for; `*` stands for any text.' });
const ruleId = Type.String({ minLength: 1, description: 'Exchanges in which this rule acted.' });
const outcome = Type.Enum([...EXCHANGE_OUTCOMES]);
const session = Type.String({ description: 'Those of this session; empty for those outside of sessions.' });

const filters = {
  host: Type.Optional(host),
  url: Type.Optional(url),
  ruleId: Type.Optional(ruleId),
  outcome: Type.Optional(outcome),
  method: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer({ description: 'That the client got.' })),
  since: Type.Optional(Type.Integer({ description: 'Milliseconds since the Unix epoch.' })),
  q: Type.Optional(
    Type.String({
      description: 'In any case: a part of the URL, of a header of the request as `name: value`, or of its kept body.',
    }),
  ),
  header: Type.Optional(
    Type.String({ description: 'A header that the request must have, as `name: value`; several on a line each.' }),
  ),
  bodyContains: Type.Optional(Type.String({ description: 'A part of the kept body of the request.' })),
};

const query = {
  ...filters,
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only older exchanges: the `nextBefore` of the page before.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TRAFFIC_LIMIT_MAX,
      default: TRAFFIC_LIMIT_DEFAULT,
      description: 'Count of exchanges at most.',
    }),
  ),
  format: Type.Optional(
    Type.Enum([...EXCHANGE_FORMATS], {
      default: 'json',
      description: 'har: the page as an HTTP archive, without the envelope.',
    }),
  ),
};

export const exchangeQuerySchema = Type.Object({ session: Type.Optional(session), ...query });

const streamQuery = {
  ...filters,
  after: Type.Optional(
    Type.String({
      description:
        'Goes on after the event with this `id`. A `Last-Event-ID` header has the same effect, and comes first.',
    }),
  ),
};

export const exchangeStreamQuerySchema = Type.Object({ session: Type.Optional(session), ...streamQuery });

/** What exchanges must be. A misspelt member would match everything. */
export const exchangeMatchSchema = Type.Object(
  {
    host: Type.Optional(host),
    url: Type.Optional(url),
    method: Type.Optional(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Z-]+$", [EXPECTED]: 'a method, which is in upper case' }),
    ),
    ruleId: Type.Optional(ruleId),
    outcome: Type.Optional(outcome),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 999, description: 'That the client got.' })),
    header: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Of the request.' })),
    bodyContains: Type.Optional(
      Type.String({ description: 'A part of the body of the request: bodies are kept where settings have `record`.' }),
    ),
    session: Type.Optional(session),
  },
  { additionalProperties: false },
);

const { atLeast, exactly, withinMs } = expectationSchema.properties;

export const exchangeExpectationSchema = Type.Object(
  {
    match: exchangeMatchSchema,
    atLeast,
    atMost: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Never verified when older exchanges were dropped.' }),
    ),
    exactly,
    withinMs,
  },
  { additionalProperties: false },
);

export const exchangeVerificationSchema = Type.Object({
  verified: Type.Boolean(),
  count: Type.Integer({ description: 'Of exchanges that match.' }),
  truncated: Type.Boolean({ description: 'Whether older ones were dropped.' }),
  unjudged: Type.Optional(
    Type.Integer({ description: 'With `bodyContains`: those that match otherwise, and whose body is not kept.' }),
  ),
  epoch: exchangeCountsSchema.properties.epoch,
  closest: Type.Optional(
    Type.Array(
      Type.Object({
        ...exchangeSummarySchema.properties,
        differs: Type.Array(Type.String(), {
          description: 'Members of `match` that it does not fit; none when it counts.',
        }),
        differences: Type.Array(differenceSchema, { description: 'Each member that it does not fit.' }),
      }),
      { description: 'What came, most alike first; only when it is not verified.' },
    ),
  ),
});

/** Which exchanges with a host become routes, and of which mock: a new one, or the working copy of another. */
export const stageExchangesSchema = Type.Object(
  {
    host: Type.String({ ...host, maxLength: 300 }),
    mockId: Type.Optional(Type.String({ description: 'Whose working copy it is. Without it a new mock is made.' })),
    name: Type.Optional(Type.String({ minLength: 1, description: 'Of a new mock: the host by default.' })),
    attach: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Requests for the host go to the mock from then on: `attach` in settings.',
      }),
    ),
    ...stageRecordingSchema.properties,
    session: recordingFilters.session,
  },
  { additionalProperties: false },
);
