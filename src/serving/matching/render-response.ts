/** Renders one response as its definition says, without preparation: for explain.ts. compile-response.ts is the fast way. */
import { RENDERED_HEADER_CHARS_MAX } from '../../limits.ts';
import type { HeaderLine, MockResponse } from '../../model/mocks/definition.ts';
import { headerValueCheck } from '../../model/mocks/header-value.ts';
import type { RequestView } from './request-view.ts';
import { compileTemplate, TemplateRun } from './template.ts';

/** Never throws. */
export function renderResponse(
  response: MockResponse,
  view: RequestView,
  sharedDomains: readonly string[],
): { readonly headers: readonly HeaderLine[]; readonly body: Buffer } | { readonly problem: string } {
  const run = new TemplateRun(view);
  const render = (text: string, charsMax?: number): string =>
    response.templated ? compileTemplate(text).render(run, charsMax) : text;
  const headers = response.headers.map(({ name, value }) => ({
    name,
    value: render(value, RENDERED_HEADER_CHARS_MAX),
  }));
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
