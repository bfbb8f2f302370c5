/**
 * What is recorded of a mock's requests, and how it is asked for: the words that the data plane, the API and the client share.
 *
 * Schemas of what the API takes and returns; the plain types are what crosses between threads and processes.
 */
import { TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX, VERIFY_MS_MAX } from '../../limits.ts';
import { Type } from '../schema-type.ts';

/** Which recorded requests are asked for: those that fit everything named. */
export interface TrafficFilter {
  readonly routeId?: string;
  readonly responseId?: string;
  readonly status?: number;
  readonly method?: string;
  /** Percent-encoded, as received. */
  readonly path?: string;
  /** Beside `path`: or answered by one of these. */
  readonly routeIds?: readonly string[];
  /** Whether a route answered. */
  readonly matched?: boolean;
  /** Milliseconds since 1970. */
  readonly since?: number;
  /** Only those after the one with this number: for followers. */
  readonly afterNumber?: number;
  /** Names in lower case with the value that one of them has. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Decoded names and values. */
  readonly query?: Readonly<Record<string, string>>;
  /** Looked for in what was kept of the body. */
  readonly bodyContains?: string;
  /** How many to bring back, newest first. 0 only counts. At most TRAFFIC_LIMIT_MAX. */
  readonly limit: number;
  /** Bytes of those brought back, at least one; TRAFFIC_PAGE_BYTES_MAX when not given. */
  readonly bytesMax?: number;
}

/** One request that reached a mock. */
export interface TrafficRecord {
  /** Numbers the mock's requests from 1 since the last reset, in the order in which replies were chosen. */
  readonly number: number;
  /** When the reply was chosen: milliseconds since 1970. */
  readonly time: number;
  readonly method: string;
  /** As received; below the mock's own root. */
  readonly path: string;
  /** Without "?". */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: Uint8Array;
  readonly bodyTruncated: boolean;
  /** "" when no route answered. */
  readonly routeId: string;
  readonly responseId: string;
  readonly version: number;
  readonly status: number;
  /** Whole milliseconds from the request to the choice of its reply, with the latency that the reply was given. */
  readonly durationMs: number;
  /** Why the mock answered 500 instead of its response; "" when it did not. */
  readonly problem: string;
}

/** What one thread, or all of them, kept of the requests asked for. */
export interface TrafficPage {
  /** Newest first. */
  readonly records: readonly TrafficRecord[];
  /** How many requests fit the filter, of those kept. */
  readonly count: number;
  /** Whether older requests were dropped. */
  readonly truncated: boolean;
  /** From when on every request was kept (milliseconds since 1970); undefined when none was dropped. */
  readonly oldestTime: number | undefined;
}

/** Exact since the last reset. */
export interface MockCounts {
  readonly total: number;
  readonly unmatched: number;
  readonly routes: readonly {
    readonly routeId: string;
    readonly count: number;
    readonly responses: readonly { readonly responseId: string; readonly count: number }[];
  }[];
}

/** A recorded request as the API returns it. */
export const requestSchema = Type.Object({
  id: Type.String(),
  time: Type.Integer({ description: 'When its reply was chosen, in milliseconds since the Unix epoch.' }),
  method: Type.String(),
  path: Type.String({ description: "As received; below the mock's own root." }),
  query: Type.String({ description: 'As received, without "?".' }),
  headers: Type.Array(Type.Object({ name: Type.String({ description: 'In lower case.' }), value: Type.String() })),
  body: Type.String({ description: 'As text; bytes that are no UTF-8 are replaced.' }),
  bodyTruncated: Type.Boolean(),
  routeId: Type.Union([Type.String(), Type.Null()], { description: 'Null when no route matched.' }),
  responseId: Type.Union([Type.String(), Type.Null()]),
  version: Type.Integer(),
  status: Type.Integer(),
  durationMs: Type.Number(),
  problem: Type.Optional(Type.String({ description: 'Why the mock answered 500 instead of its response.' })),
});

export const requestQuerySchema = Type.Object({
  routeId: Type.Optional(Type.String()),
  responseId: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  method: Type.Optional(Type.String()),
  path: Type.Optional(Type.String({ description: 'As received.' })),
  matched: Type.Optional(Type.Boolean({ description: 'Whether a route answered.' })),
  since: Type.Optional(Type.Integer({ description: 'Milliseconds since the Unix epoch.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TRAFFIC_LIMIT_MAX, default: TRAFFIC_LIMIT_DEFAULT })),
});

const total = Type.Integer({ description: 'Count of those that match, of those kept.' });
const truncated = Type.Boolean({ description: 'Whether older ones were dropped.' });
const epoch = Type.String({
  description: 'Changes when the data plane had to start anew, and with it traffic and counts.',
});

/** What stands beside `data` in a page of recorded requests. */
export const requestPage = Type.Object({
  total,
  truncated,
  oldest: Type.Union([Type.Integer(), Type.Null()], {
    description: 'From when on every request was kept, in milliseconds since the Unix epoch.',
  }),
  epoch,
});

export const countsSchema = Type.Object({
  epoch,
  total: Type.Integer(),
  unmatched: Type.Integer(),
  routes: Type.Array(
    Type.Object({
      routeId: Type.String(),
      count: Type.Integer(),
      responses: Type.Array(Type.Object({ responseId: Type.String(), count: Type.Integer() })),
    }),
  ),
});

const times = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

/** What a verification expects. */
export const expectationSchema = Type.Object(
  {
    match: Type.Object(
      {
        method: Type.Optional(Type.String()),
        path: Type.Optional(Type.String({ description: "Exact, or a route's pattern." })),
        routeId: Type.Optional(Type.String()),
        responseId: Type.Optional(Type.String()),
        header: Type.Optional(Type.Record(Type.String(), Type.String())),
        query: Type.Optional(Type.Record(Type.String(), Type.String())),
        bodyContains: Type.Optional(Type.String()),
      },
      // What is misspelt would match everything.
      { additionalProperties: false },
    ),
    atLeast: times('1 when nothing else is asked.'),
    atMost: times('Never verified when older requests were dropped.'),
    exactly: times('As atMost.'),
    withinMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: VERIFY_MS_MAX, default: 0, description: 'How long to wait for it.' }),
    ),
  },
  { additionalProperties: false },
);

export const verificationSchema = Type.Object({
  verified: Type.Boolean(),
  count: Type.Integer(),
  truncated,
  epoch,
  closest: Type.Optional(
    Type.Array(
      Type.Object({
        ...requestSchema.properties,
        differs: Type.Array(Type.String(), {
          description: 'Members of `match` that it does not fit; none when it counts.',
        }),
      }),
      { description: 'What came, most alike first; only when it is not verified.' },
    ),
  ),
});
