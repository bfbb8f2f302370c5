/** Whether a key can be used, as it is listed. */
type KeyState = 'valid' | 'revoked' | 'expired';

interface KeyDates {
  readonly revocationDate: number | null;
  readonly expiresAt?: number | undefined;
}

/** @param now Milliseconds since the Unix epoch. */
export function stateOf({ revocationDate, expiresAt = Infinity }: KeyDates, now: number): KeyState {
  if (revocationDate !== null) return 'revoked';
  return now >= expiresAt ? 'expired' : 'valid';
}
