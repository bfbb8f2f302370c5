/** Whether as many requests match as expected. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import { closestTo } from './closest-requests.ts';
import { allOf, criteriaOf } from './criteria.ts';
import { impossibleIn, mayBeUnjudged, type Expectation, type Match } from './expectation.ts';
import { scopeFilter } from './traffic-scope.ts';
import { look, VERIFY_EVERY_MS, type Verifying } from './verifying.ts';

/** Polls until the expectation is met, cannot be met any more, or the time is over. */
export async function verifyCount(
  verifying: Verifying,
  match: Match,
  { atMost, exactly, ...asked }: Expectation,
): Promise<object | Refusal | undefined> {
  const { traffic, scoped, ownerId, routes, explain } = verifying;
  const atLeast = asked.atLeast ?? (atMost === undefined && exactly === undefined ? 1 : 0);
  const { mock } = scoped;
  const scope = scopeFilter(scoped);
  let criteria = criteriaOf(match, scoped, routes);
  for (;;) {
    const seen = await look(verifying, { ...allOf(criteria), ...scope, limit: 0 });
    if (seen === undefined || isRefusal(seen)) return seen;
    const { page, learnt, isLast } = seen;
    if (learnt) {
      const impossible = impossibleIn(match, routes);
      if (impossible.length > 0) return refuse('mockPayloadInvalid', impossible);
      // The path may be a pattern in a new version. Versions come from saves only, so this ends.
      criteria = criteriaOf(match, scoped, routes);
      continue;
    }
    const { count, truncated, epoch, unjudged } = page;
    const upper = Math.min(atMost ?? Infinity, exactly ?? Infinity);
    const lower = Math.max(atLeast, exactly ?? 0);
    // With entries lost, an upper bound cannot be confirmed; with unjudged ones, only if they may all match.
    const isUpperKnown = upper === Infinity || (!truncated && count + unjudged <= upper);
    const verified = count >= lower && count <= upper && isUpperKnown;
    const answer = { verified, count, truncated, ...(mayBeUnjudged(match) ? { unjudged } : {}), epoch };
    if (verified) return answer;
    if (count > upper || isLast) {
      const closest = await closestTo({ mockId: mock.id, ownerId, match, criteria, scope }, traffic, explain);
      return { ...answer, closest };
    }
    await sleep(VERIFY_EVERY_MS);
  }
}
