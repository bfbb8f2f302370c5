/** The length of a response's body in bytes, decoded. */
import type { MockResponse } from './definition.ts';

/** For a template, the size of its text. */
export function bodyBytes({ body, bodyEncoding }: Pick<MockResponse, 'body' | 'bodyEncoding'>): number {
  return Buffer.byteLength(body, bodyEncoding === 'base64' ? 'base64' : 'utf8');
}
