/** Renders one response directly from its definition, for explain.ts. The fast way is compile-response.ts. */
import { RENDERED_HEADER_CHARS_MAX } from '../../limits.ts';
import type { HeaderLine, MockResponse } from '../../model/mocks/definition.ts';
import { headerValueCheck, isServersOwn } from '../../model/mocks/header-value.ts';
import type { RequestView } from './request-view.ts';
import type { RouteTargets } from './rule-target.ts';
import { compileTemplate, TemplateRun } from './template.ts';

/** Never throws. */
export function renderResponse(
  response: MockResponse,
  view: RequestView,
  sharedDomains: readonly string[],
  targets: RouteTargets,
): { readonly headers: readonly HeaderLine[]; readonly body: Buffer } | { readonly problem: string } {
  const run = new TemplateRun(view);
  const render = (text: string, charsMax?: number): string =>
    response.templated ? compileTemplate(text, targets).render(run, charsMax) : text;
  const headers = response.headers
    .filter(({ name }) => !isServersOwn(name))
    .map(({ name, value }) => ({ name, value: render(value, RENDERED_HEADER_CHARS_MAX) }));
  const body =
    response.bodyEncoding === 'base64'
      ? Buffer.from(response.body, 'base64')
      : Buffer.from(render(response.body), 'utf8');
  if (run.problem !== undefined) return { problem: run.problem };
  for (const { name, value } of headers) {
    const problem = headerValueCheck(name, sharedDomains)(value);
    if (problem !== undefined) return { problem: `header ${name}: ${problem}` };
  }
  return { headers, body };
}
