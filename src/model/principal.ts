/** The sender of a request: a user of one owner (account, workspace or cloud project), with one API key. */

export const ROLES = ['editor', 'viewer'] as const;
/** An editor reads and writes; a viewer reads only. */
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
