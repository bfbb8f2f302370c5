/** What the API process asks the egress process, over a socket beside that of the calls. */
import { dirname, join } from 'node:path';

/** By name: what is asked and what is answered, both as JSON. */
export interface EgressQuestions {
  readonly figures: { readonly asked: null; readonly answer: EgressFigures };
}

interface EgressFigures {
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

/** @param socketPath That of the calls. */
export function questionsPath(socketPath: string): string {
  return join(dirname(socketPath), 'ask');
}
