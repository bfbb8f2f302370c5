/**
 * Questions between two processes of this server, or between two threads. A table of types says by name what is asked and what
 * is answered; the messages, the side that asks and the side that answers follow from it.
 *
 * How a message gets across is left to the sides: a channel, a port. A question that nobody answers in time, or whose other side
 * has ended, has the answer `undefined`.
 */
import { whenThere, type Later } from '../base/later.ts';

/** A row of a table. */
export interface Question<Input, Answer> {
  readonly question: Input;
  readonly answer: Answer;
}

type Questions<Q> = { readonly [Name in keyof Q]: Question<unknown, unknown> };

export interface QuestionMessage<Q extends Questions<Q>, Name extends keyof Q = keyof Q> {
  readonly kind: 'ask';
  readonly id: number;
  readonly name: Name;
  readonly question: Q[Name]['question'];
}

export interface AnswerMessage {
  readonly kind: 'answer';
  readonly id: number;
  readonly answer: unknown;
}

export type Answers<Q extends Questions<Q>> = {
  readonly [Name in keyof Q]: (question: Q[Name]['question']) => Later<Q[Name]['answer']>;
};

/** Answers one question: at once where the answer is there. */
export function answerQuestion<Q extends Questions<Q>>(
  answers: Answers<Q>,
  { id, name, question }: QuestionMessage<Q>,
  send: (message: AnswerMessage) => void,
): void {
  // The sender has taken both from one row.
  void whenThere(answers[name](question as never), (answer) => send({ kind: 'answer', id, answer }));
}

interface Patience {
  /** Without a limit where it is absent. */
  readonly withinMs?: number;
  /** Ends the other side, which has not answered: `endAll` follows. Absent: the question alone is given up. */
  readonly onLate?: () => void;
}

interface PendingQuestion {
  readonly settle: (answer?: unknown) => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** Shared by all askers: so several of them can share a channel. */
let lastId = 0;

export class Asker<Q extends Questions<Q>> {
  readonly #send: (message: QuestionMessage<Q>, onSent?: () => void) => boolean;
  readonly #patience: Patience;
  readonly #pending = new Map<number, PendingQuestion>();

  /** @param send Returns false when there is nobody to ask. */
  constructor(send: (message: QuestionMessage<Q>, onSent?: () => void) => boolean, patience: Patience = {}) {
    this.#send = send;
    this.#patience = patience;
  }

  /** Never rejects. @param onSent Called when nothing waits for it in the channel any more. */
  ask<Name extends keyof Q>(
    name: Name,
    question: Q[Name]['question'],
    onSent?: () => void,
  ): Promise<Q[Name]['answer'] | undefined> {
    return new Promise((resolve) => {
      const id = ++lastId;
      const settle = (answer?: unknown): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
        resolve(answer);
      };
      const { withinMs, onLate = settle } = this.#patience;
      const timer = withinMs === undefined ? undefined : setTimeout(onLate, withinMs);
      this.#pending.set(id, { settle, timer });
      if (!this.#send({ kind: 'ask', id, name, question }, onSent)) settle();
    });
  }

  /** Ignores answers to questions of another asker, and late ones. */
  take({ id, answer }: AnswerMessage): void {
    this.#pending.get(id)?.settle(answer);
  }

  /** The other side has ended. */
  endAll(): void {
    for (const { settle } of this.#pending.values()) settle();
  }

  /** The other side makes progress: all timeouts start again. */
  refresh(): void {
    for (const { timer } of this.#pending.values()) timer?.refresh();
  }
}
