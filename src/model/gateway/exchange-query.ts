/** Queries of kept exchanges: lists, streams, verification, and exchanges that become a mock. */
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
  description: '`api.example.com` or `*.example.com`; add a port to match only that port.',
});
const url = Type.String({ minLength: 1, description: 'The URL as requested; `*` matches any text.' });
const ruleId = Type.String({ minLength: 1, description: 'Only exchanges in which this rule acted.' });
const outcome = Type.Enum([...EXCHANGE_OUTCOMES]);
const session = Type.String({ description: 'Only exchanges of this session; empty for exchanges without a session.' });

const filters = {
  host: Type.Optional(host),
  url: Type.Optional(url),
  ruleId: Type.Optional(ruleId),
  outcome: Type.Optional(outcome),
  method: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer({ description: 'Status that the client received.' })),
  since: Type.Optional(Type.Integer({ description: 'Milliseconds since the Unix epoch.' })),
  q: Type.Optional(
    Type.String({
      description:
        'Part of the URL, of a request header as `name: value`, or of the recorded request body. Ignores case.',
    }),
  ),
  header: Type.Optional(
    Type.String({ description: 'A required request header, as `name: value`; several headers on one line each.' }),
  ),
  bodyContains: Type.Optional(Type.String({ description: 'Part of the recorded request body.' })),
};

const query = {
  ...filters,
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only older exchanges: the `nextBefore` of the previous page.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TRAFFIC_LIMIT_MAX,
      default: TRAFFIC_LIMIT_DEFAULT,
      description: 'Page size.',
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
        'Resumes after the event with this `id`. A `Last-Event-ID` header has the same effect and takes precedence.',
    }),
  ),
};

export const exchangeStreamQuerySchema = Type.Object({ session: Type.Optional(session), ...streamQuery });

/** Criteria for exchanges. Refuses unknown members, because a misspelt one would match everything. */
const exchangeMatchSchema = Type.Object(
  {
    host: Type.Optional(host),
    url: Type.Optional(url),
    method: Type.Optional(
      Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Z-]+$", [EXPECTED]: 'an HTTP method in upper case' }),
    ),
    ruleId: Type.Optional(ruleId),
    outcome: Type.Optional(outcome),
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 999, description: 'Status that the client received.' }),
    ),
    header: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Request headers.' })),
    bodyContains: Type.Optional(
      Type.String({
        description: 'Part of the request body. The gateway keeps bodies only with `record` in its settings.',
      }),
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
      Type.Integer({ minimum: 0, description: 'Maximum count. Never verified after older exchanges were dropped.' }),
    ),
    exactly,
    withinMs,
  },
  { additionalProperties: false },
);

export const exchangeVerificationSchema = Type.Object({
  verified: Type.Boolean(),
  count: Type.Integer({ description: 'Count of matching exchanges.' }),
  truncated: Type.Boolean({ description: 'Whether older exchanges were dropped.' }),
  unjudged: Type.Optional(
    Type.Integer({
      description: 'With `bodyContains`: exchanges that match otherwise, but whose body was not recorded.',
    }),
  ),
  epoch: exchangeCountsSchema.properties.epoch,
  closest: Type.Optional(
    Type.Array(
      Type.Object({
        ...exchangeSummarySchema.properties,
        differs: Type.Array(Type.String(), {
          description: 'Members of `match` that differ; empty when the request counts.',
        }),
        differences: Type.Array(differenceSchema, { description: 'The differences, member by member.' }),
      }),
      { description: 'The closest requests, best match first; only when not verified.' },
    ),
  ),
});

/** Which exchanges with a host become routes, and of which mock: a new one, or the working copy of another. */
export const stageExchangesSchema = Type.Object(
  {
    host: Type.String({ ...host, maxLength: 300 }),
    mockId: Type.Optional(
      Type.String({ description: 'Mock whose working copy receives the routes. Without it, a new mock is created.' }),
    ),
    name: Type.Optional(Type.String({ minLength: 1, description: 'Name of the new mock. Default: the host.' })),
    attach: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also attaches the host to the mock: `attach` in the settings.',
      }),
    ),
    ...stageRecordingSchema.properties,
    session: recordingFilters.session,
  },
  { additionalProperties: false },
);
