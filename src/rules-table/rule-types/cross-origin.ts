/** CORS: answers of preflights, and headers of responses that rules create, so that the requesting page can read them. */
import { valueProblem, type HeaderLine } from '../header-list.ts';
import type { RequestFacts } from '../request-facts.ts';
import type { Answer } from '../stage.ts';

/** Allows what a preflight asks for. Browsers keep it for five seconds. */
export function preflightAnswer(facts: RequestFacts): Answer {
  const allowed = (name: string, value: string | undefined): HeaderLine[] =>
    value === undefined || valueProblem(name, value) !== undefined ? [] : [{ name, value }];
  const headers = [
    ...crossOriginLines(facts, true),
    ...allowed('access-control-allow-methods', facts.header('access-control-request-method')),
    ...allowed('access-control-allow-headers', facts.header('access-control-request-headers')),
    ...allowed('access-control-allow-private-network', facts.header('access-control-request-private-network')),
  ];
  return { status: 204, statusText: undefined, headers, body: Buffer.alloc(0) };
}

/** @param isVarying Whether the response may be cached, and must then not be used for another origin. */
export function crossOriginLines(facts: RequestFacts, isVarying: boolean): HeaderLine[] {
  const origin = facts.header('origin');
  const name = 'access-control-allow-origin';
  if (origin === undefined || valueProblem(name, origin) !== undefined) return [{ name, value: '*' }];
  const lines = [
    { name, value: origin },
    { name: 'access-control-allow-credentials', value: 'true' },
  ];
  return isVarying ? [...lines, { name: 'vary', value: 'origin' }] : lines;
}
