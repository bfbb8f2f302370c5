/**
 * Near misses: the stubs that came closest to a request, and the requests that came closest to a pattern. A distance is the share of
 * what has to match that does not, between 0 and 1; the path weighs as much as ten conditions, the method as three.
 */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { isRefusal, type Refusal } from '../../../errors.ts';
import { METHOD_ANY, type MockRoute } from '../../../model/mocks/definition/definition.ts';
import type { TrafficRecord } from '../../../model/mocks/traffic.ts';
import { explainedRequest, type ExplainedRequest } from '../../api/mocks/traffic/closest-requests.ts';
import { clockOf } from '../../api/mocks/traffic/recorded-conditions.ts';
import { fail, Failure } from './errors.ts';
import { matching } from './journal.ts';
import type { Answer, Operation, Question } from './question.ts';
import { readPattern, rulesOf } from './read-stubs.ts';
import { loggedRequest } from './show-request.ts';

export const NEAR_MISSES: readonly Operation[] = [
  { method: 'GET', path: '/requests/unmatched/near-misses', access: 'read', answer: ofUnmatched },
  { method: 'POST', path: '/near-misses/request', access: 'read', answer: ofRequest },
  { method: 'POST', path: '/near-misses/request-pattern', access: 'read', answer: ofPattern },
];

/** Near misses of one request or pattern, as WireMock returns them. */
const NEAREST_MAX = 3;
/** Stubs whose conditions are judged for a request: those whose path and method come closest. */
const CANDIDATES_MAX = 10;
/** Unmatched requests that are explained, and requests that are compared with a pattern: the newest. */
const REQUESTS_MAX = 20;
const COMPARED_MAX = 50;

const PATH_WEIGHT = 10;
const METHOD_WEIGHT = 3;

type Outcome = Answer | Failure | Refusal;

/** A request, and how it is shown. */
interface JudgedRequest {
  readonly request: ExplainedRequest;
  readonly shown: unknown;
}

async function ofUnmatched(question: Question): Promise<Outcome> {
  const found = await matching(question, { matched: false }, { limit: REQUESTS_MAX });
  if (!('records' in found)) return found;
  return nearestStubs(
    question,
    found.records.map((record) => recorded(question, record)),
  );
}

function ofRequest(question: Question): Outcome | Promise<Outcome> {
  const { body } = question;
  const { url, method, headers, body: text, bodyAsBase64 } = body;
  if (typeof url !== 'string' || typeof method !== 'string')
    return fail(422, 'Error parsing JSON', 'a request has a `url` and a `method`', '');
  const [path = '', ...query] = url.replace(/^[a-z]+:\/\/[^/]*/i, '').split('?');
  const bytes =
    typeof bodyAsBase64 === 'string'
      ? Buffer.from(bodyAsBase64, 'base64')
      : Buffer.from(typeof text === 'string' ? text : '');
  const request = {
    ...NOT_RECORDED,
    method,
    path,
    query: query.join('?'),
    headers: toHeaderPairs(headers),
    body: bytes,
  };
  return nearestStubs(question, [{ request, shown: body }]);
}

async function ofPattern(question: Question): Promise<Outcome> {
  const route = await readPattern(question);
  if (route instanceof Failure || isRefusal(route)) return route;
  const found = await matching(question, {}, { limit: COMPARED_MAX });
  if (!('records' in found)) return found;
  const asked = found.records.map((record) => recorded(question, record));
  const distances = await weighed(question, route, asked);
  if (!Array.isArray(distances)) return distances;
  const misses = asked.map(({ shown }, index) => ({
    request: shown,
    requestPattern: question.body,
    matchResult: { distance: distances[index] ?? 1 },
  }));
  return { json: { nearMisses: nearest(misses) } };
}

async function nearestStubs(question: Question, asked: readonly JudgedRequest[]): Promise<Outcome> {
  const { stubs } = question.world;
  const nearMisses: object[] = [];
  for (const each of asked) {
    const candidates = stubs
      .map((stub) => ({ stub, away: awayFrom(stub.route, each.request) }))
      .toSorted((one, other) => one.away - other.away)
      .slice(0, CANDIDATES_MAX);
    const misses: NearMiss[] = [];
    for (const { stub } of candidates) {
      const distances = await weighed(question, stub.route, [each]);
      if (!Array.isArray(distances)) return distances;
      const [distance = 1] = distances;
      misses.push({ request: each.shown, stubMapping: stub.source, matchResult: { distance } });
    }
    nearMisses.push(...nearest(misses));
  }
  return { json: { nearMisses } };
}

interface NearMiss {
  readonly request: unknown;
  readonly stubMapping?: JsonObject;
  readonly requestPattern?: JsonObject;
  readonly matchResult: { readonly distance: number };
}

function nearest(misses: readonly NearMiss[]): readonly NearMiss[] {
  return misses.toSorted((one, other) => one.matchResult.distance - other.matchResult.distance).slice(0, NEAREST_MAX);
}

/** @returns Of each request, what of the weight of all is not met. */
async function weighed(
  { parts, call, scoped }: Question,
  route: MockRoute,
  asked: readonly JudgedRequest[],
): Promise<number[] | Failure | Refusal> {
  const { path, pathKind, responses } = route;
  const conditions = responses[0]?.rules ?? [];
  const rules = rulesOf(route);
  const all = PATH_WEIGHT + METHOD_WEIGHT + conditions.length;
  const share = ({ request }: JudgedRequest, failing: number): number =>
    Math.round(((awayFrom(route, request) + failing) / all) * 10_000) / 10_000;
  if (rules.length === 0 || asked.length === 0) return asked.map((each) => share(each, 0));
  const parameters = { path, ...(pathKind === undefined ? {} : { pathKind }) };
  const requests = asked.map(({ request }) => ({ ...request, route: parameters }));
  const found = await parts.explain(call.caller.ownerId, { rules, clock: clockOf(scoped), requests });
  if (found === undefined) return fail(500, 'Near misses cannot be judged', 'it took too long: use simpler matchers');
  if (isRefusal(found)) return found;
  return asked.map((each, index) => {
    const failing = new Set((found[index] ?? []).map(({ at }) => Number(at.split('/')[1])));
    const isOtherPath = failing.delete(conditions.length);
    return share(each, failing.size + (isOtherPath ? PATH_WEIGHT : 0));
  });
}

/** Distance of path and method; path patterns do not count here. */
function awayFrom({ method, path, pathKind }: MockRoute, request: ExplainedRequest): number {
  const isOther = method !== METHOD_ANY && method !== request.method;
  const unlike = pathKind === 'regex' ? 0 : unlikeness(path, request.path);
  return PATH_WEIGHT * unlike + (isOther ? METHOD_WEIGHT : 0);
}

/** The share of the longer path that is neither its common beginning nor its common end; 0 where all segments match. */
function unlikeness(expected: string, actual: string): number {
  const [own, other] = [expected.split('/'), actual.split('/')];
  if (own.length === other.length && own.every((segment, at) => segment === other[at] || /^[:*]/.test(segment)))
    return 0;
  const [shorter, longer] = [expected, actual].toSorted((one, another) => one.length - another.length) as [
    string,
    string,
  ];
  let start = 0;
  while (start < shorter.length && shorter[start] === longer[start]) start++;
  let end = 0;
  while (end < shorter.length - start && shorter.at(-1 - end) === longer.at(-1 - end)) end++;
  return Math.max(1, longer.length - start - end) / Math.max(1, longer.length);
}

const NOT_RECORDED = { bodyTruncated: false, time: 0, route: undefined };

function recorded(question: Question, record: TrafficRecord): JudgedRequest {
  return { request: explainedRequest(record), shown: loggedRequest(question, record) };
}

/** Headers of a logged request: values as texts or lists. */
function toHeaderPairs(headers: unknown): string[] {
  if (!isObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).flatMap((value) => [name.toLowerCase(), String(value)]),
  );
}
