/** Times as text: `yyyy-MM-dd` and its kin, as date libraries of Java and JavaScript have in common. */

/** Of a time in a zone. */
interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly ms: number;
  readonly offsetMinutes: number;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Letters that repeat, quoted text, or a single character. */
const TOKEN = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g;

/** @param zone A name such as "Europe/Berlin", or "+02:00"; an unknown one is UTC. */
export function formatTime(time: number, pattern: string, zone = 'UTC'): string {
  if (pattern === 'epoch') return String(Math.floor(time));
  if (pattern === 'unix') return String(Math.floor(time / 1_000));
  const parts = partsOf(time, zone);
  let text = '';
  for (const [token, quoted, letter] of pattern.matchAll(TOKEN)) {
    if (quoted !== undefined) text += quoted === '' ? "'" : quoted.replaceAll("''", "'");
    else text += letter === undefined ? token : field(token, parts, time);
  }
  return text;
}

function field(token: string, parts: Parts, time: number): string {
  const { length } = token;
  const padded = (value: number): string => String(value).padStart(length, '0');
  switch (token[0]) {
    case 'y':
    case 'u':
    case 'Y':
      return length === 2 ? String(parts.year % 100).padStart(2, '0') : padded(parts.year);
    case 'M':
    case 'L': {
      const name = MONTHS[parts.month] as string;
      return length > 3 ? name : length === 3 ? name.slice(0, 3) : padded(parts.month + 1);
    }
    case 'd':
    case 'D':
      return padded(parts.day);
    case 'E':
    case 'e': {
      const name = WEEKDAYS[parts.weekday] as string;
      return length > 3 ? name : name.slice(0, 3);
    }
    case 'H':
      return padded(parts.hour);
    case 'k':
      return padded(parts.hour === 0 ? 24 : parts.hour);
    case 'h':
      return padded(parts.hour % 12 === 0 ? 12 : parts.hour % 12);
    case 'K':
      return padded(parts.hour % 12);
    case 'm':
      return padded(parts.minute);
    case 's':
      return padded(parts.second);
    case 'S':
      return String(parts.ms).padStart(3, '0').slice(0, length).padEnd(length, '0');
    case 'a':
      return parts.hour < 12 ? 'AM' : 'PM';
    case 'X':
      return offsetText(parts.offsetMinutes, length === 3 ? ':' : '', 'Z');
    case 'x':
      return offsetText(parts.offsetMinutes, length === 3 ? ':' : '', undefined);
    case 'Z':
      return offsetText(parts.offsetMinutes, '', undefined);
    case 't':
      return String(Math.floor(time / 1_000));
    case 'T':
      return length === 1 ? 'T' : String(Math.floor(time));
    default:
      return token;
  }
}

function offsetText(minutes: number, separator: string, zero: string | undefined): string {
  if (minutes === 0 && zero !== undefined) return zero;
  const absolute = Math.abs(minutes);
  const hours = String(Math.floor(absolute / 60)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${hours}${separator}${String(absolute % 60).padStart(2, '0')}`;
}

const OFFSET = /^([+-])(\d{2}):?(\d{2})$/;

function partsOf(time: number, zone: string): Parts {
  const offsetMinutes = offsetOf(time, zone);
  const local = new Date(time + offsetMinutes * 60_000);
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
    ms: local.getUTCMilliseconds(),
    offsetMinutes,
  };
}

/** Formatters take a tenth of a millisecond to make. Undefined for a zone that there is not. */
const formatters = new Map<string, Intl.DateTimeFormat | undefined>();
const FORMATTERS_MAX = 1_000;

function offsetOf(time: number, zone: string): number {
  if (zone === 'UTC' || zone === 'Z' || zone === '') return 0;
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const formatter = formatterOf(zone);
  if (formatter === undefined) return 0;
  const fields = Object.fromEntries(formatter.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  const local = Date.UTC(year, month - 1, day, hour % 24, minute, second);
  return Math.round((local - Math.floor(time / 1_000) * 1_000) / 60_000);
}

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formatters.has(zone)) return formatters.get(zone);
  let formatter: Intl.DateTimeFormat | undefined;
  try {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // There is no such zone.
  }
  if (formatters.size >= FORMATTERS_MAX) formatters.clear();
  formatters.set(zone, formatter);
  return formatter;
}

const TIME_CHARS_MAX = 100;

/** @param pattern Absent: ISO 8601, or milliseconds since 1970. @returns Milliseconds; NaN for what is no such time. */
export function parseTime(text: string, pattern?: string): number {
  if (text.length > TIME_CHARS_MAX || text.trim() === '') return Number.NaN;
  if (pattern === undefined) return /^-?\d{5,}$/.test(text) ? Number(text) : Date.parse(text);
  if (pattern === 'epoch') return Number(text);
  if (pattern === 'unix') return Number(text) * 1_000;
  return parseBy(text, pattern);
}

const NUMBERS: Readonly<Record<string, string>> = {
  y: 'year',
  u: 'year',
  M: 'month',
  d: 'day',
  H: 'hour',
  h: 'hour',
  m: 'minute',
  s: 'second',
  S: 'ms',
};

/** Reads the fields in the order of the pattern; what is no field must stand there as it is. */
function parseBy(text: string, pattern: string): number {
  const found: Record<string, number> = {};
  let at = 0;
  for (const [token, quoted, letter] of pattern.matchAll(TOKEN)) {
    const rest = text.slice(at);
    if (letter === undefined) {
      const literal = quoted ?? token;
      if (!rest.startsWith(literal)) return Number.NaN;
      at += literal.length;
      continue;
    }
    const read = fieldIn(rest, letter, token.length, found);
    if (read === 0) return Number.NaN;
    at += read;
  }
  if (at < text.length) return Number.NaN;
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, ms = 0, offset = 0, noon } = found;
  const hours = noon === undefined ? hour : (hour % 12) + noon;
  return Date.UTC(year, month - 1, day, hours, minute, second, ms) - offset * 60_000;
}

/** @returns How many characters it takes; 0 where it is not there. */
function fieldIn(rest: string, letter: string, length: number, found: Record<string, number>): number {
  if (letter === 'M' && length >= 3) {
    const at = MONTHS.findIndex((name) =>
      rest.toLowerCase().startsWith(name.slice(0, length > 3 ? 99 : 3).toLowerCase()),
    );
    found.month = at + 1;
    return at === -1 ? 0 : length > 3 ? (MONTHS[at] as string).length : 3;
  }
  if (letter === 'E') return /^[A-Za-z]+/.exec(rest)?.[0].length ?? 0;
  if (letter === 'a') {
    const noon = /^[aApP][mM]/.exec(rest)?.[0].toLowerCase();
    found.noon = noon === 'pm' ? 12 : 0;
    return noon === undefined ? 0 : 2;
  }
  if (letter === 'X' || letter === 'x' || letter === 'Z') {
    const [whole = '', sign, hours, minutes] = /^(?:Z|([+-])(\d{2}):?(\d{2})?)/.exec(rest) ?? [];
    found.offset = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes ?? 0));
    return whole.length;
  }
  const name = NUMBERS[letter];
  const digits = /^\d+/.exec(rest)?.[0].slice(0, length === 1 ? 4 : length) ?? '';
  if (name === undefined || digits === '') return 0;
  found[name] = name === 'year' && length === 2 ? 2_000 + Number(digits) : Number(digits);
  return digits.length;
}
