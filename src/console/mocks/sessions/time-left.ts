/** The remaining time of a session in words. Pure. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** "42 s", "4 min", "3 h"; rounded down. @param expiresAt Milliseconds since 1970, like `now`. */
export function timeLeft(expiresAt: number, now: number): string {
  const left = Math.max(0, expiresAt - now);
  if (left < 2 * MINUTE_MS) return `${Math.floor(left / SECOND_MS)} s`;
  if (left < 2 * HOUR_MS) return `${Math.floor(left / MINUTE_MS)} min`;
  return `${Math.floor(left / HOUR_MS)} h`;
}
