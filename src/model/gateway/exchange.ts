/** Exchanges of the gateway, as it keeps and shows them: docs/gateway.md. */
import { evaluationSchema } from '../evaluation.ts';
import { headerLineSchema } from '../header-lines.ts';
import { recordedBody } from '../mocks/upstream/recording.ts';
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

/** A rule that did not act, and why. */
interface ExchangeSkip {
  readonly ruleId: string;
  readonly reason: string;
}

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
}

export interface ExchangeRecord extends ExchangeSummary {
  readonly requestHeaders: readonly ExchangeLine[];
  readonly statusText: string;
  readonly responseHeaders: readonly ExchangeLine[];
  /** What the upstream answered, before rules changed it. */
  readonly upstream?: { readonly status: number; readonly headers: readonly ExchangeLine[] } | undefined;
  readonly reason?: string | undefined;
  readonly location: string | null;
  readonly delayMs: number;
  readonly steps: readonly ExchangeStep[];
  /** What the exchange itself kept from acting. */
  readonly skipped: readonly ExchangeSkip[];
  /** The owner's version whose rules it began with. */
  readonly version: number;
}

export interface ExchangeFilter {
  readonly host?: string | undefined;
  readonly ruleId?: string | undefined;
  readonly outcome?: ExchangeOutcome | undefined;
  readonly session?: string | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface ExchangePage<Exchange = ExchangeSummary> {
  /** Newest first. */
  readonly records: readonly Exchange[];
  /** Kept exchanges that match, on all pages. */
  readonly total: number;
  /** Whether older ones have been dropped. */
  readonly truncated: boolean;
  readonly nextBefore: number | null;
}

/** Exact since the start of the gateway, or the reset. */
export interface ExchangeCounts {
  readonly total: number;
  /** Sum of all rules. */
  readonly ruleHits: number;
  readonly outcomes: Readonly<Record<ExchangeOutcome, number>>;
  readonly rules: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly problems: Readonly<Record<string, number>>;
}

const text = Type.String();
const lines = Type.Array(headerLineSchema);

const summary = {
  id: Type.String({ description: 'Addresses it.' }),
  number: Type.Integer({ description: 'From 1, since the start of the gateway.' }),
  time: Type.Integer({ description: 'When its head came, in milliseconds since the Unix epoch.' }),
  user: Type.String({ description: 'Whose key it carried.' }),
  method: text,
  url: text,
  status: Type.Integer({ description: 'That the client got.' }),
  outcome: Type.Enum([...EXCHANGE_OUTCOMES], {
    description: '`failed`: the upstream did not answer. `tunnelled`: bytes were passed on unread.',
  }),
  ruleIds: Type.Array(text, { description: 'The rules that acted, in this order.' }),
  problem: Type.Optional(Type.String({ description: 'Why the upstream did not answer: docs/gateway.md.' })),
  attached: Type.Optional(Type.String({ description: 'The mock that was asked, since the host is attached to it.' })),
  ms: Type.Number({ description: 'Until the head of the answer was sent.' }),
  session: Type.Optional(Type.String({ description: 'The session of the gateway that it is of.' })),
};

/** A body of an exchange: kept where the owner's settings have `record`. */
export const exchangeBodySchema = Type.Object(recordedBody);

export const exchangeSummarySchema = Type.Object(summary);

export const exchangeSchema = Type.Object({
  ...summary,
  requestHeaders: Type.Array(headerLineSchema, { description: 'As the client sent them; credentials are replaced.' }),
  statusText: text,
  requestBody: Type.Optional(exchangeBodySchema),
  responseHeaders: Type.Array(headerLineSchema, { description: 'As the client got them.' }),
  responseBody: Type.Optional(exchangeBodySchema),
  upstream: Type.Optional(
    Type.Object({ status: Type.Integer(), headers: lines }, { description: 'What the upstream answered.' }),
  ),
  reason: Type.Optional(Type.String({ description: 'The problem in words.' })),
  location: evaluationSchema.properties.location,
  delayMs: Type.Number(),
  steps: evaluationSchema.properties.steps,
  skipped: evaluationSchema.properties.skipped,
  skippedCount: evaluationSchema.properties.skippedCount,
  version: Type.Integer({ description: "The owner's version whose rules acted." }),
  skippedVersion: Type.Integer({ description: 'The version that `skipped` is of: that of now, if it has changed.' }),
});

export const exchangeQuerySchema = Type.Object({
  host: Type.Optional(Type.String({ description: 'Only exchanges with this host, with its port if the URL has one.' })),
  ruleId: Type.Optional(Type.String({ description: 'Only exchanges in which this rule acted.' })),
  outcome: Type.Optional(Type.Enum([...EXCHANGE_OUTCOMES])),
  session: Type.Optional(Type.String({ description: 'Only exchanges of this session.' })),
  before: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'a number: only older exchanges' })),
  limit: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,5}$', description: 'a number from 1' })),
  format: Type.Optional(Type.Enum(['json', 'har'])),
});

export const exchangeCountsSchema = Type.Object({
  total: Type.Integer(),
  ruleHits: Type.Integer({ description: 'Sum of all rules.' }),
  outcomes: Type.Object(Object.fromEntries(EXCHANGE_OUTCOMES.map((outcome) => [outcome, Type.Integer()])), {
    description: 'Exchanges by outcome.',
  }),
  rules: Type.Record(Type.String(), Type.Integer({ description: 'Exchanges in which the rule with this id acted.' })),
  skipped: Type.Record(
    Type.String(),
    Type.Integer({ description: 'How often an exchange kept a rule from acting, by reason: `bodyTooLarge`.' }),
  ),
  problems: Type.Record(
    Type.String(),
    Type.Integer({
      description: 'Exchanges whose upstream did not answer, by `problem`; a rule may have answered instead.',
    }),
  ),
  epoch: Type.String({ description: 'Changes with each start of the gateway: all counts begin anew.' }),
});

const authoritySchema = Type.Object({
  fingerprint: Type.String({ description: 'SHA-256 of the certificate.' }),
  spkiSha256: Type.String({ description: 'SHA-256 of its public key, in base64.' }),
  expiresAt: Type.String({ description: 'ISO 8601.' }),
});

export const gatewaySchema = Type.Object({
  running: Type.Boolean({ description: 'Whether it takes requests.' }),
  server: Type.Union([Type.String(), Type.Null()], { description: 'The address for clients; null without it.' }),
  epoch: Type.Union([Type.String(), Type.Null()], {
    description: 'Changes with each start of the gateway: exchanges and counts begin anew.',
  }),
  restarts: Type.Integer(),
  ca: Type.Union([authoritySchema, Type.Null()], {
    description: 'The authority that clients have to trust for HTTPS: `GET /v1/gateway/ca.pem`.',
  }),
});
