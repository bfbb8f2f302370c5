/**
 * Entity tags of lists (RFC 9110, 8.8.3): a page is the same until its owner has committed something.
 *
 * A tag is of one start of the server too, since another version of it may write records differently, other options
 * give mocks other URLs, and a snapshot that was restored counts versions again. It is of one owner, since browsers
 * cache by URL whatever the key.
 */
import { hash } from 'node:crypto';
import { randomId } from '../base/random-id.ts';
import type { IsKnown } from '../model/page-at.ts';
import { ifNoneMatchHolds } from '../model/precondition.ts';
import type { Call } from './call.ts';

const START = randomId(12);
const TAG_CHARS = 22;

/** The header lines of a page as of a version of its owner. */
export function listHeaders(call: Call, version: number): string {
  return `\r\netag: ${listTag(call, version)}\r\ncache-control: private, no-cache`;
}

/** Reads the entity tags that the client has cached. */
export function knownTo(call: Call): IsKnown {
  const { ifNoneMatch } = call.head;
  if (ifNoneMatch === undefined) return () => false;
  return (version) => !ifNoneMatchHolds(ifNoneMatch, listTag(call, version));
}

function listTag({ head: { path, query }, caller: { ownerId } }: Call, version: number): string {
  return `"${hash('sha256', `${START}\n${ownerId}\n${path}?${query}\n${version}`, 'base64url').slice(0, TAG_CHARS)}"`;
}
