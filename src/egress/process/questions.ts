/** What the API process asks the egress process, over the socket of the calls. */
import type { CallbackPage, CallbackQuestion } from '../../model/mocks/callback-record.ts';
import type { CallbacksOf } from '../callbacks/callbacks.ts';

/** By name: what is asked and what is answered, both as JSON. */
export interface EgressQuestions {
  readonly figures: { readonly asked: null; readonly answer: EgressFigures };
  readonly callbacks: { readonly asked: CallbackQuestion; readonly answer: CallbackPage };
  /** `why`: as records say it; `forgets`: whether they go, too. The answer: how many are not sent. */
  readonly cancelCallbacks: {
    readonly asked: CallbacksOf & { readonly why: string; readonly forgets: boolean };
    readonly answer: number;
  };
  /** Those that are over. */
  readonly forgetCallbacks: { readonly asked: CallbacksOf; readonly answer: null };
}

interface EgressFigures {
  /** Calls of serving threads that are not over. */
  readonly inFlight: number;
  /** Callbacks that are over, by state. */
  readonly callbacks: Readonly<Record<string, number>>;
  readonly callbacksWaiting: number;
}

export type AnswerQuestions = {
  readonly [Question in keyof EgressQuestions]: (
    asked: EgressQuestions[Question]['asked'],
  ) => EgressQuestions[Question]['answer'] | Promise<EgressQuestions[Question]['answer']>;
};

/** The name of the question follows it. */
export const ASK_PATH = '/ask/';
