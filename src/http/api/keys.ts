/** Keys of the caller's owner, for admins: made, listed and revoked. The owner's history has it, and no secret is kept. */
import type { Clock } from '../../base/clock.ts';
import { isRefusal, refuse, refuseLimit } from '../../errors.ts';
import { KEYS_PER_OWNER_MAX } from '../../limits.ts';
import { newApiKey } from '../../model/api-key.ts';
import { stateOf } from '../../model/key-state.ts';
import { keyInputSchema, keySchema, newKeySchema, noteNewKey, noteRevokedKey, parseKey } from '../../model/keys.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import type { ApiKey, ApiKeyStore } from '../../store/store.ts';
import type { Endpoint } from '../endpoint.ts';
import { operations } from './operation.ts';

const operation = operations('Account');

const BODY_BYTES_MAX = 1_000;
const NOT_STORED = '\r\ncache-control: no-store';

interface KeysParts {
  readonly owners: OwnerDirectory;
  readonly keys: Pick<ApiKeyStore, 'list' | 'add' | 'revoke'>;
  readonly clock: Clock;
  /** Makes this server heed at once what it has changed. */
  readonly refresh: () => void;
}

export function keysApi({ owners, keys, clock, refresh }: KeysParts): Endpoint[] {
  const keysOf = (ownerId: string): ApiKey[] => keys.list().filter((key) => key.ownerId === ownerId);
  return [
    operation('listKeys', 'GET /v1/keys', {
      access: 'admin',
      summary: "List the owner's keys, without their secrets; for admins",
      list: keySchema,
      handle(call) {
        const now = clock();
        const listed = keysOf(call.caller.ownerId).toSorted((one, other) => other.creationDate - one.creationDate);
        call.succeed(`"data":${JSON.stringify(listed.map((key) => represent(key, now)))}`);
      },
    }),
    operation('createKey', 'POST /v1/keys', {
      access: 'admin',
      summary: 'Create a key of the owner, shown once; for admins',
      data: newKeySchema,
      refuses: ['badRequest', 'limitReached', 'storageFull'],
      body: {
        schema: keyInputSchema,
        examples: { 'For scripts, valid for thirty days': { user: 'ci', role: 'viewer', expires: '30d' } },
        bytesMax: BODY_BYTES_MAX,
        invalid: 'badRequest',
      },
      handle(call, body) {
        const { ownerId } = call.caller;
        const now = clock();
        const draft = isRefusal(body) ? body : parseKey(body, now);
        const valid = keysOf(ownerId).filter((key) => stateOf(key, now) === 'valid');
        if (!isRefusal(draft) && valid.length >= KEYS_PER_OWNER_MAX)
          return call.refuse(refuseLimit(`${KEYS_PER_OWNER_MAX} valid keys per owner`));
        const { keyId, text, secretDigest } = newApiKey();
        return owners.command(noteNewKey, { draft, keyId }, call.caller, (noted) => {
          if (isRefusal(noted)) return call.refuse(noted);
          const key: ApiKey = {
            ...noted,
            ownerId,
            keyId,
            creationDate: now,
            revocationDate: null,
            origin: 'api',
            secretDigest,
          };
          return void call.later(keys.add(key), () =>
            call.succeed(`"data":${JSON.stringify({ ...represent(key, now), key: text })}`, NOT_STORED),
          );
        });
      },
    }),
    operation('revokeKey', 'DELETE /v1/keys/:id', {
      access: 'admin',
      summary: 'Revoke a key of the owner, except the one in use; for admins',
      message: 'Key revoked successfully',
      refuses: ['keyInUse'],
      handle(call) {
        const keyId = call.params[0] ?? '';
        const key = keysOf(call.caller.ownerId).find((each) => each.keyId === keyId);
        if (key === undefined) return call.refuse('keyNotFound');
        if (keyId === call.caller.keyId)
          return call.refuse(
            refuse('keyInUse', [
              { path: 'id', message: 'it is the key of this request: revoke it with the key of another admin' },
            ]),
          );
        const succeed = (): void => call.succeed('"message":"Key revoked successfully"');
        if (key.revocationDate !== null) return succeed();
        return owners.command(noteRevokedKey, { keyId }, call.caller, (noted) => {
          if (isRefusal(noted)) return call.refuse(noted);
          return void call.later(keys.revoke(keyId, clock()), () => {
            refresh();
            succeed();
          });
        });
      },
    }),
  ];
}

function represent(key: ApiKey, now: number): object {
  const { keyId, userId, role, creationDate, revocationDate, expiresAt, origin } = key;
  return {
    keyId,
    user: userId,
    role,
    state: stateOf(key, now),
    creationDate,
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    revokedAt: revocationDate === null ? null : new Date(revocationDate).toISOString(),
    origin,
  };
}
