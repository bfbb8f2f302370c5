/** Prepares one response: its head and its body as bytes, once per version, so that a request only writes them. */
import { RENDERED_HEADER_CHARS_MAX } from '../../../limits.ts';
import type { HeaderLine, MockResponse, ResponseProxy } from '../../../model/mocks/definition/definition.ts';
import { headerValueCheck, type HeaderValueCheck } from '../../../model/mocks/definition/header-value.ts';
import { answerHead, sharedHead, type ReplyHead } from './answer-head.ts';
import type { PreparedResponse } from './compiled-mock.ts';
import { withCors } from './cors.ts';
import { drawStream, headerStreams } from './draw-streams.ts';
import { compileLatency } from './latency.ts';
import { NO_PLACE, renderProblem, type MockAnswer, type RenderProblem } from '../request/mock-request.ts';
import { compileProxied } from './proxied-response.ts';
import type { CountedResponse } from './placed-response.ts';
import { seedLines, exposesSeed } from './seed-lines.ts';
import { compileTemplate, fixedTemplate } from '../templates/compile-template.ts';
import { TemplateRun } from '../templates/template-run.ts';
import { modeOf, withDefaultHeaders } from './templated.ts';

/**
 * The result keeps nothing of the definition that it does not need: a thread has many mocks with many responses each,
 * most of them fixed. A closure created in this function would keep every variable that any closure in this function
 * uses.
 */
export function compileResponse(
  { route, response, settings, targets, place }: CountedResponse,
  sharedDomains: readonly string[],
): PreparedResponse {
  if (isProxied(response)) return compileProxied({ route, response, settings, targets, place });
  const { id: routeId } = route;
  const { id, status } = response;
  const own = withDefaultHeaders(response, settings);
  const context = { targets, variables: settings.variables ?? {} };
  const headerLines = withCors(own, settings.cors);
  const checks = headerLines.map(({ name }) => headerValueCheck(name, sharedDomains));
  const refused = (problem: string): RenderProblem => renderProblem(routeId, id, place, problem);
  // Field by field: copying an object with "..." took 2 µs, five times as long as rendering a small template.
  const answerOf = (head: ReplyHead, body: string | ArrayBuffer, ownsBody: boolean, latencyMs: number): MockAnswer => ({
    routeId,
    responseId: id,
    place,
    status,
    faultCode: 0,
    otherPlace: NO_PLACE,
    head,
    body,
    ownsBody,
    latencyMs,
    isPlain: latencyMs <= 0,
    plan: undefined,
    callbacks: undefined,
  });
  const latency = compileLatency(settings.latency, response.latency, route);
  const body =
    response.templated !== false && response.bodyEncoding === 'text'
      ? compileTemplate(response.body, context, drawStream(route, 'body'), modeOf(response))
      : undefined;
  const streams = response.templated !== false ? headerStreams(route, headerLines) : [];
  const values = headerLines.map(({ value }, index) =>
    response.templated !== false ? compileTemplate(value, context, streams[index] as number) : fixedTemplate(value),
  );
  const exposes = exposesSeed(settings, own);
  const isRendered =
    exposes || [body, ...values].some((template) => template !== undefined && template.fixed === undefined);
  const uses = {
    readsBody: body?.readsBody === true || values.some(({ readsBody }) => readsBody),
    readsNumber: body?.readsNumber === true || values.some(({ readsNumber }) => readsNumber),
    readsIp: body?.readsIp === true || values.some(({ readsIp }) => readsIp),
    usesStores: body?.usesStores === true || values.some(({ usesStores }) => usesStores),
    draws: exposes || latency.fixed === undefined || [body, ...values].some((template) => template?.draws === true),
  };
  const bytes = bytesOf(body?.fixed ?? response.body, response.bodyEncoding);

  const fixedValues = values.flatMap(({ fixed }) => (fixed === undefined ? [] : [fixed]));
  const fixedLines = fixedValues.length === values.length ? headerLinesOf(headerLines, checks, fixedValues) : undefined;
  const fixedHead = typeof fixedLines === 'string' && !exposes ? sharedHead(answerHead(status, fixedLines)) : undefined;

  if (!isRendered && typeof fixedLines === 'object') {
    return { ...uses, id, place, fixed: undefined, answer: always(refused(fixedLines.problem)) };
  }
  if (!isRendered && fixedHead !== undefined) {
    const answer = answerOf(fixedHead, bytes, false, latency.fixed ?? 0);
    if (latency.fixed !== undefined) return { ...uses, id, place, fixed: answer, answer: always(answer) };
    return {
      ...uses,
      id,
      place,
      fixed: undefined,
      answer: (view) => answerOf(fixedHead, bytes, false, latency.draw(view)),
    };
  }

  return {
    ...uses,
    id,
    place,
    fixed: undefined,
    answer: (view) => {
      const run = new TemplateRun(view);
      const lines =
        fixedLines ??
        headerLinesOf(
          headerLines,
          checks,
          values.map((template) => template.render(run, RENDERED_HEADER_CHARS_MAX)),
        );
      const rendered = body === undefined ? bytes : body.render(run);
      if (run.problem !== undefined) return refused(run.problem);
      if (typeof lines === 'object') return refused(lines.problem);
      const head = fixedHead ?? answerHead(status, exposes ? lines + writeHeaderLines(seedLines(view)) : lines);
      return answerOf(head, rendered, rendered !== bytes, latency.draw(view));
    },
  };
}

function isProxied(response: MockResponse): response is MockResponse & { readonly proxy: ResponseProxy } {
  return response.proxy !== undefined;
}

function always<Answer>(answer: Answer): () => Answer {
  return () => answer;
}

function bytesOf(text: string, encoding: MockResponse['bodyEncoding']): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')).buffer;
}

/** @returns Each with CRLF before it. */
export function writeHeaderLines(headers: readonly HeaderLine[]): string {
  return headers.map(({ name, value }) => `\r\n${name}: ${value}`).join('');
}

/** @returns Each line with CRLF before it. */
function headerLinesOf(
  headers: readonly HeaderLine[],
  checks: readonly HeaderValueCheck[],
  values: readonly string[],
): string | { readonly problem: string } {
  let lines = '';
  for (const [index, { name }] of headers.entries()) {
    const value = values[index] as string;
    const problem = (checks[index] as HeaderValueCheck)(value);
    if (problem !== undefined) return { problem: `header ${name}: ${problem}` };
    lines += `\r\n${name}: ${value}`;
  }
  return lines;
}
