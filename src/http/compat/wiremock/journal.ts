/** The journal as it is read: recorded requests of the session, without those that a client has removed. */
import { refuse, type Refusal } from '../../../errors.ts';
import { PAGE_BYTES_MAX, TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import type { TrafficFilter, TrafficRecord } from '../../../model/mocks/traffic.ts';
import { recordOf } from '../../api/journal/cursor.ts';
import type { RequestPage } from '../../api/mocks/traffic/traffic.ts';
import type { TrafficSubject } from '../../api/mocks/traffic/traffic-scope.ts';
import { fail, type Failure } from './errors.ts';
import type { Question } from './question.ts';

export type Criteria = Pick<TrafficFilter, 'method' | 'conditions' | 'matched' | 'since' | 'routeId'>;

/** Records in memory at once: what is asked for in one call. */
export const RECORDS_MAX = 10_000;
const BYTES_MAX = 4 * PAGE_BYTES_MAX;

/** Without a session, what was asked outside of sessions. */
export function ofWorld({ live }: TrafficSubject): Pick<TrafficFilter, 'session'> {
  return { session: live?.session.id ?? '' };
}

export interface RecordPage {
  readonly records: readonly TrafficRecord[];
  readonly page: RequestPage;
}

/** Reads what fits, newest first, without what was removed. */
export async function matching(
  { parts, scoped, world }: Question,
  criteria: Criteria,
  { limit = RECORDS_MAX, isSummary = false } = {},
): Promise<RecordPage | Failure | Refusal> {
  const { mock } = scoped;
  if (!mock.saved.settings.traffic)
    return fail(500, 'Request journal disabled', '`traffic` is off in the settings of the mock');
  const records: TrafficRecord[] = [];
  let [bytes, beforeNumber] = [0, Infinity];
  for (;;) {
    const { hidden } = world.remembered;
    const asked = {
      ...criteria,
      ...ofWorld(scoped),
      limit: Math.min(TRAFFIC_LIMIT_MAX, limit + hidden.numbers.size),
      ...(hidden.upTo === 0 ? {} : { afterNumber: hidden.upTo }),
      ...(beforeNumber === Infinity ? {} : { beforeNumber }),
      isSummary,
    };
    const page = await parts.traffic.requests(mock.id, asked);
    if (page === undefined) return refuse('overloaded');
    if (!scoped.isLive()) return refuse('sessionNotFound');
    if (hidden.of !== '' && hidden.of !== recordOf(page)) {
      world.remembered.hidden = { of: recordOf(page), upTo: 0, numbers: new Set() };
      continue;
    }
    const shown = page.records.filter(({ number }) => !hidden.numbers.has(number));
    records.push(...shown);
    bytes += shown.reduce((sum, { body }) => sum + body.length, 0);
    const last = page.records.at(-1);
    if (!page.hasMore || last === undefined || records.length >= limit)
      return { records: records.slice(0, limit), page };
    if (records.length >= RECORDS_MAX || bytes > BYTES_MAX)
      return fail(500, 'Too many requests', `more than ${RECORDS_MAX} requests or ${BYTES_MAX} bytes: ask for fewer`);
    beforeNumber = last.number;
  }
}

/** Why what was found may be too few. */
export function doubt({ page: { dropped, unjudged } }: RecordPage): Failure | undefined {
  if (unjudged > 0) {
    const detail = `${unjudged} requests have a body that was recorded only in part, or take too much work`;
    return fail(500, 'Requests cannot be judged', detail);
  }
  return dropped === 0
    ? undefined
    : fail(500, 'Requests were dropped', `${dropped} older requests were dropped: reset the journal between tests`);
}
