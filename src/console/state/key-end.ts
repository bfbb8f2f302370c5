/** The expiry of the key in words. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From then on the rail shows it. */
const SOON_MS = HOUR_MS;

/** @param expiresAt An ISO date. @returns "in 3 days", "in 24 min"; rounded down. */
export function endsIn(expiresAt: string, now: number): string {
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'now';
  if (left < MINUTE_MS) return 'in less than a minute';
  if (left < 2 * HOUR_MS) return `in ${Math.floor(left / MINUTE_MS)} min`;
  if (left < 2 * DAY_MS) return `in ${Math.floor(left / HOUR_MS)} hours`;
  return `in ${Math.floor(left / DAY_MS)} days`;
}

export const endsSoon = (expiresAt: string | null | undefined, now: number): expiresAt is string =>
  typeof expiresAt === 'string' && Date.parse(expiresAt) - now < SOON_MS;
