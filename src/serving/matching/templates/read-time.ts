/** Times that templates read: ISO 8601, the form of HTTP headers, milliseconds since 1970; and how far they are shifted. */

/** A Date holds no more. */
const MS_MAX = 8.64e15;
const TIME_CHARS_MAX = 64;

/** @returns Milliseconds; NaN for what is no time. A time without an offset is one of UTC. Never throws. */
export function timeOf(value: unknown): number {
  if (typeof value === 'number') return inRange(value);
  if (typeof value !== 'string' || value.length > TIME_CHARS_MAX) return Number.NaN;
  const text = value.trim();
  if (DIGITS.test(text)) return inRange(Number(text));
  if (HTTP_DATE.test(text)) return Date.parse(text);
  const [, day, time, offset = 'Z'] = ISO.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return Number.NaN;
  if (time === undefined) return Date.parse(day);
  return Date.parse(`${day}T${time.replace(',', '.')}${offset.length === 3 ? `${offset}:00` : withColon(offset)}`);
}

export function inRange(ms: number): number {
  return Math.abs(ms) <= MS_MAX ? Math.trunc(ms) : Number.NaN;
}

/** At least five: "2026" is a year. */
const DIGITS = /^-?\d{5,16}$/;
const HTTP_DATE = /^(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|Z|[+-]\d{4})$/;
const ISO = /^(\d{4}(?:-\d\d(?:-\d\d)?)?)(?:[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?) ?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Date.parse takes February 30 for March 2. */
function isDay(text: string): boolean {
  if (text.length < 10) return true;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function withColon(offset: string): string {
  return offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
}

export interface Shift {
  readonly months: number;
  readonly ms: number;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};

/** So many of one unit: "days", "day", "DAYS". */
export function shiftOf(count: number, unit: string): Shift | undefined {
  const name = unit.toLowerCase().replace(/s$/, '');
  if (name === 'month') return { months: count, ms: 0 };
  if (name === 'year') return { months: 12 * count, ms: 0 };
  const unitMs = Object.hasOwn(UNITS_MS, name) ? UNITS_MS[name] : undefined;
  return unitMs === undefined ? undefined : { months: 0, ms: count * unitMs };
}

const COUNT_OF_UNIT = /^([+-]?\d{1,9}) *([A-Za-z]{3,12})$/;
const PART = '(?:([+-]?\\d{1,9}){})?';
const DURATION = new RegExp(
  `^([+-])?P${['Y', 'M', 'W', 'D'].map(part).join('')}(?:T${['H', 'M'].map(part).join('')}(?:([+-]?\\d{1,9}(?:\\.\\d{1,9})?)S)?)?$`,
);

function part(letter: string): string {
  return PART.replace('{}', letter);
}

/** @returns The shift of "3 days", "-7 days", "P1M", "PT-1H"; undefined for anything else. */
export function parseShift(text: string): Shift | undefined {
  if (text.length > TIME_CHARS_MAX) return undefined;
  const [, count, unit] = COUNT_OF_UNIT.exec(text.trim()) ?? [];
  if (count !== undefined && unit !== undefined) return shiftOf(Number(count), unit);
  const [whole, sign, ...parts] = DURATION.exec(text.trim()) ?? [];
  if (whole === undefined || parts.every((each) => each === undefined)) return undefined;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((each) =>
    Number(each ?? 0),
  );
  const factor = sign === '-' ? -1 : 1;
  const ms = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + Math.round(seconds * 1_000);
  return { months: factor * (years * 12 + months), ms: factor * ms };
}

/** A day that the month does not have becomes its last: a month after January 31 is the end of February. In UTC. */
export function shifted(ms: number, shift: Shift): number {
  const date = new Date(ms);
  if (shift.months !== 0) {
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + shift.months);
    const days = new Date(0).setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + 1, 0);
    date.setUTCDate(Math.min(day, new Date(days).getUTCDate()));
  }
  return inRange(date.getTime() + shift.ms);
}
