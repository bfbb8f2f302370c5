/**
 * Recorded requests of a mock and their filters: the types that the data plane, the API and the client share.
 *
 * Schemas describe what the API accepts and returns; the plain types are sent between threads and processes.
 */
import type { TObject } from 'typebox';
import { BODY_READINGS, type BodyReading } from './definition/body-reading.ts';
import { pageMembers, type JournalPage, type JournalRange } from '../journal.ts';
import { consoleSchema, skippedRulesSchema, type ConsoleLine, type SkippedRule } from '../rule-reports.ts';
import { EXPECTED, Type } from '../schema-type.ts';
import { type FaultKind } from './definition/definition.ts';
import { MESSAGE_CHOICES, messageOutcomeSchema, type MessageOutcome } from './sockets/message-record.ts';
import { STREAM_ENDS, streamOutcomeSchema, type Between, type StreamOutcome } from './streams/stream-record.ts';
import { TRACE_ID_PATTERN } from './trace.ts';
import type { RecordedConditions } from './recorded-conditions.ts';
import { FAULT_KINDS } from './behaviour/behaviour-schema.ts';
import type { Value } from '../schema-value.ts';

/** In a filter, or of a request. */
export const traceIdSchema = Type.String({
  pattern: TRACE_ID_PATTERN,
  [EXPECTED]: 'the id of a trace: 32 digits of lower-case hexadecimal',
  description: 'The id of a trace, by the header `traceparent`.',
});

/** Parameters that select recorded requests: those that fit every one that is given. */
export const requestFilters = {
  session: Type.Optional(
    Type.String({ description: 'Only requests of this session; empty for requests without a session.' }),
  ),
  routeId: Type.Optional(Type.String()),
  responseId: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  fault: Type.Optional(Type.Enum([...FAULT_KINDS], { description: 'The fault that struck.' })),
  ended: Type.Optional(Type.Enum([...STREAM_ENDS], { description: 'How the stream of the response ended.' })),
  proxied: Type.Optional(Type.Boolean({ description: 'Whether the request was proxied to an upstream.' })),
  message: Type.Optional(
    Type.Enum([...MESSAGE_CHOICES], {
      description: 'WebSocket messages instead of requests, by direction or `any`; `also`: in addition to requests.',
    }),
  ),
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
    Type.Enum(['all', 'summary'], { default: 'all', description: 'summary: without headers and body.' }),
  ),
};

/** Selects the recorded requests that match every member that is set. */
export interface TrafficFilter
  extends JournalRange, Omit<Value<TObject<typeof requestFilters>>, 'header' | 'query' | 'rules' | 'fields'> {
  /** Events that were sent of it. */
  readonly events?: Between;
  /** An alternative to `path`: answered by one of these routes, by the version that they were in. */
  readonly routeIdsByVersion?: ReadonlyMap<number, ReadonlySet<string>>;
  /** Names in lower case, each with a value that one header of that name must have. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Decoded names and values. */
  readonly query?: Readonly<Record<string, string>>;
  /** Requests for which they cannot be judged do not match: they are counted as `unjudged`. */
  readonly conditions?: RecordedConditions;
  /** Whether conditions are asked from the oldest request on, and of no more than are returned: `count` is of these. */
  readonly stopsAtLimit?: boolean;
  /** Whether headers and bodies are not returned. */
  readonly isSummary?: boolean;
  /** Whether to return the versions of all recorded requests, not only of the matching ones. */
  readonly namesVersions?: boolean;
}

/** One request that reached a mock. */
export interface TrafficRecord {
  /**
   * Number of the request among all of the mock, in sessions and outside, in the order in which replies were chosen. From 1 since
   * the last reset; while sessions live, a reset goes on with the numbers.
   */
  readonly number: number;
  /** The id of its session; "" outside of sessions. */
  readonly session: string;
  /** When the reply was chosen: milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** Path as received, without the mock's root. */
  readonly path: string;
  /** Without "?". */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: Uint8Array;
  readonly bodyTruncated: boolean;
  /** Null when the body was not recorded completely, so that it is unknown. */
  readonly bodyReadAs: BodyReading | null;
  /** "" when no route answered. */
  readonly routeId: string;
  readonly responseId: string;
  readonly version: number;
  readonly status: number;
  /** Milliseconds, rounded, from the request to the choice of its reply, with the reply's configured latency. */
  readonly durationMs: number;
  /** The reason why the mock answered 500 instead of its response, or that its rate limit refused; "" otherwise. */
  readonly problem: string;
  /** The fault that struck; absent without one. */
  readonly fault?: FaultKind;
  /** Absent where the answer is neither a stream nor a WebSocket. */
  readonly stream?: StreamOutcome;
  /** Present for a message on a WebSocket, absent for a request. */
  readonly message?: MessageOutcome;
  /** Whether it was sent on to an upstream; absent when not. */
  readonly proxied?: true;
  /** Outcome at the upstream; absent unless proxied. */
  readonly upstream?: UpstreamOutcome;
}

const RULE_OUTCOMES = ['forward', 'blocked', 'served', 'failed'] as const;

/** Outcome of a proxied request. */
export interface UpstreamOutcome {
  readonly host: string;
  /** 0 where it has not answered. */
  readonly status: number;
  /** Milliseconds until the head of its answer, or until it was certain that none comes. */
  readonly ms: number;
  /** The kind of the failure; "" where it has answered. */
  readonly problem: string;
  /** Outcome of rules, and those that acted; absent when rules do not apply to proxied requests. */
  readonly outcome?: (typeof RULE_OUTCOMES)[number] | undefined;
  readonly ruleIds?: readonly string[];
  /** Like those of a gateway exchange; absent when there are none. */
  readonly skipped?: readonly SkippedRule[] | undefined;
  readonly console?: readonly ConsoleLine[] | undefined;
}

/** Represents the outcome for clients, in lists and HAR files. */
export function representUpstream({ host, status, ms, problem, ...ruled }: UpstreamOutcome): object {
  return { host, status: status === 0 ? null : status, ms, ...(problem === '' ? {} : { problem }), ...ruled };
}

/** The matching requests that one thread, or all of them, recorded. */
export interface TrafficPage extends JournalPage<TrafficRecord> {
  /** Every request since then was kept (milliseconds since 1970); undefined when none was dropped. */
  readonly oldestTime: number | undefined;
  /** Versions of the mock that answered the recorded requests; empty unless requested. */
  readonly versions: readonly number[];
}

export const bodyReadingSchema = Type.Enum([...BODY_READINGS], {
  description:
    'JSON when the body parses as JSON, whatever its content type; a form when it is declared as one and is not a JSON object or array.',
});

const requestLine = {
  id: Type.String(),
  session: Type.Optional(Type.String({ description: 'Id of the session; absent without a session.' })),
  time: Type.Integer({ description: 'When the response was chosen, in milliseconds since the Unix epoch.' }),
  method: Type.String(),
  path: Type.String({ description: "As received, without the mock's root." }),
  query: Type.String({ description: 'As received, without "?".' }),
};

const requestOutcome = {
  routeId: Type.Union([Type.String(), Type.Null()], { description: 'Null when no route matched.' }),
  responseId: Type.Union([Type.String(), Type.Null()]),
  version: Type.Integer(),
  status: Type.Integer({ description: '0 when a fault prevented a response.' }),
  durationMs: Type.Number(),
  problem: Type.Optional(
    Type.String({
      description:
        'Why the mock answered 500 instead of the response, or 404 although a route matched; `rate limit` when the rate limit refused the request.',
    }),
  ),
  fault: Type.Optional(Type.Enum([...FAULT_KINDS], { description: 'The fault that struck.' })),
  stream: Type.Optional(streamOutcomeSchema),
  message: Type.Optional(messageOutcomeSchema),
  proxied: Type.Optional(Type.Literal(true, { description: 'Present when the request was proxied to an upstream.' })),
  upstream: Type.Optional(
    Type.Object(
      {
        host: Type.String(),
        status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null when the upstream did not answer.' }),
        ms: Type.Integer({ description: 'Milliseconds until the response head, or until the failure.' }),
        problem: Type.Optional(Type.String({ description: 'The kind of the failure, as in `x-switchyard-error`.' })),
        outcome: Type.Optional(
          Type.Enum([...RULE_OUTCOMES], {
            description: 'What rules did; present with `settings.proxy.rules`.',
          }),
        ),
        ruleIds: Type.Optional(Type.Array(Type.String(), { description: 'The first 20 rules that acted, in order.' })),
        skipped: Type.Optional(skippedRulesSchema),
        console: Type.Optional(consoleSchema),
      },
      { description: 'How the upstream answered; present when the request was proxied.' },
    ),
  ),
};

/** A recorded request as the API returns it. */
export const requestSchema = Type.Object({
  ...requestLine,
  headers: Type.Array(Type.Object({ name: Type.String({ description: 'In lower case.' }), value: Type.String() })),
  body: Type.String({ description: 'As text, or in base64 where `bodyEncoding` says so.' }),
  bodyEncoding: Type.Optional(Type.Literal('base64', { description: 'Present when the body is not UTF-8.' })),
  bodyTruncated: Type.Boolean(),
  bodyReadAs: Type.Union([bodyReadingSchema, Type.Null()], {
    description: 'How conditions and templates parse the body; null when it is truncated.',
  }),
  traceId: Type.Optional(traceIdSchema),
  ...requestOutcome,
});

/** With `fields=summary`. */
export const requestSummarySchema = Type.Object({ ...requestLine, ...requestOutcome });

export const unjudgedSchema = Type.Integer({
  description:
    'With `rules`: count of requests that match otherwise, but whose conditions could not be evaluated: the body was not recorded completely, or they take too much work.',
});
export const epochSchema = Type.String({
  description: 'Changes when the data plane restarts, which resets traffic and counts.',
});

/** Members next to `data` in a page of recorded requests. */
export const requestPage = Type.Object({
  ...pageMembers('request'),
  unjudged: Type.Optional(unjudgedSchema),
  oldest: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Time since which every request is kept, in milliseconds since the Unix epoch.',
  }),
  epoch: epochSchema,
});

const totals = {
  total: Type.Integer(),
  unmatched: Type.Integer({
    description: 'Requests that no route answered, including those that an upstream answered.',
  }),
  proxied: Type.Optional(Type.Integer({ description: 'Requests proxied to an upstream; absent when zero.' })),
  messages: Type.Optional(
    Type.Object(
      { in: Type.Integer(), out: Type.Integer() },
      { description: 'WebSocket messages, not included in `total`; absent when zero.' },
    ),
  ),
  statuses: Type.Array(Type.Object({ status: Type.Integer(), count: Type.Integer() }), {
    description: 'By response status, ascending; 0 when a fault prevented a response.',
  }),
};

/** Exact since the last reset. */
export interface MockTotals extends Value<TObject<typeof totals>> {}

const ownerWaits = Type.Optional(
  Type.Object(
    {
      ownerId: Type.String(),
      waiting: Type.Integer({ description: 'Requests waiting now.' }),
      waited: Type.Integer({ description: 'Requests and WebSocket messages that have waited.' }),
      refused: Type.Integer({ description: 'Requests refused because too many were waiting.' }),
      longestWaitMs: Type.Integer({ description: 'How long requests waited.' }),
    },
    {
      description:
        'Waiting of all mocks of the owner for their share of the node, since the data plane started. Absent until a request waited 100 ms or was refused.',
    },
  ),
);

/** The data of a stream's `counts` event. */
export const totalsSchema = Type.Object({
  epoch: epochSchema,
  time: Type.Integer({ description: 'When they were read, in milliseconds since the Unix epoch.' }),
  ...totals,
  ownerWaits,
});

export const countsQuerySchema = Type.Object({
  sessions: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether to include requests of live sessions.' }),
  ),
});

export const countsSchema = Type.Object({
  epoch: epochSchema,
  ...totals,
  routes: Type.Array(
    Type.Object({
      routeId: Type.String(),
      count: Type.Integer(),
      responses: Type.Array(Type.Object({ responseId: Type.String(), count: Type.Integer() })),
    }),
  ),
});

/** Counts with `ownerWaits`, which the summary of an ended session lacks. */
export const shownCountsSchema = Type.Object({ ...countsSchema.properties, ownerWaits });

/** `AllCounts` in the form of the API. */
export const allCountsSchema = Type.Object({
  epoch: epochSchema,
  mocks: Type.Array(
    Type.Object({
      mockId: Type.String(),
      ...totals,
    }),
    {
      description: 'In order of creation.',
    },
  ),
});

export interface MockCounts extends Omit<Value<typeof countsSchema>, 'epoch'> {}

/** The same of several mocks, without their routes. */
export interface AllCounts extends Omit<Value<typeof allCountsSchema>, 'epoch'> {}
