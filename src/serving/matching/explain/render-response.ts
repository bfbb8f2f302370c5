/** Renders one response directly from its definition, for explain.ts. The fast way is compile-response.ts. */
import { RENDERED_HEADER_CHARS_MAX } from '../../../limits.ts';
import type { TemplateMode } from '../../../languages/templates/template-checks.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { headerValueCheck } from '../../../model/mocks/definition/header-value.ts';
import { drawStream, headerStreams } from '../compile/draw-streams.ts';
import type { RequestView } from '../request/request-view.ts';
import type { PlacedResponse } from '../compile/placed-response.ts';
import { modeOf, withDefaultHeaders } from '../compile/templated.ts';
import { compileTemplate } from '../templates/compile-template.ts';
import { TemplateRun } from '../templates/template-run.ts';

/** Never throws. */
export function renderResponse(
  { route, response, settings, targets }: PlacedResponse,
  view: RequestView,
  sharedDomains: readonly string[],
): { readonly headers: readonly HeaderLine[]; readonly body: Buffer } | { readonly problem: string } {
  const run = new TemplateRun(view);
  const context = { targets, variables: settings.variables ?? {} };
  const render = (text: string, stream: number, mode: TemplateMode, charsMax?: number): string =>
    response.templated !== false ? compileTemplate(text, context, stream, mode).render(run, charsMax) : text;
  const own = withDefaultHeaders(response, settings);
  const streams = headerStreams(route, own);
  const headers = own.map(({ name, value }, index) => ({
    name,
    value: render(value, streams[index] as number, 'text', RENDERED_HEADER_CHARS_MAX),
  }));
  const body =
    response.bodyEncoding === 'base64'
      ? Buffer.from(response.body, 'base64')
      : Buffer.from(render(response.body, drawStream(route, 'body'), modeOf(response)), 'utf8');
  if (run.problem !== undefined) return { problem: run.problem };
  for (const { name, value } of headers) {
    const problem = headerValueCheck(name, sharedDomains)(value);
    if (problem !== undefined) return { problem: `header ${name}: ${problem}` };
  }
  return { headers, body };
}
