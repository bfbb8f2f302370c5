/** Separates calls of WireMock's interface from requests to the mock at the same port. */
import type { BoundTo } from '../shared/bound-port.ts';
import type { MockHead } from './mock-head.ts';

/** Receiver of a call. */
export interface AdminTarget {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
}

const ADMIN_PATH = /^(?:\/__session\/([^/]+))?(\/__admin(?:\/.*)?)$/s;

/** @returns undefined for a request to the mock. */
export function adminTarget(head: MockHead, { adminUrl }: BoundTo): AdminTarget | undefined {
  if (!head.path.includes('/__admin')) return undefined;
  const [, named, rest] = ADMIN_PATH.exec(head.path) ?? [];
  if (rest === undefined) return undefined;
  const session = named ?? (head.sessionId === undefined ? undefined : encodeURIComponent(head.sessionId));
  const { origin, pathname } = new URL(adminUrl);
  const query = head.query === '' ? '' : `?${head.query}`;
  return { origin, path: `${pathname}${session === undefined ? '' : `/${session}`}${rest}${query}` };
}
