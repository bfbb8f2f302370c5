/** Exchanges of the gateway, as it keeps and shows them: docs/gateway.md. */
import type { Static } from 'typebox';
import { evaluationSchema } from '../evaluation.ts';
import { headerLineSchema } from '../header-lines.ts';
import { recordedBody } from '../mocks/upstream/recording.ts';
import { skippedRulesSchema, type ConsoleLine, type SkippedRule } from '../rule-reports.ts';
import { Type } from '../schema-type.ts';

export const EXCHANGE_OUTCOMES = ['forward', 'redirect', 'blocked', 'served', 'failed', 'tunnelled'] as const;
export type ExchangeOutcome = (typeof EXCHANGE_OUTCOMES)[number];

export interface ExchangeLine {
  readonly name: string;
  readonly value: string;
}

interface ExchangeStep {
  readonly ruleId: string;
  readonly name: string;
  readonly phase: string;
  readonly pairId: string;
  readonly changed: readonly {
    readonly what: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
}

/** A body that was kept. */
export type ExchangeBody = Static<typeof exchangeBodySchema>;

interface ExchangeSummary {
  /** From 1, for each owner and start of the gateway. */
  readonly number: number;
  /** When its head came, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly user: string;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly outcome: ExchangeOutcome;
  /** The rules that acted, in this order. */
  readonly ruleIds: readonly string[];
  /** Why the upstream has not answered. */
  readonly problem?: string | undefined;
  /** The mock that was asked because the host is attached to it. */
  readonly attached?: string | undefined;
  /** Until the head of the answer was sent. */
  readonly ms: number;
  /** Undefined outside of sessions. */
  readonly session?: string | undefined;
  /** Undefined outside of sessions, and for one without a label. */
  readonly sessionLabel?: string | undefined;
  /** From when the request was sent on until the head of the upstream's answer came. */
  readonly upstreamMs?: number | undefined;
  /** Its client left before an answer began: `status` is 0. */
  readonly ended?: 'client' | undefined;
  /** Until the answer was sent as a whole; undefined while it is not. */
  readonly totalMs?: number | undefined;
}

export interface ExchangeRecord extends ExchangeSummary {
  readonly requestHeaders: readonly ExchangeLine[];
  readonly statusText: string;
  readonly responseHeaders: readonly ExchangeLine[];
  /** The upstream response before rules changed it, with its body if a rule replaced that. */
  readonly upstream?:
    | ({ readonly status: number; readonly headers: readonly ExchangeLine[] } & Partial<ExchangeBody>)
    | undefined;
  /** The request body sent to the upstream. */
  readonly requestBody?: ExchangeBody | undefined;
  /** The response body that the client received. */
  readonly responseBody?: ExchangeBody | undefined;
  readonly reason?: string | undefined;
  readonly location: string | null;
  readonly delayMs: number;
  readonly steps: readonly ExchangeStep[];
  /** Rules that the exchange prevented from acting. */
  readonly skipped: readonly SkippedRule[];
  /** Console output of rule code; undefined or empty without output. */
  readonly console?: readonly ConsoleLine[] | undefined;
  /** The owner's version whose rules it began with. */
  readonly version: number;
  /** Its number in the recording of the owner; undefined where it is in none. */
  readonly recording?: number | undefined;
  /** When its session was made: another one may have had the same id before. */
  readonly sessionMadeAt?: number | undefined;
}

/** Id of the recording of an owner's exchanges, which is no valid id of a mock. */
export function recordingOfGateway(ownerId: string): string {
  return `gateway/${ownerId}`;
}

/** Selects the kept exchanges that fit every member that is set. */
export interface ExchangeSelection {
  /** A host like in settings: `api.example.com` or `*.example.com`, with an optional port. */
  readonly host?: string;
  readonly ruleId?: string;
  readonly outcome?: ExchangeOutcome;
  /** "" for those outside of sessions. */
  readonly session?: string;
  /** The session alone that was made then, and of no other one of its id. */
  readonly sessionMadeAt?: number;
  readonly method?: string;
  readonly status?: number;
  /** The URL as requested; "*" matches any text. */
  readonly url?: string;
  /** Milliseconds since the Unix epoch. */
  readonly since?: number;
  /** In any case: a part of the URL, of a header line of the request, or of its kept body. */
  readonly q?: string;
  /** Lines of the request: names in lower case, each with a value that one line of that name must have. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Searched in the kept body of the request. */
  readonly bodyContains?: string;
}

/** Which kept exchanges are wanted, and how many of them: as `TrafficFilter` of a mock's requests. */
export interface ExchangeFilter {
  readonly selection?: ExchangeSelection;
  readonly afterNumber?: number;
  readonly upToNumber?: number;
  /** Only exchanges before the one with this number. Has no effect on `count`. */
  readonly beforeNumber?: number;
  readonly isOldestFirst?: boolean;
  /** Newest first; 0 only counts. */
  readonly limit: number;
  /** Bytes of the returned exchanges; at least one is returned. */
  readonly bytesMax?: number;
  /** Whether their bodies are returned. */
  readonly withBodies?: boolean;
  /** Whether to return the counts by outcome. */
  readonly countsStatuses?: boolean;
}

/** Kept exchanges. The members are those of a page of a mock's requests, which the same cursors read. */
export interface ExchangePage {
  readonly records: readonly ExchangeRecord[];
  /** Kept exchanges that match, on all pages. */
  readonly count: number;
  /** Exchanges that match otherwise, but whose bodies are unknown. */
  readonly unjudged: number;
  /** Kept exchanges in the range of numbers, whether they match or not. */
  readonly seen: number;
  /** All exchanges up to the end of that range: their numbers have no gaps. */
  readonly passed: number;
  readonly dropped: 0;
  readonly hasMore: boolean;
  /** Whether older ones have been dropped. */
  readonly truncated: boolean;
  readonly newestNumber: number;
  /** The number of the last one before the reset. */
  readonly numbersFrom: number;
  /** Rises with each reset. */
  readonly resets: number;
  readonly totals?: ExchangeTotals;
}

/** Exact since the start of the gateway, or the reset. */
export interface ExchangeTotals {
  readonly total: number;
  /** Sum of all rules. */
  readonly ruleHits: number;
  readonly outcomes: Readonly<Record<ExchangeOutcome, number>>;
}

/** Exact since the start of the gateway, or the reset. */
export interface ExchangeCounts extends ExchangeTotals {
  readonly rules: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly problems: Readonly<Record<string, number>>;
}

const text = Type.String();
const lines = Type.Array(headerLineSchema);

const summary = {
  id: Type.String({ description: 'Id of the exchange.' }),
  number: Type.Integer({ description: 'Sequence number, from 1 at each start of the gateway.' }),
  time: Type.Integer({ description: 'When the request head arrived, in milliseconds since the Unix epoch.' }),
  user: Type.String({ description: 'User of its API key.' }),
  method: text,
  url: text,
  status: Type.Integer({ description: 'Status that the client received; 0 when it left before a response began.' }),
  outcome: Type.Enum([...EXCHANGE_OUTCOMES], {
    description: '`failed`: the upstream did not answer. `tunnelled`: bytes passed through unread.',
  }),
  ruleIds: Type.Array(text, { description: 'The rules that acted, in order.' }),
  ruleNames: Type.Array(text, { description: 'Their names at that time.' }),
  ruleProblems: Type.Optional(skippedRulesSchema),
  problem: Type.Optional(
    Type.String({ description: 'Why the upstream did not answer; docs/gateway.md lists the codes.' }),
  ),
  attached: Type.Optional(Type.String({ description: 'The mock that the host is attached to.' })),
  ended: Type.Optional(Type.Literal('client', { description: 'The client left before a response began.' })),
  ms: Type.Number({ description: 'Milliseconds until the response head was sent, or the client left.' }),
  session: Type.Optional(text),
  sessionLabel: Type.Optional(Type.String({ description: 'Label of the session, such as the title of a test.' })),
  upstreamMs: Type.Optional(
    Type.Number({ description: 'Milliseconds from proxying the request to the head of the upstream response.' }),
  ),
  totalMs: Type.Optional(
    Type.Number({
      description: 'Milliseconds until the response was complete; absent until then, and when it was cut off.',
    }),
  ),
};

/** A body of an exchange. */
export const exchangeBodySchema = Type.Object(recordedBody, { description: 'Only with `record` in the settings.' });

export const exchangeSummarySchema = Type.Object(summary);

export const exchangeSchema = Type.Object({
  ...summary,
  requestHeaders: Type.Array(headerLineSchema, { description: 'As the client sent them, with credentials masked.' }),
  statusText: text,
  requestBody: Type.Optional(exchangeBodySchema),
  responseHeaders: Type.Array(headerLineSchema, { description: 'As the client received them.' }),
  responseBody: Type.Optional(exchangeBodySchema),
  upstream: Type.Optional(
    Type.Object(
      {
        status: Type.Integer(),
        headers: lines,
        body: Type.Optional(recordedBody.body),
        bodyEncoding: recordedBody.bodyEncoding,
        bodyOmitted: recordedBody.bodyOmitted,
      },
      { description: 'The upstream response; its body only where a rule replaced it.' },
    ),
  ),
  reason: Type.Optional(Type.String({ description: 'The problem as a sentence.' })),
  location: evaluationSchema.properties.location,
  delayMs: Type.Number(),
  steps: evaluationSchema.properties.steps,
  skipped: evaluationSchema.properties.skipped,
  skippedCount: evaluationSchema.properties.skippedCount,
  console: evaluationSchema.properties.console,
  version: Type.Integer({ description: 'The owner version of the rules that acted.' }),
  skippedVersion: Type.Integer({
    description: 'The owner version that `skipped` describes: the current one, if rules changed since.',
  }),
});

const totals = {
  total: Type.Integer(),
  ruleHits: Type.Integer({ description: 'Total over all rules.' }),
  outcomes: Type.Object(Object.fromEntries(EXCHANGE_OUTCOMES.map((outcome) => [outcome, Type.Integer()])), {
    description: 'Count of exchanges by outcome.',
  }),
};

/** The data of a stream's `counts` event. */
export const exchangeTotalsSchema = Type.Object({
  epoch: Type.String(),
  time: Type.Integer({ description: 'When they were read, in milliseconds since the Unix epoch.' }),
  ...totals,
});

export const exchangeCountsSchema = Type.Object({
  ...totals,
  rules: Type.Record(
    Type.String(),
    Type.Integer({ description: 'Count of exchanges in which the rule acted, by rule id.' }),
  ),
  skipped: Type.Record(
    Type.String(),
    Type.Integer({
      description:
        'How often an exchange prevented a rule from acting, by reason: `bodyTooLarge`, `codeFailed` and so on.',
    }),
  ),
  problems: Type.Record(
    Type.String(),
    Type.Integer({
      description: 'Exchanges whose upstream did not answer, by `problem`; a rule may still have answered.',
    }),
  ),
  epoch: Type.String({ description: 'Changes with each start of the gateway, which resets all counts.' }),
});

const authoritySchema = Type.Object({
  fingerprint: Type.String({ description: 'SHA-256 of the certificate.' }),
  spkiSha256: Type.String({ description: 'SHA-256 of its public key, in base64.' }),
  expiresAt: Type.String({ description: 'ISO 8601.' }),
  warning: Type.Optional(Type.String({ description: 'True when the CA expires within 30 days or has expired.' })),
});

export const gatewaySchema = Type.Object({
  running: Type.Boolean({ description: 'Whether the gateway accepts requests.' }),
  server: Type.Union([Type.String(), Type.Null()], {
    description: "The gateway's address for clients; null when there is no gateway.",
  }),
  epoch: Type.Union([Type.String(), Type.Null()], {
    description:
      'Changes with each start of the gateway, which discards exchanges and resets counts; null before the first request.',
  }),
  restarts: Type.Integer(),
  runsCode: Type.Boolean({ description: 'Whether rule code runs: `--rule-code`.' }),
  readsFiles: Type.Boolean({ description: 'Whether rules serve files: `--rule-files`.' }),
  home: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description:
        "In a cluster: id of the node that runs the gateway for the owner. `epoch` and `restarts` are that node's.",
    }),
  ),
  ca: Type.Union([authoritySchema, Type.Null()], {
    description: 'The CA that clients must trust for HTTPS: `GET /v1/gateway/ca.pem`.',
  }),
});
