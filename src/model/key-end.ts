/** The end of a key as it is given: a time from now, or a date. */

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A date, or a date with a time and its zone: without one it would be another moment on each machine. */
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;
/** The last millisecond of the year 9999. */
const LATEST = 253_402_300_799_999;

/** @returns Milliseconds since the Unix epoch, or what was expected instead. */
export function keyEndOf(text: string, now: number): number | string {
  const [, count, unit] = /^(\d{1,7})([mhd])$/.exec(text) ?? [];
  const end = unit === undefined ? dateOf(text) : now + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (Number.isNaN(end)) {
    return 'expected a time such as 30m, 12h or 90d, or a date such as 2030-12-31 or 2030-12-31T18:00:00Z';
  }
  if (end <= now) return 'expected a time in the future: the key would already have expired';
  return end > LATEST ? 'expected a date before the year 10000' : end;
}

/** @returns NaN for an impossible date, such as 2030-02-30, which JavaScript reads as 2 March. */
function dateOf(text: string): number {
  if (!ISO_DATE.test(text)) return NaN;
  const day = text.slice(0, 10);
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  return isDay ? Date.parse(text) : NaN;
}
