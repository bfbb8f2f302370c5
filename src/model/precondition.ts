/** Entity tags of records, and the preconditions `If-Match` and `If-None-Match` (RFC 9110, 8.8.3, 13.1.1 and 13.1.2). */

/** The strong entity tag of a record: the owner's version that wrote it last, which is unique to this state of it. */
export function etagOf(version: number): string {
  return `"${version.toString(36)}"`;
}

/**
 * @param ifMatch The header as received, undefined when absent: a list of entity tags, or `*` for any.
 * @returns Whether the precondition holds. Weak tags never match, as strong comparison requires.
 */
export function ifMatchHolds(ifMatch: string | undefined, version: number): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  const etag = etagOf(version);
  return ifMatch.split(',').some((listed) => listed.trim() === etag);
}

/**
 * @param ifNoneMatch The header as received, undefined when absent: a list of entity tags, or `*` for any.
 * @param etag        Of what would be answered.
 * @returns Whether the precondition holds; when it does not, a read is answered 304. Weak tags match, too: a proxy that
 *          changes the encoding makes a tag weak.
 */
export function ifNoneMatchHolds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return true;
  if (ifNoneMatch.trim() === '*') return false;
  return !ifNoneMatch.split(',').some((listed) => listed.trim().replace(/^W\//, '') === etag);
}
