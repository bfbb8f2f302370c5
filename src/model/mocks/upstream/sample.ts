/** The sample of a response, a request that got it: checks that its schema cannot express. */
import { BASE64 } from '../../../base/base64.ts';
import { SAMPLE_BYTES_MAX } from '../../../limits.ts';
import type { Report } from '../behaviour/behaviour-checks.ts';
import { bodyBytes } from '../definition/body-bytes.ts';
import type { HeaderLine, MockRoute, Sample } from '../definition/definition.ts';
import { headerProblem } from '../definition/edit-checks.ts';

export function sampleBytes({ path, query, headers, ...body }: Sample): number {
  const lines = headers.reduce((sum, { name, value }) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  return Buffer.byteLength(path) + Buffer.byteLength(query) + lines + bodyBytes(body);
}

/** @returns Why no request of a client has the line. */
export function sampleHeaderProblem({ name, value }: HeaderLine): string | undefined {
  return headerProblem(name, value, []);
}

export function checkSample(sample: Sample | undefined, report: Report): void {
  if (sample === undefined) return;
  for (const [index, line] of sample.headers.entries()) {
    const problem = sampleHeaderProblem(line);
    if (problem !== undefined) report(`/sample/headers/${index}`, problem);
  }
  if (sample.bodyEncoding === 'base64' && !BASE64.test(sample.body)) report('/sample/body', 'the body is not base64');
  if (sampleBytes(sample) > SAMPLE_BYTES_MAX) report('/sample', `must have at most ${SAMPLE_BYTES_MAX} bytes`);
}

/** Removes samples and the source stub, which serving does not need. @returns The route itself when it has neither. */
export function withoutSample(route: MockRoute): MockRoute {
  const { stub, ...own } = route;
  if (stub === undefined && route.responses.every(({ sample }) => sample === undefined)) return route;
  return { ...own, responses: route.responses.map(({ sample: _ofItsExchange, ...response }) => response) };
}
