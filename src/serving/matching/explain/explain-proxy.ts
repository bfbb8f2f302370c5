/** Describes the request to an upstream: a dry run sends nothing. */
import { RENDERED_HEADER_CHARS_MAX } from '../../../limits.ts';
import type { MockSettings, ProxySettings, ResponseProxy } from '../../../model/mocks/definition/definition.ts';
import { proxiesMisses } from '../../../model/mocks/upstream/proxy.ts';
import type { PlacedResponse } from '../compile/placed-response.ts';
import { NO_SLASH } from '../compile/proxied-response.ts';
import { drawStream } from '../compile/draw-streams.ts';
import type { MockRequest } from '../request/mock-request.ts';
import type { RequestView } from '../request/request-view.ts';
import { compileTemplate } from '../templates/compile-template.ts';
import { TemplateRun } from '../templates/template-run.ts';

/** @returns Of a request that no route answers: nothing if the mock would not proxy it. */
export function explainProxiedMiss({ proxy }: MockSettings, request: MockRequest): { readonly sentOn?: string } {
  return proxiesMisses({ proxy }) ? { sentOn: describeProxying(proxy?.upstream, pathOf(request), proxy ?? {}) } : {};
}

/** @returns Of a request that a response with `proxy` answers, or why it would be answered 500. */
export function explainProxiedResponse(
  { route, response: { templated }, settings: { proxy, variables = {} }, targets }: PlacedResponse,
  { upstream, path }: ResponseProxy,
  view: RequestView,
): { readonly sentOn: string } | { readonly problem: string } {
  const to = proxy === null ? undefined : (upstream ?? proxy?.upstream);
  // It has no other answer.
  const how = { rules: proxy?.rules === true };
  if (path === undefined) return { sentOn: describeProxying(to, pathOf(view.request), how) };
  const run = new TemplateRun(view);
  const template = compileTemplate(path, { targets, variables }, drawStream(route, 'body'));
  const rendered = templated === false ? path : template.render(run, RENDERED_HEADER_CHARS_MAX);
  if (run.problem !== undefined) return { problem: run.problem };
  if (!rendered.startsWith('/')) return { problem: NO_SLASH };
  return { sentOn: describeProxying(to, rendered, how) };
}

function describeProxying(
  upstream: string | undefined,
  path: string,
  { onFailure, rules }: Pick<ProxySettings, 'onFailure' | 'rules'>,
): string {
  if (upstream === undefined) return 'would answer 502: no upstream is set, or proxy is null';
  const otherwise = onFailure === 'mock' ? '; if that fails, the mock answers as if it had no upstream' : '';
  const acting = rules === true ? ', with the rules of the owner' : '';
  return `would be proxied to ${upstream.replace(/\/$/, '')}${path}${acting}${otherwise}`;
}

function pathOf({ path, query }: MockRequest): string {
  return query === '' ? path : `${path}?${query}`;
}
