/** What an imposter was asked: exact counts, and the requests where it records them, in mountebank's shape. */
import { bufferOf } from '../../../base/bytes.ts';
import { refuse, type Refusal } from '../../../errors.ts';
import { TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import type { TrafficRecord } from '../../../model/mocks/traffic.ts';
import type { RequestPage } from '../../api/mocks/traffic/traffic.ts';
import { grouped, shownName } from '../shown-values.ts';
import type { MountebankParts } from './question.ts';
import type { Imposter } from './space.ts';

interface Recorded {
  readonly count: number;
  /** The oldest first; empty where the imposter records none. */
  readonly requests: readonly object[];
  /** Count of those that are not kept any more. */
  readonly dropped: number;
}

/** Requests in one answer. */
const RECORDS_MAX = 10_000;

/** @param isCounted Whether the count is all that is asked for. */
export async function recordedOf(
  { traffic }: MountebankParts,
  imposter: Imposter,
  isCounted: boolean,
): Promise<Recorded | Refusal> {
  const { mock, live, header } = imposter;
  const takesAll = !isCounted && header.recordRequests === true;
  const records: TrafficRecord[] = [];
  let before: number | undefined;
  for (;;) {
    const { upTo } = imposter.cleared;
    const page: RequestPage | undefined = await traffic.requests(mock.id, {
      session: live.session.id,
      limit: takesAll ? TRAFFIC_LIMIT_MAX : 0,
      countsStatuses: true,
      ...(upTo === 0 ? {} : { afterNumber: upTo }),
      ...(before === undefined ? {} : { beforeNumber: before }),
    });
    if (page === undefined) return refuse('overloaded');
    if (imposter.cleared.of !== '' && imposter.cleared.of !== lifeOf(page)) {
      imposter.cleared = NOTHING_CLEARED;
      continue;
    }
    records.push(...page.records);
    before = page.records.at(-1)?.number;
    if (page.hasMore && before !== undefined && records.length < RECORDS_MAX) continue;
    const requests = records.slice(0, RECORDS_MAX).map(shownRequest).toReversed();
    const unshown = page.hasMore && takesAll ? 1 : 0;
    return { count: (page.totals?.total ?? 0) - imposter.cleared.requests, requests, dropped: page.dropped + unshown };
  }
}

const NOTHING_CLEARED = { of: '', upTo: 0, requests: 0 };

function lifeOf({ epoch, resets }: RequestPage): string {
  return `${epoch} ${resets}`;
}

/** Hides and does not count what was asked until now; sequences go on. */
export async function clearRecorded({ traffic }: MountebankParts, imposter: Imposter): Promise<Refusal | undefined> {
  const { mock, live } = imposter;
  const page = await traffic.requests(mock.id, { session: live.session.id, limit: 0, countsStatuses: true });
  if (page === undefined) return refuse('overloaded');
  imposter.cleared = { of: lifeOf(page), upTo: page.newestNumber, requests: page.totals?.total ?? 0 };
  return undefined;
}

function shownRequest({ method, path, query, headers, body, bodyTruncated, time }: TrafficRecord): object {
  const text = bufferOf(body).toString();
  const type = headers.find(({ name }) => name === 'content-type')?.value ?? '';
  const isForm = text !== '' && /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/.test(type);
  return {
    requestFrom: '127.0.0.1',
    method,
    path,
    query: grouped(new URLSearchParams(query)),
    headers: grouped(headers.map(({ name, value }): [string, string] => [shownName(name), value])),
    body: text,
    ip: '127.0.0.1',
    ...(isForm ? { form: grouped(new URLSearchParams(text)) } : {}),
    ...(bodyTruncated ? { bodyTruncated } : {}),
    timestamp: new Date(time).toISOString(),
  };
}
