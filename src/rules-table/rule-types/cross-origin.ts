/** CORS headers of responses that rules create, so that the requesting page can read them. */
import { valueProblem, type HeaderLine } from '../header-list.ts';
import type { RequestFacts } from '../request-facts.ts';

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
