/** Times that are moved: by "-7 days" or an ISO 8601 duration, or to the beginning of a unit. In UTC. */

export type TimeUnit = 'years' | 'months' | 'weeks' | 'days' | 'hours' | 'minutes' | 'seconds';

const MS: Readonly<Record<Exclude<TimeUnit, 'years' | 'months'>, number>> = {
  weeks: 604_800_000,
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
};

const WORDS = /([+-]?)\s*(\d{1,9})\s*(years?|months?|weeks?|days?|hours?|minutes?|seconds?|[yMwdhms])(?![A-Za-z])/g;
const WHOLE_WORDS = new RegExp(`^\\s*(?:${WORDS.source}[\\s,]*)+$`);
const DURATION =
  /^([+-]?)P(?:(-?\d{1,9})Y)?(?:(-?\d{1,9})M)?(?:(-?\d{1,9})W)?(?:(-?\d{1,9})D)?(?:T(?:(-?\d{1,9})H)?(?:(-?\d{1,9})M)?(?:(-?\d{1,9})S)?)?$/;
const IN_ORDER: readonly TimeUnit[] = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'];
const SHORT: Readonly<Record<string, TimeUnit>> = {
  y: 'years',
  M: 'months',
  w: 'weeks',
  d: 'days',
  h: 'hours',
  m: 'minutes',
  s: 'seconds',
};

const OFFSET_CHARS_MAX = 100;

/** @returns The steps of an offset such as "-7 days", "+1d" or "P1M"; undefined for what is no offset. */
export function offsetSteps(offset: string): readonly (readonly [count: number, unit: TimeUnit])[] | undefined {
  if (offset.length > OFFSET_CHARS_MAX) return undefined;
  const duration = DURATION.exec(offset.trim());
  if (duration !== null) {
    const [whole, sign, ...counts] = duration;
    if (/[PT]$/.test(whole)) return undefined;
    return counts.flatMap((count, index) => {
      const unit = IN_ORDER[index] as TimeUnit;
      return count === undefined ? [] : [[(sign === '-' ? -1 : 1) * Number(count), unit] as const];
    });
  }
  if (!WHOLE_WORDS.test(offset)) return undefined;
  return [...offset.matchAll(WORDS)].map(([, sign, count, word = '']) => {
    const unit = SHORT[word] ?? (`${word.replace(/s$/, '')}s` as TimeUnit);
    return [(sign === '-' ? -1 : 1) * Number(count), unit] as const;
  });
}

/** @returns NaN for what is no offset. */
export function shiftTime(time: number, offset: string): number {
  const steps = offset.trim() === '' ? [] : offsetSteps(offset);
  if (steps === undefined) return Number.NaN;
  let shifted = time;
  for (const [count, unit] of steps) shifted = shiftedBy(shifted, count, unit);
  return shifted;
}

/** The day of a shorter month is its last one. */
export function shiftedBy(time: number, count: number, unit: TimeUnit): number {
  if (unit !== 'years' && unit !== 'months') return time + count * MS[unit];
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  if (unit === 'years') date.setUTCFullYear(date.getUTCFullYear() + count);
  else date.setUTCMonth(date.getUTCMonth() + count);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}

/** @param unit "first day of month", "last minute of day", "day" and their kin. */
export function truncateTime(time: number, unit: string): number {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (
    unit
      .toLowerCase()
      .replace(/^first (?:second|minute|hour|day) of /, '')
      .replace(/^(?:the )?/, '')
  ) {
    case 'second':
      return Math.floor(time / 1_000) * 1_000;
    case 'minute':
      return Math.floor(time / 60_000) * 60_000;
    case 'hour':
      return Math.floor(time / 3_600_000) * 3_600_000;
    case 'day':
      return Date.UTC(year, month, day);
    case 'month':
      return Date.UTC(year, month, 1);
    case 'next month':
      return Date.UTC(year, month + 1, 1);
    case 'last day of month':
      return Date.UTC(year, month + 1, 0);
    case 'year':
      return Date.UTC(year, 0, 1);
    case 'next year':
      return Date.UTC(year + 1, 0, 1);
    case 'last day of year':
      return Date.UTC(year + 1, 0, 0);
    case 'last minute of day':
      return Date.UTC(year, month, day, 23, 59);
    default:
      return Number.NaN;
  }
}
