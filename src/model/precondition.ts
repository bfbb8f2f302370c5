/** Entity tags of records and the `If-Match` precondition (RFC 9110, 8.8.3 and 13.1.1). */

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
