/** Resets a world like WireMock does: stubs, journal and states are as after a start. */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type { Answer, Question } from './question.ts';
import { markNow } from './recording-state.ts';

export async function reset({ world, scoped, parts }: Question): Promise<Answer | Refusal> {
  const removed = await world.remove(() => true);
  if (isRefusal(removed)) return removed;
  const mark = await markNow(parts.recordings, scoped.mock.id);
  if (isRefusal(mark)) return mark;
  world.remembered.recordedSince = mark;
  const { mock, live } = scoped;
  const isReset = live === undefined ? await parts.traffic.reset(mock.id) : await parts.sessions.reset(live);
  return isReset ? {} : refuse('overloaded');
}
