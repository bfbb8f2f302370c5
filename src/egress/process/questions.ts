/** What the API process asks the egress process, over the socket of the calls. */

/** By name: what is asked and what is answered, both as JSON. */
export interface EgressQuestions {
  readonly figures: { readonly asked: null; readonly answer: EgressFigures };
}

export interface EgressFigures {
  /** Calls of serving threads that are not over. */
  readonly inFlight: number;
}

export type AnswerQuestions = {
  readonly [Question in keyof EgressQuestions]: (
    asked: EgressQuestions[Question]['asked'],
  ) => EgressQuestions[Question]['answer'] | Promise<EgressQuestions[Question]['answer']>;
};

/** The name of the question follows it. */
export const ASK_PATH = '/ask/';
