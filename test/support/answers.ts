/** What an imported mock answers, by the compiled routes and by the interpreter, which must agree. */
import { expect } from 'vitest';
import type { MockImport } from '../../src/interchange/import-mocks.ts';
import { definitionOf } from './imports.ts';
import { compile, compiledAnswer, explainedAnswer, request, type Answer } from './mocks.ts';

/** @param target "GET /path?query". @returns undefined for a miss. */
export function answerOf(
  found: MockImport,
  target: string,
  given: Parameters<typeof request>[2] = {},
  number = 1,
): Answer | undefined {
  const [method = '', url = ''] = target.split(' ');
  const { settings, routes } = definitionOf(found);
  // What is made up is the same twice.
  const definition = { settings: { ...settings, seed: 1 }, routes };
  const asked = request(method, url, given);
  const answer = compiledAnswer(compile(definition), asked, number);
  expect(explainedAnswer(definition, asked, number)).toEqual(answer);
  return answer;
}
