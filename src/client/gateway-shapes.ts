/** Shapes of what is asked of the exchanges of the gateway. */
import type { Static } from 'typebox';
import type { exchangeTotalsSchema } from '../model/gateway/exchange.ts';
import type {
  exchangeExpectationSchema,
  exchangeStreamQuerySchema,
  exchangeVerificationSchema,
  stageExchangesSchema,
} from '../model/gateway/exchange-query.ts';
import type { Signal } from './fetch-types.ts';
import type { DeepReadonly, MockRecord } from './shapes.ts';
import type { StagedRecording } from './upstream-shapes.ts';

/** Filters as of `requests`. `after` is the `id` of an event. */
export interface FollowExchangesOptions extends DeepReadonly<Static<typeof exchangeStreamQuerySchema>> {
  readonly signal?: Signal | undefined;
}

/** Exact counts at a time, by outcome. */
export type ExchangeTotals = DeepReadonly<Static<typeof exchangeTotalsSchema>>;

/** Expectation about exchanges, and its result. */
export type ExchangeExpectation = DeepReadonly<Static<typeof exchangeExpectationSchema>>;
export type ExchangeVerification = DeepReadonly<Static<typeof exchangeVerificationSchema>>;

/** The host, and which mock its exchanges become. */
export type StageExchangesInput = DeepReadonly<Static<typeof stageExchangesSchema>>;

/** The mock that exchanges have become, or whose working copy they are. */
export interface StagedExchanges extends Omit<StagedRecording, 'diff'> {
  readonly mockId: string;
  /** Where it is new. */
  readonly mock?: MockRecord;
  /** The changes of the working copy of another one. */
  readonly diff?: StagedRecording['diff'];
  /** Whether requests for the host go to it from now on. */
  readonly attached: boolean;
}
