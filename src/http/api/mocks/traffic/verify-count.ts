/** Whether as many requests match as expected. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import { closestTo } from './closest-requests.ts';
import { allOf, criteriaOf } from './criteria.ts';
import { boundsOf, judged, type Bounds } from './count-bounds.ts';
import { impossibleIn, mayBeUnjudged, type Match } from './expectation.ts';
import { scopeFilter } from './traffic-scope.ts';
import { readRecorded, VERIFY_EVERY_MS, type Verifying } from './verifying.ts';

/** Polls until the expectation is met, cannot be met any more, or the time is over. */
export async function verifyCount(
  verifying: Verifying,
  match: Match,
  asked: Bounds,
): Promise<object | Refusal | undefined> {
  const { traffic, scoped, ownerId, routes, explain } = verifying;
  const bounds = boundsOf(asked);
  const { mock } = scoped;
  const scope = scopeFilter(scoped);
  let criteria = criteriaOf(match, scoped, routes);
  for (;;) {
    const seen = await readRecorded(verifying, { ...allOf(criteria), ...scope, limit: 0 });
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
    const { verified, isAbove } = judged(bounds, page);
    const answer = { verified, count, truncated, ...(mayBeUnjudged(match) ? { unjudged } : {}), epoch };
    if (verified) return answer;
    if (isAbove || isLast) {
      const closest = await closestTo({ mockId: mock.id, ownerId, match, criteria, scope }, traffic, explain);
      return { ...answer, closest };
    }
    await sleep(VERIFY_EVERY_MS);
  }
}
