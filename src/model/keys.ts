/** API keys as an admin manages them: docs/operations.md, "Keys over the API". */
import type { JsonObject } from '../base/json-object.ts';
import { isRefusal, refuse, type Detail, type Refusal } from '../errors.ts';
import type { Command } from './command.ts';
import { keyEndOf } from './key-end.ts';
import { PRINCIPAL_ID, ROLES, type Role } from './principal.ts';
import { Type } from './schema-type.ts';
import { quoteValue, unknownMember } from './validate.ts';

const isoDate = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

export const keySchema = Type.Object({
  keyId: Type.String({ description: 'The public part of the key.' }),
  user: Type.String(),
  role: Type.Enum([...ROLES]),
  state: Type.Enum(['valid', 'revoked', 'expired']),
  creationDate: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  expiresAt: isoDate('When the key expires, as an ISO 8601 date; null for a key that does not expire.'),
  revokedAt: isoDate('When the key was revoked; null for a valid key.'),
  origin: Type.Enum(['command', 'console', 'api'], { description: 'How the key was created.' }),
});

export const newKeySchema = Type.Object({
  ...keySchema.properties,
  key: Type.String({ description: 'The key, for the header `x-api-key`. Shown only once.' }),
});

export const keyInputSchema = Type.Object(
  {
    user: Type.String({ pattern: PRINCIPAL_ID.source, description: 'User that the history names.' }),
    role: Type.Optional(Type.Enum([...ROLES], { default: 'editor' })),
    expires: Type.Optional(
      Type.String({ description: 'Expiry: a time from now, such as `12h` or `30d`, or an ISO 8601 date.' }),
    ),
  },
  { additionalProperties: false },
);

interface KeyDraft {
  readonly userId: string;
  readonly role: Role;
  readonly expiresAt: number | undefined;
}

/** @param now Milliseconds since the Unix epoch. */
export function parseKey(body: JsonObject, now: number): KeyDraft | Refusal {
  const { user, role = 'editor', expires } = body;
  const known = Object.keys(keyInputSchema.properties);
  const details: Detail[] = Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: `/${name}`, message: unknownMember(known) }));
  if (typeof user !== 'string' || !PRINCIPAL_ID.test(user))
    details.push({
      path: '/user',
      message: `expected 1 to 64 characters of A-Z a-z 0-9 . _ @ -; got ${quoteValue(user)}`,
    });
  if (!(ROLES as readonly unknown[]).includes(role))
    details.push({ path: '/role', message: `expected one of ${ROLES.join(', ')}; got ${quoteValue(role)}` });
  const end = expires === undefined || typeof expires !== 'string' ? undefined : keyEndOf(expires, now);
  if (typeof end === 'string') details.push({ path: '/expires', message: end });
  else if (expires !== undefined && end === undefined)
    details.push({ path: '/expires', message: `expected a string, got ${quoteValue(expires)}` });
  if (details.length > 0) return refuse('badRequest', details);
  return { userId: user as string, role: role as Role, expiresAt: end as number | undefined };
}

/** Writes into the owner's history what is done to a key, before it is done: no key is made or ended unseen. */
export const noteNewKey: Command<{ readonly draft: KeyDraft | Refusal; readonly keyId: string }, KeyDraft> = {
  name: 'key.create',
  decide(_state, { draft, keyId }) {
    return isRefusal(draft) ? draft : { changes: [{ kind: 'note', id: keyId }], answer: draft };
  },
};

export const noteRevokedKey: Command<{ readonly keyId: string }, undefined> = {
  name: 'key.revoke',
  frees: true,
  decide: (_state, { keyId }) => ({ changes: [{ kind: 'note', id: keyId }], answer: undefined }),
};
