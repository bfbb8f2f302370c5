/** What the API process asks the egress process, over a socket beside that of the calls. */
import { dirname, join } from 'node:path';
import type { UpstreamCounts } from '../forward/upstream-figures.ts';

/** By name: what is asked and what is answered, both as JSON. */
export interface EgressQuestions {
  readonly figures: { readonly asked: null; readonly answer: EgressFigures };
}

export interface EgressFigures extends UpstreamCounts {
  /** Serving threads that are connected. */
  readonly threads: number;
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
