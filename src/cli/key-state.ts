/** Whether a key can be used, as `keys list` shows it. */
import type { ApiKey } from '../store/store.ts';

type KeyState = 'valid' | 'revoked' | 'expired';

/** @param now Milliseconds since the Unix epoch. */
export function stateOf({ revocationDate, expiresAt = Infinity }: ApiKey, now: number): KeyState {
  if (revocationDate !== null) return 'revoked';
  return now >= expiresAt ? 'expired' : 'valid';
}
