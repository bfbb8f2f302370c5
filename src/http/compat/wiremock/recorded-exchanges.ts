/** The exchanges of a world with the servers that its stubs send requests on to: those after a mark, and those that fit filters. */
import type { JsonObject } from '../../../base/json-object.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import type { AnsweredExchange } from '../../../interchange/formats/wiremock/recorded-stubs.ts';
import { TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import { METHOD_ANY, type MockRoute } from '../../../model/mocks/definition/definition.ts';
import type { RecordedExchange, RecordingPage } from '../../../model/mocks/upstream/recording.ts';
import { clockOf } from '../../api/mocks/traffic/recorded-conditions.ts';
import type { ExplainedRequest } from '../../api/mocks/traffic/closest-requests.ts';
import { fail, Failure } from './errors.ts';
import { ofWorld } from './journal.ts';
import type { Question } from './question.ts';
import { readRecordedPattern, rulesOf } from './read-stubs.ts';
import type { RecordingMark } from './recording-state.ts';

/** @returns Newest first. A server that did not answer, and answers without an end, leave nothing that a stub could answer. */
export async function exchangesAfter(
  { parts, scoped }: Question,
  mark: RecordingMark,
): Promise<readonly AnsweredExchange[] | Failure | Refusal> {
  const { mock, live } = scoped;
  const asked = {
    ...ofWorld(scoped),
    ...(live === undefined ? {} : { since: live.session.createdAt }),
    limit: TRAFFIC_LIMIT_MAX,
  };
  const found: AnsweredExchange[] = [];
  let before: number | undefined;
  for (;;) {
    const page: RecordingPage | undefined = await parts.recordings
      .read(mock.id, { ...asked, ...(before === undefined ? {} : { before }) })
      .catch(() => undefined);
    if (page === undefined) return refuse('overloaded');
    if (isLost(page, mark)) return LOST;
    const isSame = page.epoch === mark.epoch;
    const later = page.exchanges.filter(({ id }) => !isSame || Number(id) > mark.number);
    found.push(...later.filter(isAnswered));
    if (page.nextBefore === null || later.length < page.exchanges.length) return found;
    before = page.nextBefore;
  }
}

function isAnswered(exchange: RecordedExchange): exchange is AnsweredExchange {
  return exchange.response !== undefined && exchange.open !== true;
}

/** Whether any later exchange may be gone. */
function isLost({ epoch, dropped }: RecordingPage, mark: RecordingMark): boolean {
  if (mark.epoch !== null && epoch !== mark.epoch) return true;
  return dropped > mark.dropped + mark.older;
}

const LOST = fail(
  500,
  'Recorded exchanges dropped',
  'record less at once, or stop sooner; DELETE /requests starts over',
);

/** @param filters As the request of a stub. */
export async function filterOf(
  question: Question,
  filters: JsonObject,
): Promise<
  | ((exchanges: readonly AnsweredExchange[]) => Promise<readonly AnsweredExchange[] | Failure | Refusal>)
  | Failure
  | Refusal
> {
  const { url, urlPath, urlPathPattern, ...others } = filters;
  // What a pattern stays as, however plain it is.
  const pattern = typeof urlPathPattern === 'string' ? { urlPathPattern: `(?:${urlPathPattern})` } : {};
  const route = await readRecordedPattern({ ...question, body: { ...others, ...pattern } });
  if (isRefusal(route)) return route;
  if (route instanceof Failure) return new Failure(422, route.errors.map(belowFilters));
  const { path, pathKind, method } = route;
  if (pathKind !== 'regex' && path !== '/*')
    return fail(422, 'wiremock.matcher', 'use url, urlPath or urlPathPattern', '/filters');
  const fits = (exchange: AnsweredExchange): boolean =>
    (method === METHOD_ANY || method === exchange.method) &&
    (url === undefined || url === (exchange.query === '' ? exchange.path : `${exchange.path}?${exchange.query}`)) &&
    (urlPath === undefined || urlPath === exchange.path);
  return (exchanges) => judged(question, route, exchanges.filter(fits));
}

function belowFilters(error: Failure['errors'][number]): Failure['errors'][number] {
  return { ...error, source: { pointer: `/filters${error.source?.pointer ?? ''}` } };
}

async function judged(
  { parts, call, scoped }: Question,
  route: MockRoute,
  exchanges: readonly AnsweredExchange[],
): Promise<readonly AnsweredExchange[] | Failure | Refusal> {
  const rules = rulesOf(route);
  if (rules.length === 0 || exchanges.length === 0) return exchanges;
  const requests = exchanges.map(requestOf);
  const differences = await parts.explain(call.caller.ownerId, { rules, clock: clockOf(scoped), requests });
  if (differences === undefined) return fail(500, 'Filters cannot be judged', 'it took too long: use simpler matchers');
  return isRefusal(differences) ? differences : exchanges.filter((_, index) => differences[index]?.length === 0);
}

function requestOf({ method, path, query, time, request }: AnsweredExchange): ExplainedRequest {
  const { headers, body, bodyEncoding, bodyOmitted } = request;
  return {
    method,
    path,
    query,
    headers: headers.flatMap(({ name, value }) => [name.toLowerCase(), value]),
    body: Buffer.from(body, bodyEncoding),
    bodyTruncated: bodyOmitted !== undefined,
    time,
    route: undefined,
  };
}
