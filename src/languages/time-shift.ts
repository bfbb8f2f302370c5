/** Times that are moved: by "-7 days", "+1d" or an ISO 8601 duration, or to the beginning of a unit. In UTC. */
import { inRange } from './parse-time.ts';

type TimeUnit = 'years' | 'months' | 'weeks' | 'days' | 'hours' | 'minutes' | 'seconds';

interface Step {
  readonly count: number;
  readonly unit: TimeUnit;
}

const MS: Readonly<Record<Exclude<TimeUnit, 'years' | 'months'>, number>> = {
  weeks: 604_800_000,
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
};

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

/** A longer text is not an offset, nor the name of a beginning. */
export const OFFSET_CHARS_MAX = 100;
const COUNT = String.raw`([+-]?\d{1,9})`;
const DURATION = new RegExp(
  `^([+-])?P(?=.)(?:${COUNT}Y)?(?:${COUNT}M)?(?:${COUNT}W)?(?:${COUNT}D)?(?:T(?=.)(?:${COUNT}H)?(?:${COUNT}M)?(?:${COUNT}S)?)?$`,
);
/** One step, with what parts it from the next: a pattern of the whole offset would try all ways to share out its spaces. */
const STEP = /([+-]?) *(\d{1,9}) *([A-Za-z]{1,7})[ ,]*/y;

/** @returns The steps of an offset such as "-7 days", "+1d" or "P1M"; undefined for a text that is not an offset. */
export function offsetSteps(offset: string): readonly Step[] | undefined {
  if (offset.length > OFFSET_CHARS_MAX) return undefined;
  const text = offset.trim();
  const [whole, sign, ...counts] = DURATION.exec(text) ?? [];
  if (whole === undefined) return stepsInWords(text);
  return counts.flatMap((count, index) => {
    const unit = IN_ORDER[index] as TimeUnit;
    return count === undefined ? [] : [{ count: (sign === '-' ? -1 : 1) * Number(count), unit }];
  });
}

function stepsInWords(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  do {
    const [, sign, count, word = ''] = STEP.exec(text) ?? [];
    const unit = unitOf(word);
    if (unit === undefined) return undefined;
    steps.push({ count: (sign === '-' ? -1 : 1) * Number(count), unit });
  } while (STEP.lastIndex < text.length);
  return steps;
}

/** "d", "day", "days", "DAYS" */
function unitOf(word: string): TimeUnit | undefined {
  if (Object.hasOwn(SHORT, word)) return SHORT[word];
  const name = word.toLowerCase();
  return IN_ORDER.find((unit) => unit === name || unit === `${name}s`);
}

/** @returns NaN for a text that is not an offset, and for what a Date cannot hold. */
export function shiftTime(time: number, offset: string): number {
  const steps = offset.trim() === '' ? [] : offsetSteps(offset);
  if (steps === undefined) return Number.NaN;
  return shiftedBySteps(time, steps);
}

export function shiftedBySteps(time: number, steps: readonly Step[]): number {
  return steps.reduce((shifted, { count, unit }) => shiftedBy(shifted, count, unit), time);
}

/** The day of a shorter month is its last one. @param overflows Whether it is counted on into the next month. */
export function shiftedBy(time: number, count: number, unit: TimeUnit, overflows = false): number {
  if (unit !== 'years' && unit !== 'months') return inRange(time + count * MS[unit]);
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + (unit === 'years' ? 12 * count : count));
  const last = new Date(startOfDay(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(overflows ? day : Math.min(day, last));
  return inRange(date.getTime());
}

type Truncate = (year: number, month: number, day: number, moment: Date) => number;

const TRUNCATIONS: Readonly<Record<string, Truncate>> = {
  'first second of minute': (_year, _month, _day, moment) => moment.setUTCSeconds(0, 0),
  'first minute of hour': (_year, _month, _day, moment) => moment.setUTCMinutes(0, 0, 0),
  'first hour of day': (year, month, day) => startOfDay(year, month, day),
  'first day of month': (year, month) => startOfDay(year, month, 1),
  'first day of next month': (year, month) => startOfDay(year, month + 1, 1),
  'last day of month': (year, month) => startOfDay(year, month + 1, 0),
  'first day of year': (year) => startOfDay(year, 0, 1),
  'first day of next year': (year) => startOfDay(year + 1, 0, 1),
  'last day of year': (year) => startOfDay(year + 1, 0, 0),
};

/** @param to "first day of month" and the like. @returns NaN for anything else. */
export function truncateTime(time: number, to: string): number {
  const name = to.length > OFFSET_CHARS_MAX ? '' : to.toLowerCase();
  const truncate = Object.hasOwn(TRUNCATIONS, name) ? TRUNCATIONS[name] : undefined;
  const moment = new Date(time);
  return truncate?.(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate(), moment) ?? Number.NaN;
}

/** Date.UTC takes the years 0 to 99 for those of the last century. */
function startOfDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}
