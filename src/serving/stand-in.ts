/** A tiny stand-in for the matcher, until it exists: literal paths and the first response. */
import { METHOD_ANY, type MockRoute, type PublishedMock } from '../model/mocks/definition.ts';
import type { MockAnswer, MockRequest, RenderProblem, RouteCounter } from './mock-request.ts';

export interface CompiledRoute {
  readonly needsBody: boolean;
  readonly isStatic: boolean;
  readonly staticAnswer: MockAnswer | undefined;
  readonly source: MockRoute;
  readonly answers: readonly MockAnswer[];
}

export interface CompiledMock {
  readonly published: PublishedMock;
  readonly routes: readonly CompiledRoute[];
}

export interface FoundRoute {
  readonly route: CompiledRoute;
  readonly routeIndex: number;
  readonly params: readonly string[];
}

export function compileMock(published: PublishedMock): CompiledMock {
  const routes = published.definition.routes.map((source) => {
    const answers = source.responses.map((response): MockAnswer => {
      const [first, ...rest] = response.headers.map(({ name, value }) => ({ name, value }));
      const headers =
        first === undefined
          ? undefined
          : { name: first.name, rest: first.value + rest.map(({ name, value }) => `\r\n${name}: ${value}`).join('') };
      return {
        routeId: source.id,
        responseId: response.id,
        status: response.status,
        statusLine: `${response.status} Status`,
        headers,
        body: Buffer.from(response.body, response.bodyEncoding === 'text' ? 'utf8' : 'base64'),
        latencyMs: typeof response.latency === 'number' ? response.latency : response.latency.max,
      };
    });
    const isStatic = source.selection !== 'sequential' && !source.responses.some(({ templated }) => templated);
    return { needsBody: !isStatic, isStatic, staticAnswer: isStatic ? answers[0] : undefined, source, answers };
  });
  return { published, routes };
}

export function findRoute(mock: CompiledMock, method: string, path: string): FoundRoute | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const routeIndex = mock.routes.findIndex(
    ({ source }) => source.path === path && (source.method === wanted || source.method === METHOD_ANY),
  );
  const route = mock.routes[routeIndex];
  return route === undefined ? undefined : { route, routeIndex, params: [] };
}

export function nearestRoutes(mock: CompiledMock, _method: string, _path: string): readonly unknown[] {
  return mock.routes.slice(0, 3).map(({ source }) => ({ method: source.method, path: source.path }));
}

export function hasRouteForOptions(mock: CompiledMock, path: string): boolean {
  return mock.routes.some(({ source }) => source.path === path && source.method === 'OPTIONS');
}

export function answerRequest(
  _mock: CompiledMock,
  { route, routeIndex }: FoundRoute,
  request: MockRequest,
  counter: RouteCounter,
): MockAnswer | RenderProblem {
  const number = counter.next(routeIndex);
  const answer = route.answers[(number - 1) % route.answers.length] as MockAnswer;
  return route.source.responses[0]?.templated === true ? { ...answer, body: request.body ?? Buffer.alloc(0) } : answer;
}
