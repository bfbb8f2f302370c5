/**
 * Exchanges of a mock with its upstream, as they are recorded: the types that the egress process, the API and the client share. Values of
 * credentials are replaced in all of it; docs/mocks.md, "Record a real service".
 */
import type { Static } from 'typebox';
import { PAGE_BYTES_MAX, TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import { Type } from '../../schema-type.ts';

const headers = Type.Array(Type.Object({ name: Type.String(), value: Type.String() }));

/** The members that a body is shown by. */
export const recordedBody = {
  body: Type.String({ description: 'Without content coding. As text, or in base64 where `bodyEncoding` says so.' }),
  bodyEncoding: Type.Optional(Type.Literal('base64', { description: 'Present when the body is not UTF-8.' })),
  bodyOmitted: Type.Optional(
    Type.Enum(['tooLarge', 'cut', 'undecodable', 'busy'], {
      description:
        'Why the body is not kept: larger than 1 MB, not received to its end, in a coding or charset that cannot be read, or too many waited.',
    }),
  ),
};

/** Why the body of a request or an answer is not kept. */
export type BodyOmitted = NonNullable<Static<typeof recordedBody.bodyOmitted>>;

export const exchangeSchema = Type.Object({
  id: Type.String({ description: 'Its number among those of the mock, in the order in which they began.' }),
  session: Type.Optional(Type.String({ description: 'Of which session; absent outside of sessions.' })),
  time: Type.Integer({ description: 'When it was sent, in milliseconds since the Unix epoch.' }),
  headMs: Type.Optional(Type.Number({ description: 'Until the head of the answer; absent without one.' })),
  durationMs: Type.Number({ description: 'Until the end of the answer, or so far.' }),
  method: Type.String(),
  path: Type.String({ description: "As the client sent it, without the mock's root." }),
  query: Type.String({ description: 'As the client sent it, without "?".' }),
  url: Type.String({ description: 'What the upstream was asked for.' }),
  request: Type.Object({ headers, ...recordedBody }),
  response: Type.Optional(
    Type.Object(
      { status: Type.Integer(), reason: Type.String(), headers, ...recordedBody },
      { description: 'As the client got it; absent where the upstream did not answer.' },
    ),
  ),
  partial: Type.Optional(Type.Literal(true, { description: 'A body is not kept: see `bodyOmitted`.' })),
  open: Type.Optional(
    Type.Literal(true, { description: 'The answer has not ended, or never did: the body is its beginning.' }),
  ),
  failed: Type.Optional(
    Type.Object({ kind: Type.String(), reason: Type.String() }, { description: 'Why the upstream did not answer.' }),
  ),
});

/** One request that was sent to an upstream, and its answer. */
export type RecordedExchange = Static<typeof exchangeSchema>;

/** Members of a question about a recording. */
export const recordingFilters = {
  session: Type.Optional(
    Type.String({ description: 'Those of this session, also when it has ended; empty for those outside of sessions.' }),
  ),
  since: Type.Optional(Type.Integer({ description: 'Milliseconds since the Unix epoch.' })),
  status: Type.Optional(Type.Integer({ description: 'Of the answer; 0 where there is none.' })),
};

/** Which exchanges of a mock are wanted: those that fit every member that is set. */
export interface RecordingFilter {
  readonly session?: string;
  readonly since?: number;
  readonly status?: number;
  /** Of the upstream, as settings of the gateway name hosts. */
  readonly host?: string;
}

/** How a recording is answered. */
export const RECORDING_FORMATS: readonly [string, ...string[]] = ['list', 'har'];

export const recordingQuerySchema = Type.Object({
  ...recordingFilters,
  format: Type.Optional(
    Type.Enum([...RECORDING_FORMATS], {
      default: 'list',
      description: 'har: all of them as an HTTP archive, without the envelope.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TRAFFIC_LIMIT_MAX,
      default: TRAFFIC_LIMIT_DEFAULT,
      description: `Count of exchanges at most. A page ends early at ${PAGE_BYTES_MAX / 1_000_000} MB, with at least one.`,
    }),
  ),
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only exchanges of lower ids: the `nextBefore` of the page before.' }),
  ),
});

export const clearRecordingQuerySchema = Type.Object({ session: recordingFilters.session });

/** Members next to `data` in a page of a recording. */
export const recordingPage = Type.Object({
  total: Type.Integer({ description: 'Count of those that match, of those kept.' }),
  truncated: Type.Boolean({ description: 'Whether older ones were dropped.' }),
  dropped: Type.Integer({ description: 'How many of the mock, since its recording was cleared.' }),
  bytes: Type.Integer({ description: 'What the recording of the mock takes.' }),
  nextBefore: Type.Union([Type.Integer(), Type.Null()], {
    description: 'For `before`, to read on; null when no older ones match.',
  }),
  epoch: Type.Union([Type.String(), Type.Null()], {
    description:
      'Changes when the process that reaches upstreams had to start anew, and with it recordings; null while it does not run.',
  }),
});

/** A page, newest first. */
export interface RecordingPage extends Static<typeof recordingPage> {
  readonly exchanges: readonly RecordedExchange[];
}
