/** What the API process asks the egress process, over a socket beside that of the calls. */
import { dirname, join } from 'node:path';
import type { ExchangeCounts, ExchangeFilter, ExchangePage, ExchangeRecord } from '../../model/gateway/exchange.ts';
import type { GatewaySessionUse } from '../../model/gateway/session.ts';
import type { UpstreamCall, UpstreamFailure } from '../../forward/upstream-call.ts';
import type { RecordingFilter, RecordingPage } from '../../model/mocks/upstream/recording.ts';
import type { CallbackPage, CallbackQuestion } from '../../model/mocks/callback-record.ts';
import type { CallbacksOf } from '../callbacks/callbacks.ts';
import type { UpstreamCounts } from '../forward/upstream-figures.ts';

/** By name: what is asked and what is answered, both as JSON. */
export interface EgressQuestions {
  readonly figures: { readonly asked: null; readonly answer: EgressFigures };
  readonly exchanges: {
    readonly asked: { readonly ownerId: string; readonly filter: ExchangeFilter };
    readonly answer: ExchangePage;
  };
  /** Null for one that is not kept. */
  readonly exchange: {
    readonly asked: { readonly ownerId: string; readonly number: number };
    readonly answer: ExchangeRecord | null;
  };
  readonly exchangeCounts: { readonly asked: { readonly ownerId: string }; readonly answer: ExchangeCounts };
  /** Null for a session that does not live. */
  readonly sessionCounts: {
    readonly asked: { readonly ownerId: string; readonly session: string };
    readonly answer: ExchangeCounts | null;
  };
  /** Of one owner, or all. */
  readonly gatewaySessions: {
    readonly asked: { readonly ownerId?: string };
    readonly answer: readonly (GatewaySessionUse & { readonly ownerId: string })[];
  };
  readonly resetExchanges: { readonly asked: { readonly ownerId: string }; readonly answer: true };
  readonly recording: { readonly asked: AskedRecording; readonly answer: RecordingPage };
  readonly clearRecording: { readonly asked: ClearedRecording; readonly answer: null };
  readonly callbacks: { readonly asked: CallbackQuestion; readonly answer: CallbackPage };
  /** `why`: as records say it. The answer: how many are not sent. */
  readonly cancelCallbacks: { readonly asked: CallbacksOf & { readonly why: string }; readonly answer: number };
  /** Those that are over. */
  readonly forgetCallbacks: { readonly asked: CallbacksOf; readonly answer: null };
  /** Callbacks that wait are not sent. Of a deleted mock nothing is kept: another one may get its id. */
  readonly endMock: {
    readonly asked: { readonly mockId: string; readonly how: 'stopped' | 'deleted' };
    readonly answer: null;
  };
  readonly upstream: { readonly asked: UpstreamQuestion; readonly answer: UpstreamAnswer };
}

/** One request to an upstream, whose whole answer comes within the time of the call. */
export interface UpstreamQuestion {
  readonly call: UpstreamCall;
  /** In base64. */
  readonly body: string;
  /** No more of the answer's body is received. */
  readonly bodyBytesMax: number;
}

export type UpstreamAnswer =
  | {
      readonly status: number;
      /** Names and values, alternating. */
      readonly headers: readonly string[];
      /** In base64. */
      readonly body: string;
      /** Why the body is not there as a whole, without its content coding. */
      readonly bodyOmitted?: 'tooLarge' | 'undecodable';
    }
  | { readonly failure: UpstreamFailure; readonly reason: string };

export interface EgressFigures extends UpstreamCounts {
  /** Serving threads that are connected. */
  readonly threads: number;
  /** Callbacks that are over, by state. */
  readonly callbacks: Readonly<Record<string, number>>;
  readonly callbacksWaiting: number;
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

/** @param socketPath That of the calls. */
export function questionsPath(socketPath: string): string {
  return join(dirname(socketPath), 'ask');
}
