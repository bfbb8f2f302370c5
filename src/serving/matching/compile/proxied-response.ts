/** Prepares a response that an upstream gives: what is asked for, in place of a head and a body. thread/upstream-requests.ts asks for it. */
import { RENDERED_HEADER_CHARS_MAX } from '../../../limits.ts';
import type { MockResponse, ResponseProxy } from '../../../model/mocks/definition/definition.ts';
import { NO_PLACE, renderProblem, type MockAnswer } from '../request/mock-request.ts';
import type { CountedResponse } from './placed-response.ts';
import { compileTemplate, fixedTemplate } from '../templates/compile-template.ts';
import { TemplateRun } from '../templates/template-run.ts';
import type { PreparedResponse } from './compiled-mock.ts';
import { drawStream } from './draw-streams.ts';
import { compileLatency } from './latency.ts';

/** Why the mock answers 500. */
export const NO_SLASH = 'the path of its proxy does not start with /';

const NOTHING = new ArrayBuffer(0);

/** Field by field, so that all answers have one hidden class: compile-response.ts. */
function proxied(
  { routeId, responseId, place }: Pick<MockAnswer, 'routeId' | 'responseId' | 'place'>,
  latencyMs: number,
  own: ResponseProxy,
  path: string | undefined,
): MockAnswer {
  return {
    routeId,
    responseId,
    place,
    status: 0,
    faultCode: 0,
    otherPlace: NO_PLACE,
    head: '',
    body: NOTHING,
    ownsBody: false,
    latencyMs,
    isPlain: false,
    plan: { kind: 'proxy', own, path },
    callbacks: undefined,
  };
}

/** The answer to a request that no route answers, of a mock that proxies those. */
export const PROXIED: MockAnswer = proxied({ routeId: '', responseId: '', place: NO_PLACE }, 0, {}, undefined);

export function compileProxied({
  route,
  response,
  settings,
  targets,
  place,
}: Pick<CountedResponse, 'route' | 'settings' | 'targets' | 'place'> & {
  readonly response: MockResponse & { readonly proxy: ResponseProxy };
}): PreparedResponse {
  const { id: routeId } = route;
  const { id, templated } = response;
  const own = { routeId, responseId: id, place };
  const { proxy } = response;
  const { path } = proxy;
  const context = { targets, variables: settings.variables ?? {} };
  const template =
    path === undefined
      ? undefined
      : templated === false
        ? fixedTemplate(path)
        : compileTemplate(path, context, drawStream(route, 'body'));
  const latency = compileLatency(settings.latency, response.latency, route);
  return {
    id,
    place,
    readsBody: template?.readsBody === true,
    readsNumber: template?.readsNumber === true,
    readsIp: template?.readsIp === true,
    usesStores: template?.usesStores === true,
    draws: template?.draws === true || latency.fixed === undefined,
    fixed: undefined,
    answer(view) {
      const run = new TemplateRun(view);
      const rendered = template?.render(run, RENDERED_HEADER_CHARS_MAX);
      const problem = run.problem ?? (rendered?.startsWith('/') === false ? NO_SLASH : undefined);
      if (problem !== undefined) return renderProblem(routeId, id, place, problem);
      return proxied(own, latency.draw(view), proxy, rendered);
    },
  };
}
