/** What the API process asks the egress process, over the socket of the calls. */
import type { ExchangeCounts, ExchangeFilter, ExchangePage, ExchangeRecord } from '../../model/gateway/exchange.ts';
import type { RecordingFilter, RecordingPage } from '../../model/mocks/upstream/recording.ts';

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
  readonly recording: { readonly asked: AskedRecording; readonly answer: RecordingPage };
  readonly clearRecording: { readonly asked: ClearedRecording; readonly answer: null };
  /** The mock was deleted. */
  readonly forgetMock: { readonly asked: { readonly mockId: string }; readonly answer: null };
}

interface EgressFigures {
  /** Calls of serving threads that are not over. */
  readonly inFlight: number;
  /** What recordings take, and how many exchanges were dropped to stay within their bounds. */
  readonly recordingBytes: number;
  readonly recordingDropped: number;
  /** Undefined where no gateway listens. */
  readonly gateway?: GatewayFigures | undefined;
}

export interface GatewayFigures {
  readonly inFlight: number;
  readonly connections: number;
  readonly tablesBytes: number;
  readonly leafs: number;
  /** Sums of all owners, since the start of the process. */
  readonly counts: ExchangeCounts;
}

/** A page of the recording of a mock, newest first. */
export interface AskedRecording extends RecordingFilter {
  readonly mockId: string;
  /** Only exchanges of lower numbers. */
  readonly before?: number;
  readonly limit: number;
  /** At least one is returned. */
  readonly bytesMax: number;
}

export interface ClearedRecording {
  readonly mockId: string;
  /** All of the mock where it is absent. */
  readonly session?: string;
}

export type AnswerQuestions = {
  readonly [Question in keyof EgressQuestions]: (
    asked: EgressQuestions[Question]['asked'],
  ) => EgressQuestions[Question]['answer'] | Promise<EgressQuestions[Question]['answer']>;
};

/** The name of the question follows it. */
export const ASK_PATH = '/ask/';
