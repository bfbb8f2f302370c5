/** Requests with an `Idempotency-Key`: the check of the key, and the digests by which a repetition is recognised. */
import { createHash, hash } from 'node:crypto';
import { refuse, type Refusal } from '../errors.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../limits.ts';
import type { Repeatable } from '../owners/turn.ts';
import type { Call } from './call.ts';

export const NO_BYTES = Buffer.alloc(0);

/** @returns The refusal of a key that cannot be stored, undefined for any other request. */
export function refuseKey({ head }: Call): Refusal | undefined {
  const { method, idempotencyKey } = head;
  if (idempotencyKey === undefined || method !== 'POST') return undefined;
  if (idempotencyKey !== '' && idempotencyKey.length <= IDEMPOTENCY_KEY_CHARS_MAX) return undefined;
  const message = `expected 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters`;
  return refuse('badRequest', [{ path: 'Idempotency-Key', message }]);
}

/**
 * Repetitions are recognised by owner, user, method, path and key; only a POST has an effect that must not be doubled.
 * A route without a key has no owner who could repeat.
 *
 * @returns undefined for a request that is not to be repeated.
 */
export function repeatableOf({ head, principal }: Call, body: Buffer): Repeatable | undefined {
  if (principal === undefined || head.idempotencyKey === undefined || head.method !== 'POST') return undefined;
  const { ownerId, userId } = principal;
  const scope = `${ownerId}\n${userId}\n${head.method}\n${head.path}\n${head.idempotencyKey}`;
  return { key: hash('sha256', scope), bodyDigest: digestOf(head.query, body) };
}

/** What a query says belongs to what is asked. */
function digestOf(query: string, body: Buffer): string {
  return query === '' ? hash('sha256', body) : createHash('sha256').update(`${query}\n`).update(body).digest('hex');
}
