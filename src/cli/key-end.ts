/** The text of `keys create --expires`: a time from now, or a date. */
import { InvalidArgumentError } from 'commander';
import { systemClock } from '../base/clock.ts';

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A date, or a date with a time and its zone: without one it would be another moment on each machine. */
const ISO_DATE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;
/** The last millisecond of the year 9999. */
const LATEST = 253_402_300_799_999;

/**
 * @returns Milliseconds since the Unix epoch.
 * @throws InvalidArgumentError for any other text, and for a moment that has passed.
 */
export function keyEnd(text: string, now = systemClock()): number {
  const [, count, unit] = /^(\d{1,7})([mhd])$/.exec(text) ?? [];
  const end = unit === undefined ? dateOf(text) : now + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (Number.isNaN(end)) {
    throw new InvalidArgumentError(
      'Expected a time such as 30m, 12h or 90d, or a date such as 2030-12-31 or 2030-12-31T18:00:00Z.',
    );
  }
  if (end <= now) throw new InvalidArgumentError('Expected a time to come: the key would have expired already.');
  if (end > LATEST) throw new InvalidArgumentError('Expected an end before the year 10000.');
  return end;
}

/** @returns NaN for an impossible date, such as 2030-02-30, which JavaScript reads as 2 March. */
function dateOf(text: string): number {
  if (!ISO_DATE.test(text)) return NaN;
  const day = text.slice(0, 10);
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  return isDay ? Date.parse(text) : NaN;
}
