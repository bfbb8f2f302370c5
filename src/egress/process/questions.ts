/** Questions of the API process to the egress process, over a socket beside that of the calls. */
import { dirname, join } from 'node:path';
import type { Question } from '../../children/questions.ts';
import type { CodeFigures } from '../../code-lane/code-lane.ts';
import type { ExchangeCounts, ExchangeFilter, ExchangePage, ExchangeRecord } from '../../model/gateway/exchange.ts';
import type { GatewaySessionUse } from '../../model/gateway/session.ts';
import type { UpstreamCall, UpstreamFailure } from '../../forward/upstream-call.ts';
import type { RecordingFilter, RecordingPage } from '../../model/mocks/upstream/recording.ts';
import type { CallbackPage, CallbackQuestion } from '../../model/mocks/callback-record.ts';
import type { CallbacksOf } from '../callbacks/callbacks.ts';
import type { UpstreamCounts } from '../forward/upstream-figures.ts';

/** Both sides of each are sent as JSON. */
export interface EgressQuestions {
  readonly figures: Question<null, EgressFigures>;
  readonly exchanges: Question<{ readonly ownerId: string; readonly filter: ExchangeFilter }, ExchangePage>;
  /** Null for one that is not kept. */
  readonly exchange: Question<{ readonly ownerId: string; readonly number: number }, ExchangeRecord | null>;
  readonly exchangeCounts: Question<{ readonly ownerId: string }, ExchangeCounts>;
  /** Null for a session that does not live. */
  readonly sessionCounts: Question<{ readonly ownerId: string; readonly session: string }, ExchangeCounts | null>;
  /** Those of one owner, or all. */
  readonly gatewaySessions: Question<
    { readonly ownerId?: string },
    readonly (GatewaySessionUse & { readonly ownerId: string })[]
  >;
  readonly resetExchanges: Question<{ readonly ownerId: string }, true>;
  /** False for a session that does not live. */
  readonly resetSession: Question<{ readonly ownerId: string; readonly session: string }, boolean>;
  readonly recording: Question<RecordingQuestion, RecordingPage>;
  readonly clearRecording: Question<RecordingScope, null>;
  readonly callbacks: Question<CallbackQuestion, CallbackPage>;
  /** `why`: as records say it. The answer: how many are not sent. */
  readonly cancelCallbacks: Question<CallbacksOf & { readonly why: string }, number>;
  /** Those that are over. */
  readonly forgetCallbacks: Question<CallbacksOf, null>;
  /** Callbacks that wait are not sent. Of a deleted mock nothing is kept: another one may get its id. */
  readonly endMock: Question<{ readonly mockId: string; readonly how: 'stopped' | 'deleted' }, null>;
  readonly upstream: Question<UpstreamQuestion, UpstreamAnswer>;
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
  /** Bytes of recordings, and the count of exchanges that were dropped to stay within their bounds. */
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
  /** Undefined where code is off. */
  readonly code?: CodeFigures | undefined;
}

/** A page of the recording of a mock, newest first. */
export interface RecordingQuestion extends RecordingFilter {
  readonly mockId: string;
  /** Only exchanges of lower numbers. */
  readonly before?: number;
  readonly limit: number;
  /** At least one is returned. */
  readonly bytesMax: number;
}

export interface RecordingScope {
  readonly mockId: string;
  /** All of the mock where it is absent. */
  readonly session?: string;
}

/** The name of the question follows it. */
export const ASK_PATH = '/ask/';

/** Where a server passes on what other nodes have received for its gateway. @param socketPath That of the calls. */
export function nodesPath(socketPath: string): string {
  return join(dirname(socketPath), 'nodes');
}

/** @param socketPath That of the calls. */
export function questionsPath(socketPath: string): string {
  return join(dirname(socketPath), 'ask');
}
