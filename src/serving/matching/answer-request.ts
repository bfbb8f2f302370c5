/** Answers a request whose route was found: chooses one of its responses and renders it. */
import type { FoundRoute } from './compiled-mock.ts';
import {
  renderProblem,
  type MockAnswer,
  type MockRequest,
  type RenderProblem,
  type RouteCounter,
} from './mock-request.ts';
import { RequestView, TOO_MUCH_WORK } from './request-view.ts';

/**
 * @param request Its body may be undefined unless the route `needsBody`.
 * @param counter Used once, and only for routes that need request numbers. A request that names its response does not
 * count where numbers choose.
 * @returns The answer, or why the mock must answer 500. Never throws.
 *
 * Cost: nothing for a static route. Else the work of its rules and templates, at most RULE_WORK_MAX.
 */
export function answerRequest(
  found: FoundRoute,
  request: MockRequest,
  counter: RouteCounter,
): MockAnswer | RenderProblem {
  const { route } = found;
  if (route.staticAnswer !== undefined) return route.staticAnswer;
  const { forced } = route;
  const named = forced?.named(request.headers);
  const draws = route.draws && counter.seed !== null;
  const isLeftOut = named !== undefined && (route.isSequential || (route.choosesByDraw && counter.seed !== null));
  const number =
    route.usesCounter || draws ? (isLeftOut ? counter.upcoming(route.index) : counter.next(route.index)) : 0;
  const view = new RequestView(request, route.parameterNames, found, number, counter.seed);
  const first = named?.[0] ?? route.choose(view);
  const index = forced === undefined ? first : forced.accepted(first, named, request.headers);
  const response = route.responses[index] as (typeof route.responses)[number];
  if (view.work < 0) {
    return renderProblem(route.id, response.id, response.place, TOO_MUCH_WORK);
  }
  return response.answer(view);
}

export function isRenderProblem(answer: MockAnswer | RenderProblem): answer is RenderProblem {
  return answer.problem !== undefined;
}
