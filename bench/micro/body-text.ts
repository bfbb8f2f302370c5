/** The body of an answer of a mock, which is a text or bytes. */
import type { MockAnswer } from '../../src/serving/matching/mock-request.ts';

export function bodyText({ body }: MockAnswer): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString();
}
