/**
 * The journal: recorded requests of the session, in WireMock's shape. Criteria are read as the request of a stub is, and asked of what was
 * recorded as they would be when it is served. What cannot be judged is an error, never a count that may be wrong.
 */
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { METHOD_ANY } from '../../../model/mocks/definition/definition.ts';
import type { TrafficRecord } from '../../../model/mocks/traffic.ts';
import { recordOf } from '../../api/journal/cursor.ts';
import type { RequestPage } from '../../api/mocks/traffic/traffic.ts';
import { clockOf } from '../../api/mocks/traffic/recorded-conditions.ts';
import { fail, Failure, invalidId, UUID } from './errors.ts';
import type { Answer, Operation, Question } from './question.ts';
import { byMetadata } from './by-metadata.ts';
import { doubt, matching, ofWorld, RECORDS_MAX, type Criteria, type RecordPage } from './journal.ts';
import { routeIdOf } from '../world.ts';
import { markNow } from './recording-state.ts';
import { readRecordedPattern } from './read-stubs.ts';
import { loggedRequest, numberOfId, serveEvent } from './show-request.ts';

type Outcome = Answer | Failure | Refusal;

export const REQUESTS: readonly Operation[] = [
  { method: 'GET', path: '/requests', access: 'read', answer: list },
  { method: 'DELETE', path: '/requests', access: 'write', answer: hideAll },
  { method: 'POST', path: '/requests/reset', access: 'write', answer: hideAll },
  { method: 'POST', path: '/requests/count', access: 'read', answer: count },
  { method: 'POST', path: '/requests/find', access: 'read', answer: find },
  { method: 'POST', path: '/requests/remove', access: 'write', answer: removeLike },
  { method: 'POST', path: '/requests/remove-by-metadata', access: 'write', answer: removeByMetadata },
  { method: 'GET', path: '/requests/unmatched', access: 'read', answer: unmatched },
  { method: 'GET', path: '/requests/:id', access: 'read', answer: one },
  { method: 'DELETE', path: '/requests/:id', access: 'write', answer: hideOne },
];

async function criteriaOf(question: Question): Promise<Criteria | Failure | Refusal> {
  const route = await readRecordedPattern(question);
  if (route instanceof Failure || isRefusal(route)) return route;
  const { method, path, pathKind, responses } = route;
  const rules = responses[0]?.rules ?? [];
  const wanted = { path, ...(pathKind === undefined ? {} : { pathKind }) };
  const conditions = { rules, clock: clockOf(question.scoped), path: wanted };
  return { ...(method === METHOD_ANY ? {} : { method }), conditions };
}

async function found(question: Question, isSummary = false): Promise<RecordPage | Failure | Refusal> {
  const criteria = await criteriaOf(question);
  if (criteria instanceof Failure || isRefusal(criteria)) return criteria;
  return matching(question, criteria, { isSummary });
}

function isFound(given: RecordPage | Failure | Refusal): given is RecordPage {
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
  const since = query.get('since');
  const sinceMs = Date.parse(since ?? '');
  if (since !== null && Number.isNaN(sinceMs))
    return fail(400, `${since} is not a valid ISO8601 date`, undefined, 'since');
  const stub = query.get('matchingStub');
  if (stub !== null && !UUID.test(stub))
    return fail(400, `Query parameter matchingStub value '${stub}' is not a valid UUID`);
  const given = await matching(
    question,
    {
      ...(since === null ? {} : { since: sinceMs }),
      ...(query.get('unmatched') === 'true' ? { matched: false } : {}),
      ...(stub === null ? {} : { routeId: question.world.get(stub)?.route.id ?? routeIdOf(stub) }),
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
  const invalid = invalidId(params[0]);
  if (invalid !== undefined) return invalid;
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
  if ('number' in record) return hide(question, [record]);
  // One that is not there is removed.
  return record instanceof Failure && record.status === 404 ? {} : record;
}

async function removeLike(question: Question): Promise<Outcome> {
  const given = await found(question);
  if (!isFound(given)) return given;
  const hidden = await hide(question, given.records);
  if ('kind' in hidden) return hidden;
  return { json: { serveEvents: given.records.map((record) => serveEvent(question, record)) } };
}

/** Requests that stubs of such metadata have answered. */
function removeByMetadata(question: Question): Promise<Outcome> {
  return byMetadata(question, async (stubs) => {
    const routes = new Set(stubs.map(({ route }) => route.id));
    const given = await matching(question, { matched: true });
    if (!isFound(given)) return given;
    const records = given.records.filter(({ routeId }) => routes.has(routeId));
    const hidden = await hide(question, records);
    return 'kind' in hidden ? hidden : { json: { serveEvents: records.map((record) => serveEvent(question, record)) } };
  });
}

async function hide(question: Question, records: readonly TrafficRecord[]): Promise<Outcome> {
  const page = await newest(question);
  if (page === undefined) return refuse('overloaded');
  const { hidden } = question.world.remembered;
  const isSame = hidden.of === recordOf(page);
  const numbers = new Set([...(isSame ? hidden.numbers : []), ...records.map(({ number }) => number)]);
  question.world.remembered.hidden = { of: recordOf(page), upTo: isSame ? hidden.upTo : 0, numbers };
  return {};
}

/** Hides what was recorded until now; counts, sequences and states stay. */
async function hideAll(question: Question): Promise<Outcome> {
  const [page, mark] = await Promise.all([
    newest(question),
    markNow(question.parts.recordings, question.scoped.mock.id),
  ]);
  if (page === undefined) return refuse('overloaded');
  if (isRefusal(mark)) return mark;
  const { remembered } = question.world;
  remembered.hidden = { of: recordOf(page), upTo: page.newestNumber, numbers: new Set() };
  remembered.recordedSince = mark;
  return {};
}

function newest({ parts, scoped }: Question): Promise<RequestPage | undefined> {
  return parts.traffic.requests(scoped.mock.id, { ...ofWorld(scoped), limit: 0 });
}
