/** Answers a request whose route was found: chooses one of its responses and renders it. */
import { RULE_WORK_MAX } from '../../limits.ts';
import type { CompiledRoute, FoundRoute } from './compile/compiled-mock.ts';
import {
  renderProblem,
  stateMiss,
  type MockAnswer,
  type MockRequest,
  type RenderProblem,
  type RouteCounter,
} from './request/mock-request.ts';
import { RequestView } from './request/request-view.ts';
import { NO_CHOICE } from './choose/condition-groups.ts';
import type { ScenarioChoice } from './choose/scenario-choice.ts';

/** Indexes of the responses that a request names. */
type NamedResponses = readonly number[] | undefined;

/**
 * @param request Its body may be undefined unless the route `needsBody`.
 * @param counter Used once, and only for routes that need request numbers. A request that names its response does not
 * count where numbers choose.
 * @param others The further routes that match, in order of precedence: asked where a route hands the request on.
 * @returns The answer, or why the mock must answer 500, or 404 in this state; undefined when all routes hand the request on. Never throws.
 *
 * Cost: nothing for a static route. Else the work of its conditions and templates, at most RULE_WORK_MAX.
 */
export function answerRequest(
  found: FoundRoute,
  request: MockRequest,
  counter: RouteCounter,
  others?: Iterator<FoundRoute>,
): MockAnswer | RenderProblem | undefined {
  let current = found;
  let work = RULE_WORK_MAX;
  for (;;) {
    const { route } = current;
    if (route.staticAnswer !== undefined) return route.staticAnswer;
    const view = viewOf(current, request, counter);
    view.work = work;
    const answer = answerOf(current, view, counter);
    if (answer !== undefined) return answer;
    work = view.work;
    const next = others?.next();
    if (next === undefined || next.done === true) return undefined;
    current = next.value;
  }
}

/** The request as the route reads it, with its number where the route uses one. */
function viewOf(found: FoundRoute, request: MockRequest, counter: RouteCounter): RequestView {
  const { route } = found;
  const { forced } = route;
  const named = forced?.named(request.headers);
  const draws = route.draws && counter.seed !== null;
  const isLeftOut = named !== undefined && (route.isSequential || (route.choosesByDraw && counter.seed !== null));
  const number =
    route.usesCounter || draws ? (isLeftOut ? counter.upcoming(route.index) : counter.next(route.index)) : 0;
  const view = new RequestView(request, route.parameterNames, found, number, counter.seed);
  view.now = route.clock;
  if (route.isStateful && counter.turn !== undefined) {
    view.stores = counter.turn;
    counter.turn.requestNumber = number;
  }
  return view;
}

/** @returns undefined when the route hands the request on. */
function answerOf(
  { route }: FoundRoute,
  view: RequestView,
  counter: RouteCounter,
): MockAnswer | RenderProblem | undefined {
  const named = route.forced?.named(view.request.headers);
  const index = route.scenarios === undefined ? choose(route, named, view) : chooseInState(route, named, view, counter);
  if (index === NO_CHOICE && view.work >= 0) {
    if (route.fallsThrough) return undefined;
    return stateMiss((route.scenarios as ScenarioChoice).problem());
  }
  const response = route.responses[Math.max(0, index)] as (typeof route.responses)[number];
  if (view.work < 0) {
    return renderProblem(route.id, response.id, response.place, view.problem);
  }
  return response.answer(view);
}

function choose({ choose: usual, forced }: CompiledRoute, named: NamedResponses, view: RequestView): number {
  const first = named?.[0] ?? usual(view);
  if (first === NO_CHOICE) return NO_CHOICE;
  return forced === undefined ? first : forced.accepted(first, named, view.request.headers);
}

/** Moves the states too. @returns NO_CHOICE when no response may answer in them. */
function chooseInState(
  { scenarios, forced }: CompiledRoute,
  named: NamedResponses,
  view: RequestView,
  { state: { words } }: RouteCounter,
): number {
  const choice = scenarios as ScenarioChoice;
  // What of it a request accepts takes long to find, and does not depend on the states.
  const accepted = forced === undefined ? undefined : new Map<number, number>();
  choice.begin();
  for (;;) {
    choice.readStates(words);
    let index = named?.[0] ?? choice.choose(view);
    if (view.work < 0 || index === NO_CHOICE) return index;
    if (forced !== undefined && accepted !== undefined) {
      const first = index;
      index = accepted.get(first) ?? forced.accepted(first, named, view.request.headers);
      accepted.set(first, index);
    }
    if (choice.move(index, words)) return index;
  }
}

export function isRenderProblem(answer: MockAnswer | RenderProblem): answer is RenderProblem {
  return answer.problem !== undefined;
}
