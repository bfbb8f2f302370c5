/** Puts answers of the service into a definition, in place of those of its responses. */
import { isUtf8 } from 'node:buffer';
import type { HeaderLine, MockDefinition, MockResponse } from '../model/mocks/definition/definition.ts';
import { headerProblem } from '../model/mocks/definition/edit-checks.ts';
import { isServersOwn } from '../model/mocks/definition/header-value.ts';
import { bufferOf } from '../base/bytes.ts';
import type { Answer } from './answer.ts';
import type { StagedAnswer } from './run-drift.ts';

/** They are of the way here, of a body that is decoded, or of one session. */
const NOT_KEPT: ReadonlySet<string> = new Set(['via', 'content-encoding', 'set-cookie', 'age']);

/** @returns The definition, and how many responses have another answer. Those that are gone are left out. */
export function withAnswers(
  definition: MockDefinition,
  answers: readonly StagedAnswer[],
): { readonly definition: MockDefinition; readonly count: number } {
  const byPlace = new Map(answers.map(({ routeId, responseId, answer }) => [`${routeId}/${responseId}`, answer]));
  let count = 0;
  const routes = definition.routes.map((route) => ({
    ...route,
    responses: route.responses.map((response) => {
      const answer = byPlace.get(`${route.id}/${response.id}`);
      if (answer === undefined) return response;
      count++;
      return answeringAs(response, answer);
    }),
  }));
  return { definition: { ...definition, routes }, count };
}

function answeringAs(response: MockResponse, { status, headers, body }: Answer): MockResponse {
  const bytes = bufferOf(body);
  const isText = isUtf8(bytes);
  return {
    ...response,
    status,
    headers: headers.filter(isKept),
    body: bytes.toString(isText ? 'utf8' : 'base64'),
    bodyEncoding: isText ? 'text' : 'base64',
    // What the service has sent is not a template, whatever it looks like.
    templated: false,
  };
}

function isKept({ name, value }: HeaderLine): boolean {
  return !NOT_KEPT.has(name.toLowerCase()) && !isServersOwn(name) && headerProblem(name, value, []) === undefined;
}
