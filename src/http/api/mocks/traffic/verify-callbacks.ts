/** Verifies how many callbacks there were: those that match, each with all its attempts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse, type Refusal } from '../../../../errors.ts';
import type { CallbackFilter } from '../../../../model/mocks/callback-record.ts';
import { callbacksIn, type MockCallbacks } from './callbacks.ts';
import { inLowerCase } from './criteria.ts';
import { boundsOf, judged } from './count-bounds.ts';
import type { CallbackExpectation } from './expectation.ts';
import type { Scoped } from './traffic-scope.ts';
import { VERIFY_EVERY_MS } from './verifying.ts';

/** How many an answer names that is not verified. */
const SHOWN_MAX = 10;

/** @returns Undefined when the process that sends them is not there before the time is over. */
export async function verifyCallbacks(
  { callbacks, scoped, isOver }: { callbacks: MockCallbacks; scoped: Scoped; isOver: () => boolean },
  { match, ...asked }: CallbackExpectation,
): Promise<object | Refusal | undefined> {
  const bounds = boundsOf(asked);
  const filter = filterOf(match);
  for (;;) {
    const isLast = isOver();
    const page = await callbacksIn(scoped, { filter, limit: 0 }, callbacks);
    if (!scoped.isLive()) return refuse('sessionNotFound');
    if (page !== undefined) {
      const { total: count, truncated, epoch } = page;
      const { verified, isAbove } = judged(bounds, { count, truncated });
      if (verified) return { verified, count, truncated, epoch };
      if (isLast || isAbove) {
        const all = await callbacksIn(scoped, { filter: {}, limit: SHOWN_MAX }, callbacks);
        return { verified, count, truncated, epoch, callbacks: all?.records ?? [] };
      }
    } else if (isLast) return undefined;
    await sleep(VERIFY_EVERY_MS);
  }
}

function filterOf({ kind: _kind, header, ...match }: CallbackExpectation['match']): CallbackFilter {
  if (header === undefined) return match;
  return {
    ...match,
    header: inLowerCase(header),
  };
}
