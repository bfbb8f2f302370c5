/** Exchanges of the gateway, as it keeps and shows them: docs/gateway.md. */
import type { Static, TObject } from 'typebox';
import { evaluationSchema } from '../evaluation.ts';
import type { JournalNumbers, JournalPage, JournalRange } from '../journal.ts';
import { headerLineSchema } from '../header-lines.ts';
import { recordedBody } from '../mocks/upstream/recording.ts';
import { skippedRulesSchema, type SkippedRule } from '../rule-reports.ts';
import { Type } from '../schema-type.ts';
import type { Value } from '../schema-value.ts';

export const EXCHANGE_OUTCOMES = ['forward', 'redirect', 'blocked', 'served', 'failed', 'tunnelled'] as const;
export type ExchangeOutcome = (typeof EXCHANGE_OUTCOMES)[number];

/** A header line. */
export type ExchangeLine = Value<typeof headerLineSchema>;

/** A body that was kept. */
export type ExchangeBody = Static<typeof exchangeBodySchema>;

/** Members that may also be there without a value. */
type Loose<Whole> = { [Name in keyof Whole]: object extends Pick<Whole, Name> ? Whole[Name] | undefined : Whole[Name] };
type Added = 'id' | 'ruleNames' | 'ruleProblems' | 'skipped' | 'skippedCount' | 'skippedVersion';

/** An exchange as it is kept. `number` is from 1, for each owner and start of the gateway; `version` the one whose rules it began with. */
export interface ExchangeRecord extends Loose<Omit<Value<typeof exchangeSchema>, Added>> {
  /** Rules that the exchange prevented from acting. */
  readonly skipped: readonly SkippedRule[];
  /** Its number in the recording of the owner; undefined where it is in none. */
  readonly recording?: number | undefined;
  /** When its session was made: another one may have had the same id before. */
  readonly sessionMadeAt?: number | undefined;
}

/** Id of the recording of an owner's exchanges, which is no valid id of a mock. */
export function recordingOfGateway(ownerId: string): string {
  return `gateway/${ownerId}`;
}

/** Parameters that select exchanges: those that fit every one that is given. */
export const exchangeFilters = {
  session: Type.Optional(
    Type.String({ description: 'Only exchanges of this session; empty for exchanges without a session.' }),
  ),
  host: Type.Optional(
    Type.String({
      minLength: 1,
      description: '`api.example.com` or `*.example.com`; add a port to match only that port.',
    }),
  ),
  url: Type.Optional(Type.String({ minLength: 1, description: 'The URL as requested; `*` matches any text.' })),
  ruleId: Type.Optional(Type.String({ minLength: 1, description: 'Only exchanges in which this rule acted.' })),
  outcome: Type.Optional(Type.Enum([...EXCHANGE_OUTCOMES])),
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

export interface ExchangeSelection extends Omit<Value<TObject<typeof exchangeFilters>>, 'header'> {
  /** The session alone that was made then, and of no other one of its id. */
  readonly sessionMadeAt?: number;
  /** Lines of the request: names in lower case, each with a value that one line of that name must have. */
  readonly header?: Readonly<Record<string, string>>;
}

export interface ExchangeFilter extends JournalRange {
  readonly selection?: ExchangeSelection;
  /** Whether their bodies are returned. */
  readonly withBodies?: boolean;
}

/** Kept exchanges. All up to the end of the range have passed: their numbers have no gaps. */
export interface ExchangePage extends JournalPage<ExchangeRecord>, JournalNumbers {
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
  outcome: Type.Enum(EXCHANGE_OUTCOMES, {
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
