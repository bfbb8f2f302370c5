/** Queries of kept exchanges: lists, streams, verification, and exchanges that become a mock. */
import { recordingFilters } from '../mocks/upstream/recording.ts';
import { stageRecordingSchema } from '../mocks/upstream/replay-schema.ts';
import { expectationOf, matchSchema, verificationOf } from '../mocks/verification.ts';
import { listParameters, streamParameters } from '../journal.ts';
import { CLOSED, Type } from '../schema-type.ts';
import { exchangeCountsSchema, exchangeFilters, exchangeSummarySchema } from './exchange.ts';

export const exchangeQuerySchema = Type.Object({ ...exchangeFilters, ...listParameters('exchange', 'json') });

export const exchangeStreamQuerySchema = Type.Object({ ...exchangeFilters, ...streamParameters('exchange') });

const { host, url, ruleId, outcome, session } = exchangeFilters;

/** Criteria for exchanges. Refuses unknown members, because a misspelt one would match everything. */
const exchangeMatchSchema = Type.Object(
  {
    host,
    url,
    method: matchSchema.properties.method,
    ruleId,
    outcome,
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 999, description: 'Status that the client received.' }),
    ),
    header: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Request headers.' })),
    bodyContains: Type.Optional(
      Type.String({
        description: 'Part of the request body. The gateway keeps bodies only with `record` in its settings.',
      }),
    ),
    session,
  },
  CLOSED,
);

export const exchangeExpectationSchema = expectationOf(exchangeMatchSchema, 'exchange');

export const exchangeVerificationSchema = Type.Object(
  verificationOf('exchange', {
    found: exchangeSummarySchema,
    closest: exchangeSummarySchema.properties,
    unjudged: Type.Integer({
      description: 'With `bodyContains`: exchanges that match otherwise, but whose body was not recorded.',
    }),
    epoch: exchangeCountsSchema.properties.epoch,
  }),
);

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
  CLOSED,
);
