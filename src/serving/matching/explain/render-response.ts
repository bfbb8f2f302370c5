/** Renders one response directly from its definition, for explain.ts. The fast way is compile-response.ts. */
import { RENDERED_HEADER_CHARS_MAX } from '../../../limits.ts';
import type { HeaderLine, MockResponse, MockRoute } from '../../../model/mocks/definition.ts';
import { headerValueCheck, isServersOwn } from '../../../model/mocks/header-value.ts';
import { drawStream, headerStreams } from '../draw-streams.ts';
import type { RequestView } from '../request-view.ts';
import type { RouteTargets } from '../rule-target.ts';
import { compileTemplate, TemplateRun } from '../templates/template.ts';

/** Never throws. */
export function renderResponse(
  route: MockRoute,
  response: MockResponse,
  view: RequestView,
  sharedDomains: readonly string[],
  targets: RouteTargets,
): { readonly headers: readonly HeaderLine[]; readonly body: Buffer } | { readonly problem: string } {
  const run = new TemplateRun(view);
  const render = (text: string, stream: number, charsMax?: number): string =>
    response.templated ? compileTemplate(text, targets, stream).render(run, charsMax) : text;
  const own = response.headers.filter(({ name }) => !isServersOwn(name));
  const streams = headerStreams(route, own);
  const headers = own.map(({ name, value }, index) => ({
    name,
    value: render(value, streams[index] as number, RENDERED_HEADER_CHARS_MAX),
  }));
  const body =
    response.bodyEncoding === 'base64'
      ? Buffer.from(response.body, 'base64')
      : Buffer.from(render(response.body, drawStream(route, 'body')), 'utf8');
  if (run.problem !== undefined) return { problem: run.problem };
  for (const { name, value } of headers) {
    const problem = headerValueCheck(name, sharedDomains)(value);
    if (problem !== undefined) return { problem: `header ${name}: ${problem}` };
  }
  return { headers, body };
}
