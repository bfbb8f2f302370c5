/** The queries of recorded requests: of their list, and of their stream. */
import { PAGE_BYTES_MAX, TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../limits.ts';
import { Type } from '../schema-type.ts';
import { FAULT_KINDS } from './definition/definition.ts';
import { MESSAGE_CHOICES } from './sockets/message-record.ts';
import { STREAM_ENDS } from './streams/stream-record.ts';
import { traceIdSchema } from './traffic.ts';

const messageFilterSchema = Type.Enum([...MESSAGE_CHOICES], {
  description: 'WebSocket messages instead of requests, by direction or `any`; `also`: in addition to requests.',
});

/** How recorded requests are answered. */
export const REQUEST_FORMATS: readonly [string, ...string[]] = ['list', 'har'];

/** Parts of a recorded request to return. */
export const REQUEST_FIELDS: readonly [string, ...string[]] = ['all', 'summary'];

/** Selects recorded requests: those that fit every parameter that is given. */
const requestFilters = {
  routeId: Type.Optional(Type.String()),
  responseId: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  fault: Type.Optional(Type.Enum([...FAULT_KINDS], { description: 'The fault that struck.' })),
  ended: Type.Optional(Type.Enum([...STREAM_ENDS], { description: 'How the stream of the response ended.' })),
  proxied: Type.Optional(Type.Boolean({ description: 'Whether the request was proxied to an upstream.' })),
  message: Type.Optional(messageFilterSchema),
  requestId: Type.Optional(Type.String({ description: 'Id of the handshake of the messages.' })),
  method: Type.Optional(Type.String()),
  path: Type.Optional(Type.String({ description: 'As received.' })),
  matched: Type.Optional(Type.Boolean({ description: 'Whether a route answered.' })),
  since: Type.Optional(Type.Integer({ description: 'Milliseconds since the Unix epoch.' })),
  q: Type.Optional(
    Type.String({
      description: 'Part of the path with query, of a header as `name: value`, or of the recorded body. Ignores case.',
    }),
  ),
  header: Type.Optional(
    Type.String({ description: 'A required header, as `name: value`; several headers on one line each.' }),
  ),
  query: Type.Optional(
    Type.String({ description: 'Required parameters, as a query: `page=2&sort=name`, percent-encoded.' }),
  ),
  bodyContains: Type.Optional(Type.String({ description: 'Part of the recorded body.' })),
  trace: Type.Optional(traceIdSchema),
  rules: Type.Optional(
    Type.String({ description: 'Conditions like those of a response, as the JSON text of an array; all must hold.' }),
  ),
  fields: Type.Optional(
    Type.Enum([...REQUEST_FIELDS], { default: 'all', description: 'summary: without headers and body.' }),
  ),
};

const session = Type.Optional(
  Type.String({ description: 'Only requests of this session; empty for requests without a session.' }),
);

const requestQuery = {
  format: Type.Optional(
    Type.Enum([...REQUEST_FORMATS], {
      default: 'list',
      description: 'har: the page as an HTTP archive, without the envelope.',
    }),
  ),
  ...requestFilters,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: TRAFFIC_LIMIT_MAX,
      default: TRAFFIC_LIMIT_DEFAULT,
      description: `Page size. A page ends early at ${PAGE_BYTES_MAX / 1_000_000} MB, but has at least one request.`,
    }),
  ),
  before: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only requests with lower ids: the `nextBefore` of the previous page.' }),
  ),
};

export const requestQuerySchema = Type.Object({ session, ...requestQuery });

/** For one session. */
export const sessionRequestQuerySchema = Type.Object(requestQuery);

const streamQuery = {
  ...requestFilters,
  after: Type.Optional(
    Type.String({
      description:
        'Resumes after the event with this `id`, or after the request with this id. A `Last-Event-ID` header has the same effect and takes precedence.',
    }),
  ),
};

export const streamQuerySchema = Type.Object({ session, ...streamQuery });

/** For one session. */
export const sessionStreamQuerySchema = Type.Object(streamQuery);
