/** Questions between two processes, whose channel is a queue here: answered by name, given up in time, and lost with the other side. */
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  answerQuestion,
  Asker,
  type AnswerMessage,
  type Question,
  type QuestionMessage,
} from '../../src/children/questions.ts';

interface Sums {
  readonly sum: Question<readonly number[], number>;
  readonly slowSum: Question<readonly number[], number>;
  readonly nothing: Question<null, undefined>;
}

const sum = (all: readonly number[]): number => all.reduce((one, other) => one + other, 0);
const answers = { sum, slowSum: async (all: readonly number[]) => sum(all), nothing: () => undefined };

let sent: QuestionMessage<Sums>[];
beforeEach(() => void (sent = []));
const send = (message: QuestionMessage<Sums>): boolean => sent.push(message) > 0;

/** The other side answers what it has got. */
function answerAll(...askers: Asker<Sums>[]): AnswerMessage[] {
  const answered: AnswerMessage[] = [];
  for (const message of sent.splice(0))
    answerQuestion(answers, message, (answer) => {
      answered.push(answer);
      for (const asker of askers) asker.take(answer);
    });
  return answered;
}

test('each question gets its own answer, in any order, and of the asker that has asked', async () => {
  const [one, other] = [new Asker<Sums>(send), new Asker<Sums>(send)];
  const sums = [one.ask('slowSum', [1, 2]), other.ask('sum', [3]), one.ask('sum', [4, 5]), one.ask('nothing', null)];
  // What is there at once is not put off.
  expect(answerAll(one, other).map(({ answer }) => answer)).toEqual([3, 9, undefined]);
  expect(await Promise.all(sums)).toEqual([3, 3, 9, undefined]);
});

test('without anybody to ask there is no answer, and nothing is waited for', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asker = new Asker<Sums>(() => false, { withinMs: 1_000 });
  expect(await asker.ask('sum', [1])).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('a question is given up when its time is over; an answer that comes later is not taken', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asker = new Asker<Sums>(send, { withinMs: 1_000 });
  const late = asker.ask('sum', [1]);
  vi.advanceTimersByTime(900);
  asker.refresh();
  vi.advanceTimersByTime(900);
  const next = asker.ask('sum', [2]);
  vi.advanceTimersByTime(100);
  expect(await late).toBeUndefined();
  answerAll(asker);
  expect(await next).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('where the other side is ended for being late, who asks waits for its end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const onLate = vi.fn<() => void>();
  const asker = new Asker<Sums>(send, { withinMs: 1_000, onLate });
  const settled = vi.fn<() => void>();
  const both = Promise.all([asker.ask('sum', [1]), asker.ask('sum', [2])]);
  void both.then(settled);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onLate).toHaveBeenCalledTimes(2);
  expect(settled).not.toHaveBeenCalled();
  asker.endAll();
  expect(await both).toEqual([undefined, undefined]);
});
