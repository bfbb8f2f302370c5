/**
 * Whether a mock answers as it was recorded: each request goes through the interpreter that `try` uses (serving/matching/explain), and its answer
 * is compared with the recorded one.
 *
 * Sequences and scenarios go on from request to request, as in one session that begins with the first.
 */
import { REPLAY_DIFFERENCES_MAX, REPLAY_ENTRIES_MAX, REPLAY_MS } from '../limits.ts';
import { statesFor } from '../model/mocks/behaviour/behaviour-checks.ts';
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition/definition.ts';
import {
  sumUp,
  type NotChecked,
  type ReplayCheck,
  type ReplayDifference,
} from '../model/mocks/upstream/replay-check.ts';
import { eventText, type EventParts } from '../model/mocks/streams/event-text.ts';
import { readEvents } from '../model/mocks/streams/read-events.ts';
import { EVENTS_SHOWN_MAX } from '../serving/matching/explain/explain-stream.ts';
import { explainRequest, type Explanation } from '../serving/matching/explain/explain.ts';
import type { MockRequest } from '../serving/matching/request/mock-request.ts';
import { cut, differenceOf, type AnswerDifference } from './compare-answers.ts';
import { possibleRoutes } from './possible-routes.ts';
import { recordedExchanges, type RecordedAnswer, type ReplayedExchange } from './recorded-exchange.ts';

interface Mock {
  readonly definition: MockDefinition;
  /** Domains that no mock may set a cookie for. */
  readonly sharedDomains: readonly string[];
}

/** One comparison: undefined where the answers are equal, a name where there is nothing to compare. */
type Verdict = AnswerDifference | keyof NotChecked | undefined;

/** @param har A recording, as `JSON.parse` returns it. @param headers Further ones that must be equal. */
export function checkRecording(mock: Mock, har: unknown, headers: readonly string[]): ReplayCheck {
  const names = headers.map((name) => name.toLowerCase());
  const answer = freshSession(mock);
  const check = new RunningCheck();
  for (const exchange of recordedExchanges(har)) {
    check.add(exchange.number, exchange.request, () => compareExchange(exchange, answer, names));
  }
  return check.result('recording');
}

/** Whether the sample of each response is answered by that response, in the state and at the number that it needs. */
export function checkSamples(mock: Mock): ReplayCheck {
  const check = new RunningCheck();
  let number = 0;
  for (const route of mock.definition.routes) {
    for (const [index, response] of route.responses.entries()) {
      const request = sampleRequest(route, response);
      if (request === undefined) continue;
      number++;
      check.add(number, request, () => compareSample(mock, route, index, request));
    }
  }
  return check.result('samples');
}

/** Counts verdicts within the bounds of one check. */
class RunningCheck {
  readonly #deadline = performance.now() + REPLAY_MS;
  readonly #different: ReplayDifference[] = [];
  readonly #notChecked = { partial: 0, open: 0, failed: 0, proxied: 0, beyond: 0 };
  #checked = 0;
  #same = 0;
  #begun = 0;

  add(number: number, { method, path, query }: MockRequest, compare: () => Verdict): void {
    this.#begun++;
    const isBeyond = this.#begun > REPLAY_ENTRIES_MAX || performance.now() > this.#deadline;
    const verdict = isBeyond ? 'beyond' : compare();
    if (typeof verdict === 'string') {
      this.#notChecked[verdict]++;
      return;
    }
    this.#checked++;
    if (verdict === undefined) this.#same++;
    else if (this.#different.length < REPLAY_DIFFERENCES_MAX) {
      const request = cut(`${method} ${path}${query === '' ? '' : `?${query}`}`);
      this.#different.push({ number, request, ...verdict });
    }
  }

  result(entries: 'recording' | 'samples'): ReplayCheck {
    const counts = { checked: this.#checked, same: this.#same, notChecked: this.#notChecked };
    const { checked, same, notChecked } = counts;
    return { checked, same, different: this.#different, notChecked, summary: sumUp(counts, entries) };
  }
}

function compareExchange(
  { request, answer: recorded, problem }: ReplayedExchange,
  answer: (request: MockRequest) => Explanation,
  headers: readonly string[],
): Verdict {
  if (problem === 'failed') return problem;
  // Sequences count what cannot be compared, too.
  const explained = answer(request);
  if (problem !== undefined) return problem;
  if (explained.sentOn !== undefined) return 'proxied';
  if (explained.problem !== undefined) {
    return {
      reason: 'status',
      at: null,
      recorded: String(recorded.status),
      answered: `500: ${cut(explained.problem)}`,
    };
  }
  const { response } = explained;
  if (response !== undefined) {
    const answers =
      response.events === undefined ? [recorded, response] : asEvents(recorded, response, response.events);
    return differenceOf(answers[0], answers[1], { method: request.method, headers });
  }
  if (explained.isPreflight && recorded.status < 300) return undefined;
  return { reason: 'noRoute', at: null, recorded: String(recorded.status), answered: cut(whyNone(explained)) };
}

/** Both with the events of a stream as its body, as they are written here: as many as the interpreter shows. */
function asEvents(
  recorded: RecordedAnswer,
  answered: Omit<RecordedAnswer, 'body'>,
  events: NonNullable<NonNullable<Explanation['response']>['events']>,
): readonly [RecordedAnswer, RecordedAnswer] {
  const bytes = Buffer.concat(events.map(({ text, encoding }) => Buffer.from(text, encoding ?? 'utf8')));
  const shown = readEvents(bytes.toString()).events;
  const all = readEvents(recorded.body.toString()).events;
  const compared = events.length === EVENTS_SHOWN_MAX ? all.slice(0, shown.length) : all;
  const body = (of: readonly EventParts[]) => Buffer.from(of.map((event) => eventText('sse', event)).join(''));
  return [
    { ...recorded, body: body(compared) },
    { ...answered, body: body(shown) },
  ];
}

function whyNone({ miss, nearest: [nearest] }: Explanation): string {
  if (miss !== undefined) return miss;
  return nearest === undefined ? 'no route matches' : `no route matches; nearest: ${nearest.method} ${nearest.path}`;
}

/** @returns What answers the next request. */
function freshSession({ definition, sharedDomains }: Mock): (request: MockRequest) => Explanation {
  const counts = new Map<string, number>();
  const states: Record<string, string> = {};
  const routesFor = possibleRoutes(definition.routes);
  /** By what a request looks like, the route that answered such a one last: as a rule it answers the next one, too. */
  const lastRoutes = new Map<string, string>();
  const numberOf = (routeId: string | undefined): number =>
    (routeId === undefined ? 0 : (counts.get(routeId) ?? 0)) + 1;
  return (request) => {
    const possible = routesFor(request.path);
    // Without any, all are needed to name the nearest.
    const routes = possible.length === 0 ? definition.routes : possible;
    const explain = (own: number): Explanation =>
      explainRequest({ ...definition, routes }, request, sharedDomains, own, { states });
    const looks = [request.method, ...possible.map(({ id }) => id)].join(' ');
    const expected = possible.length === 1 ? possible[0]?.id : lastRoutes.get(looks);
    const number = numberOf(expected);
    const first = explain(number);
    const own = numberOf(first.route?.routeId);
    const explained = first.route === undefined || own === number ? first : explain(own);
    const { route, scenarios = [] } = explained;
    if (route !== undefined) {
      counts.set(route.routeId, numberOf(route.routeId));
      lastRoutes.set(looks, route.routeId);
    }
    for (const { name, after } of scenarios) states[name] = after;
    return explained;
  };
}

/** @returns undefined for a response that has no sample, or whose route answers nothing. */
function sampleRequest({ method, enabled }: MockRoute, { sample }: MockResponse): MockRequest | undefined {
  if (sample === undefined || !enabled) return undefined;
  const { path, query, headers, body, bodyEncoding } = sample;
  return {
    method: method === 'ANY' ? 'GET' : method,
    path,
    query,
    headers: headers.flatMap(({ name, value }) => [name.toLowerCase(), value]),
    body: body === '' ? undefined : Buffer.from(body, bodyEncoding === 'base64' ? 'base64' : 'utf8'),
  };
}

function compareSample(
  { definition, sharedDomains }: Mock,
  route: MockRoute,
  index: number,
  request: MockRequest,
): Verdict {
  const response = route.responses[index] as MockResponse;
  const number = route.selection === 'sequential' ? index + 1 : 1;
  const explained = explainRequest(definition, request, sharedDomains, number, { states: statesFor(response) });
  const { route: found, chosen, sentOn } = explained;
  const recorded = `${route.method} ${route.path}, response ${response.label || response.id}`;
  if (found === undefined) {
    return sentOn === undefined
      ? { reason: 'noRoute', at: null, recorded, answered: cut(whyNone(explained)) }
      : 'proxied';
  }
  // One that is drawn may be any of its route.
  const isOwn = found.routeId === route.id && (route.selection === 'random' || chosen?.responseId === response.id);
  if (isOwn) return undefined;
  const answered =
    chosen === undefined
      ? cut(whyNone(explained))
      : `${found.method} ${found.path}, response ${chosen.label || chosen.responseId}`;
  return { reason: 'otherRoute', at: null, recorded, answered };
}
