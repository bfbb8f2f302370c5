/** The sender of a request: a user of one owner (account, workspace or cloud project), with one API key. */

export const ROLES = ['admin', 'editor', 'viewer', 'proxy'] as const;
/**
 * An admin reads, writes, and manages the keys of its owner; an editor reads and writes; a viewer only reads. All may use the
 * gateway, and a proxy nothing else.
 */
export type Role = (typeof ROLES)[number];

export interface Principal {
  readonly keyId: string;
  readonly ownerId: string;
  readonly userId: string;
  readonly role: Role;
  /** When its key ends, in milliseconds since the Unix epoch; undefined for a key without an end. */
  readonly expiresAt?: number | undefined;
}

/** Syntax of owner and user ids (docs/operations.md, "Keys"). They need no escaping in JSON, a header or a log. */
export const PRINCIPAL_ID = /^[A-Za-z0-9._@-]{1,64}$/;

/** Access that a request requires: `read` any role except proxy, `write` editor or admin, `admin` admin. */
export type KeyAccess = 'read' | 'write' | 'admin';

export function mayUse(access: KeyAccess, role: Role): boolean {
  if (role === 'proxy') return false;
  return access === 'read' || role === 'admin' || (access === 'write' && role === 'editor');
}
