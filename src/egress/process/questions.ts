/** What the API process asks the egress process, over the socket of the calls. */
import type { ExchangeCounts, ExchangeFilter, ExchangePage, ExchangeRecord } from '../../model/gateway/exchange.ts';

/** By name: what is asked and what is answered, both as JSON. */
export interface EgressQuestions {
  readonly figures: { readonly asked: null; readonly answer: EgressFigures };
  readonly exchanges: {
    readonly asked: { readonly ownerId: string; readonly filter: ExchangeFilter };
    readonly answer: ExchangePage<ExchangeRecord>;
  };
  /** Null for one that is not kept. */
  readonly exchange: {
    readonly asked: { readonly ownerId: string; readonly number: number };
    readonly answer: ExchangeRecord | null;
  };
  readonly exchangeCounts: { readonly asked: { readonly ownerId: string }; readonly answer: ExchangeCounts };
  readonly resetExchanges: { readonly asked: { readonly ownerId: string }; readonly answer: true };
}

interface EgressFigures {
  /** Calls of serving threads that are not over. */
  readonly inFlight: number;
  /** Undefined where no gateway listens. */
  readonly gateway?: GatewayFigures | undefined;
}

export interface GatewayFigures {
  readonly inFlight: number;
  readonly connections: number;
  readonly tablesBytes: number;
  /** Sums of all owners, since the start of the process. */
  readonly counts: ExchangeCounts;
}

export type AnswerQuestions = {
  readonly [Question in keyof EgressQuestions]: (
    asked: EgressQuestions[Question]['asked'],
  ) => EgressQuestions[Question]['answer'] | Promise<EgressQuestions[Question]['answer']>;
};

/** The name of the question follows it. */
export const ASK_PATH = '/ask/';
