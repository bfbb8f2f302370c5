/** Times as they are read without a format: ISO 8601, the form of HTTP headers, milliseconds since 1970. */

/** A Date holds no more. */
const MS_MAX = 8.64e15;
const TIME_CHARS_MAX = 64;

/** @returns Milliseconds; NaN for a text that is not a time. A time without an offset is one of UTC. Never throws. */
export function parseTime(value: unknown): number {
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
