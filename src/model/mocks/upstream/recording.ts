/**
 * Exchanges of a mock with its upstream, as they are recorded: the types that the egress process, the API and the client share. Values of
 * credentials are replaced in all of it; docs/mocks-upstream.md, "Record a real service".
 */
import type { Static, TObject } from 'typebox';
import { listParameters, pageMembers } from '../../journal.ts';
import { headerLineSchema } from '../../header-lines.ts';
import { Type } from '../../schema-type.ts';
import type { Value } from '../../schema-value.ts';

const headers = Type.Array(headerLineSchema);

/** The members that a body is shown by. */
export const recordedBody = {
  body: Type.String({ description: 'The decoded body. Text, or base64 with `bodyEncoding`.' }),
  bodyEncoding: Type.Optional(Type.Literal('base64', { description: 'Present when the body is not valid UTF-8.' })),
  bodyOmitted: Type.Optional(
    Type.Enum(['tooLarge', 'cut', 'undecodable', 'busy'], {
      description:
        'Why the body is missing: larger than 1 MB, incomplete, in an unsupported encoding or charset, or too many exchanges were waiting.',
    }),
  ),
};

/** Why the body of a request or an answer is not kept. */
export type BodyOmitted = NonNullable<Static<typeof recordedBody.bodyOmitted>>;

export const exchangeSchema = Type.Object({
  id: Type.String({ description: 'Sequence number among the exchanges of the mock, by start.' }),
  session: Type.Optional(Type.String({ description: 'Id of the session; absent without a session.' })),
  time: Type.Integer({ description: 'When the request was sent, in milliseconds since the Unix epoch.' }),
  headMs: Type.Optional(Type.Number({ description: 'Milliseconds until the response head; absent without one.' })),
  durationMs: Type.Number({ description: 'Milliseconds until the end of the response, or so far.' }),
  method: Type.String(),
  path: Type.String({ description: 'As the client sent it, without the root of the mock.' }),
  query: Type.String({ description: 'As the client sent it, without "?".' }),
  url: Type.String({ description: 'URL requested from the upstream.' }),
  request: Type.Object({ headers, ...recordedBody }),
  response: Type.Optional(
    Type.Object(
      { status: Type.Integer(), reason: Type.String(), headers, ...recordedBody },
      { description: 'As the client received it; absent when the upstream did not answer.' },
    ),
  ),
  partial: Type.Optional(Type.Literal(true, { description: 'A body is missing: see `bodyOmitted`.' })),
  open: Type.Optional(Type.Literal(true, { description: 'The response is incomplete: the body is its start.' })),
  failed: Type.Optional(
    Type.Object({ kind: Type.String(), reason: Type.String() }, { description: 'Why the upstream did not answer.' }),
  ),
});

/** One request that was sent to an upstream, and its answer. */
export type RecordedExchange = Static<typeof exchangeSchema>;

/** Members of a question about a recording. */
export const recordingFilters = {
  session: Type.Optional(
    Type.String({
      description: 'Only exchanges of this session, even after it ended; empty for exchanges without a session.',
    }),
  ),
  since: Type.Optional(Type.Integer({ description: 'Milliseconds since the Unix epoch.' })),
  status: Type.Optional(Type.Integer({ description: 'Response status; 0 without a response.' })),
};

/** Which exchanges of a mock are wanted: those that fit every member that is set. */
export interface RecordingFilter extends Value<TObject<typeof recordingFilters>> {
  /** That of the upstream, as settings of the gateway name hosts. */
  readonly host?: string;
}

export const recordingQuerySchema = Type.Object({
  ...recordingFilters,
  ...listParameters('exchange', 'list', 'all exchanges'),
});

export const clearRecordingQuerySchema = Type.Object({ session: recordingFilters.session });

/** Members next to `data` in a page of a recording. */
export const recordingPage = Type.Object({
  ...pageMembers('exchange'),
  dropped: Type.Integer({ description: 'Count of exchanges of the mock since its recording was cleared.' }),
  bytes: Type.Integer({ description: 'Size of the recording of the mock.' }),
  epoch: Type.Union([Type.String(), Type.Null()], {
    description: 'Changes when the egress process restarts, which discards recordings; null while it does not run.',
  }),
});

/** A page, newest first. */
export interface RecordingPage extends Static<typeof recordingPage> {
  readonly exchanges: readonly RecordedExchange[];
}
