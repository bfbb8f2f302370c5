/**
 * Whether requests were made in an expected order: one for each step, each after that of the step before. Others may lie between.
 *
 * The first request that matches a step is taken for it: if any choice of requests is in order, this one is. Their order is that of
 * their numbers, which all threads share. What was found stays found, so each poll goes on with the step that is missing.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import type { TrafficRecord } from '../../../../model/mocks/traffic.ts';
import { closestTo } from './closest-requests.ts';
import { allOf, criteriaOf } from './criteria.ts';
import { impossibleIn, mayBeUnjudged, type Match } from './expectation.ts';
import { representSummary } from './recorded-request.ts';
import { recordOf } from './traffic-cursor.ts';
import { scopeFilter } from './traffic-scope.ts';
import { readRecorded, VERIFY_EVERY_MS, type Verifying } from './verifying.ts';

export async function verifyOrder(
  verifying: Verifying,
  steps: readonly Match[],
): Promise<object | Refusal | undefined> {
  const { traffic, scoped, ownerId, routes, explain } = verifying;
  const { mock } = scoped;
  const scope = scopeFilter(scoped);
  let found: TrafficRecord[] = [];
  let record: string | undefined;
  let unjudged = 0;
  for (;;) {
    const step = steps[found.length] as Match;
    const after = found.at(-1)?.number ?? 0;
    const criteria = criteriaOf(step, scoped, routes);
    const asked = {
      ...allOf(criteria),
      ...scope,
      afterNumber: after,
      isOldestFirst: true,
      stopsAtLimit: true,

      limit: 1,
    };
    const seen = await readRecorded(verifying, asked);
    if (seen === undefined || isRefusal(seen)) return seen;
    const { page, learnt, isLast } = seen;
    const isAnother = record !== undefined && record !== recordOf(page);
    record = recordOf(page);
    if (learnt || isAnother) {
      const impossible = steps.flatMap((each) => impossibleIn(each, routes));
      if (impossible.length > 0) return refuse('mockPayloadInvalid', impossible);
      // After a reset nothing is found; with another version, a path may be a pattern.
      found = [];
      unjudged = 0;
      continue;
    }
    const { truncated, epoch } = page;
    unjudged = Math.max(unjudged, page.unjudged);
    found.push(...page.records);
    const isJudged = steps.some(mayBeUnjudged);
    const answer = { count: found.length, truncated, ...(isJudged ? { unjudged } : {}), epoch };
    if (found.length === steps.length) return { verified: true, ...answer };
    if (page.records.length > 0) continue;
    if (isLast) {
      const closest = await closestTo(
        { mockId: mock.id, ownerId, match: step, criteria, scope: { ...scope, afterNumber: after } },
        traffic,
        explain,
      );
      const order = { missing: found.length, found: found.map(representSummary) };
      return { verified: false, ...answer, order, closest };
    }
    await sleep(VERIFY_EVERY_MS);
  }
}
