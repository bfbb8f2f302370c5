/** The id of the mock whose sessions are the imposters of an owner, as mountebank's admin API makes them. */
import { createHash } from 'node:crypto';

export const BASE_NAME = 'mountebank';
/** With the name, an id has as many characters as one may have. */
const DIGEST_CHARS = 11;

/** Ids of mocks are unique among owners. */
export function baseMockId(ownerId: string): string {
  return `${BASE_NAME}${createHash('sha256').update(ownerId).digest('hex').slice(0, DIGEST_CHARS)}`;
}

const BASE_MOCK_ID = new RegExp(`^${BASE_NAME}[0-9a-f]{${DIGEST_CHARS}}$`);

/** Whether it is another owner's. */
export function isBaseMockOfAnother(id: string, ownerId: string): boolean {
  return BASE_MOCK_ID.test(id) && id !== baseMockId(ownerId);
}
