/**
 * The journal: recorded requests of the session, in WireMock's shape. Criteria are read as the request of a stub is, and asked of what was
 * recorded as they would be when it is served. What cannot be judged is an error, never a count that may be wrong.
 */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { PAGE_BYTES_MAX, TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import { unrecordedReason } from '../../../model/mocks/definition/condition-kinds.ts';
import { conditionsOf } from '../../../model/mocks/definition/conditions.ts';
import { METHOD_ANY } from '../../../model/mocks/definition/definition.ts';
import type { TrafficFilter, TrafficRecord } from '../../../model/mocks/traffic.ts';
import type { RequestPage } from '../../api/mocks/traffic/traffic.ts';
import { clockOf } from '../../api/mocks/traffic/recorded-conditions.ts';
import type { Scoped } from '../../api/mocks/traffic/traffic-scope.ts';
import { fail, Failure } from './errors.ts';
import type { Answer, Operation, Question } from './question.ts';
import { readPattern } from './read-stubs.ts';
import { loggedRequest, numberOfId, serveEvent } from './show-request.ts';

type Outcome = Answer | Failure | Refusal;
type Criteria = Pick<TrafficFilter, 'method' | 'conditions' | 'matched' | 'since' | 'routeId'>;

export const REQUESTS: readonly Operation[] = [
  { method: 'GET', path: '/requests', access: 'read', answer: list },
  { method: 'DELETE', path: '/requests', access: 'write', answer: hideAll },
  { method: 'POST', path: '/requests/reset', access: 'write', answer: hideAll },
  { method: 'POST', path: '/requests/count', access: 'read', answer: count },
  { method: 'POST', path: '/requests/find', access: 'read', answer: find },
  { method: 'POST', path: '/requests/remove', access: 'write', answer: removeLike },
  { method: 'GET', path: '/requests/unmatched', access: 'read', answer: unmatched },
  { method: 'GET', path: '/requests/:id', access: 'read', answer: one },
  { method: 'DELETE', path: '/requests/:id', access: 'write', answer: hideOne },
];

/** Records in memory at once: what is asked for in one call. */
const RECORDS_MAX = 10_000;
const BYTES_MAX = 4 * PAGE_BYTES_MAX;

/** Without a session, what was asked outside of sessions. */
function ofWorld({ live }: Scoped): Pick<TrafficFilter, 'session'> {
  return { session: live?.session.id ?? '' };
}

interface Found {
  readonly records: readonly TrafficRecord[];
  readonly page: RequestPage;
}

/** Reads what fits, newest first, without what was removed. */
async function matching(
  { parts, scoped, world }: Question,
  criteria: Criteria,
  { limit = RECORDS_MAX, isSummary = false } = {},
): Promise<Found | Failure | Refusal> {
  const { mock } = scoped;
  if (!mock.saved.settings.traffic)
    return fail(500, 'Request journal disabled', 'the settings of the mock have `traffic` off');
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
    if (hidden.of !== '' && hidden.of !== lifeOf(page)) {
      world.remembered.hidden = { of: lifeOf(page), upTo: 0, numbers: new Set() };
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

function lifeOf({ epoch, resets }: RequestPage): string {
  return `${epoch} ${resets}`;
}

/** Why what was found may be too few. */
function doubt({ page: { dropped, unjudged } }: Found): Failure | undefined {
  if (unjudged > 0) {
    const detail = `${unjudged} requests have a body of which only the beginning was recorded, or take too much work`;
    return fail(500, 'Requests cannot be judged', detail);
  }
  return dropped === 0
    ? undefined
    : fail(500, 'Requests were dropped', `${dropped} older requests are not kept: reset the journal between tests`);
}

async function criteriaOf(question: Question): Promise<Criteria | Failure | Refusal> {
  const route = await readPattern(question);
  if (route instanceof Failure || isRefusal(route)) return route;
  const { method, path, pathKind, responses } = route;
  const rules = responses[0]?.rules ?? [];
  for (const { target } of conditionsOf(rules)) {
    const reason = unrecordedReason(target);
    if (reason !== undefined) return fail(422, 'wiremock.matcher', reason, '');
  }
  const wanted = { path, ...(pathKind === undefined ? {} : { pathKind }) };
  const conditions = { rules, clock: clockOf(question.scoped), path: wanted };
  return { ...(method === METHOD_ANY ? {} : { method }), conditions };
}

async function found(question: Question, isSummary = false): Promise<Found | Failure | Refusal> {
  const criteria = await criteriaOf(question);
  if (criteria instanceof Failure || isRefusal(criteria)) return criteria;
  return matching(question, criteria, { isSummary });
}

function isFound(given: Found | Failure | Refusal): given is Found {
  return 'records' in given;
}

async function count(question: Question): Promise<Outcome> {
  const given = await found(question, true);
  if (!isFound(given)) return given;
  return doubt(given) ?? { json: { count: given.records.length, requestJournalDisabled: false } };
}

async function find(question: Question): Promise<Outcome> {
  const given = await found(question);
  if (!isFound(given)) return given;
  const requests = given.records.map((record) => loggedRequest(question, record)).toReversed();
  return doubt(given) ?? { json: { requests, requestJournalDisabled: false } };
}

async function list(question: Question): Promise<Outcome> {
  const { query } = question;
  const since = Date.parse(query.get('since') ?? '');
  const stub = query.get('matchingStub');
  const given = await matching(
    question,
    {
      ...(Number.isNaN(since) ? {} : { since }),
      ...(query.get('unmatched') === 'true' ? { matched: false } : {}),
      ...(stub === null ? {} : { routeId: stub.replaceAll('-', '').toLowerCase() }),
    },
    query.has('limit') ? { limit: Number(query.get('limit')) || RECORDS_MAX } : {},
  );
  if (!isFound(given)) return given;
  const requests = given.records.map((record) => serveEvent(question, record));
  return {
    json: { requests, meta: { total: Math.max(given.page.count, requests.length) }, requestJournalDisabled: false },
  };
}

async function unmatched(question: Question): Promise<Outcome> {
  const given = await matching(question, { matched: false });
  if (!isFound(given)) return given;
  const requests = given.records.map((record) => loggedRequest(question, record));
  return { json: { requests, requestJournalDisabled: false } };
}

async function byId(question: Question): Promise<TrafficRecord | Failure | Refusal> {
  const { parts, scoped, world, params } = question;
  const number = numberOfId(params[0] ?? '');
  const missing = fail(404, 'Request not found', `no request has the id ${params[0]}`);
  if (number === undefined || number <= world.remembered.hidden.upTo || world.remembered.hidden.numbers.has(number))
    return missing;
  const asked = { afterNumber: number - 1, upToNumber: number, limit: 1, ...ofWorld(scoped) };
  const page = await parts.traffic.requests(scoped.mock.id, asked);
  return page === undefined ? refuse('overloaded') : (page.records[0] ?? missing);
}

async function one(question: Question): Promise<Outcome> {
  const record = await byId(question);
  return 'number' in record ? { json: serveEvent(question, record) } : record;
}

async function hideOne(question: Question): Promise<Outcome> {
  const record = await byId(question);
  if (!('number' in record)) return record;
  return hide(question, [record]);
}

async function removeLike(question: Question): Promise<Outcome> {
  const given = await found(question);
  if (!isFound(given)) return given;
  const hidden = await hide(question, given.records);
  if ('kind' in hidden) return hidden;
  return { json: { requests: given.records.map((record) => serveEvent(question, record)) } };
}

async function hide(question: Question, records: readonly TrafficRecord[]): Promise<Outcome> {
  const page = await newest(question);
  if (page === undefined) return refuse('overloaded');
  const { hidden } = question.world.remembered;
  const isSame = hidden.of === lifeOf(page);
  const numbers = new Set([...(isSame ? hidden.numbers : []), ...records.map(({ number }) => number)]);
  question.world.remembered.hidden = { of: lifeOf(page), upTo: isSame ? hidden.upTo : 0, numbers };
  return {};
}

/** Hides what was recorded until now; counts, sequences and states stay. */
async function hideAll(question: Question): Promise<Outcome> {
  const page = await newest(question);
  if (page === undefined) return refuse('overloaded');
  question.world.remembered.hidden = { of: lifeOf(page), upTo: page.newestNumber, numbers: new Set() };
  return {};
}

function newest({ parts, scoped }: Question): Promise<RequestPage | undefined> {
  return parts.traffic.requests(scoped.mock.id, { ...ofWorld(scoped), limit: 0 });
}
