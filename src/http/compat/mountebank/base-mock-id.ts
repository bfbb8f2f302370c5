/** The id of the mock whose sessions are the imposters of an owner. A file of its own, since each call needs it, and base-mock.ts loads much. */
import { createHash } from 'node:crypto';

export const BASE_NAME = 'mountebank';
/** With the name, an id has as many characters as one may have. */
const DIGEST_CHARS = 11;

/** Ids of mocks are unique among owners. */
export function baseMockId(ownerId: string): string {
  return `${BASE_NAME}${createHash('sha256').update(ownerId).digest('hex').slice(0, DIGEST_CHARS)}`;
}
