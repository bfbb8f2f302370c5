/**
 * Times as text: `yyyy-MM-dd` and similar patterns that Java and date-fns have in common. Letters that are not a field stay text,
 * and so does what stands in single quotes.
 */
import type { WorkBudget } from './work-budget.ts';
import { minutesOf, printMinutes, type Zone } from './time-zone.ts';

export interface TimeFormat {
  /** @param ms A time that a Date can hold. Takes from the budget. */
  readonly print: (ms: number, zone: Zone, budget: WorkBudget) => string;
  /** @returns Milliseconds; undefined when the text does not have this format. Takes from the budget. */
  readonly parse: (text: string, zone: Zone, budget: WorkBudget) => number | undefined;
}

const FORMAT_CHARS_MAX = 200;
/** Work of a field, printed or read, and of a character of a format that is compiled. In units of RULE_WORK_MAX. */
const FIELD_WORK = 25;
const COMPILE_WORK_PER_CHAR = 150;

/** @returns undefined for one that is too long. Takes from the budget. */
export function compileTimeFormat(format: string, budget: WorkBudget): TimeFormat | undefined {
  if (format === 'epoch') return epoch(1);
  if (format === 'unix') return epoch(1_000);
  if (format.length > FORMAT_CHARS_MAX) return undefined;
  budget.work -= format.length * COMPILE_WORK_PER_CHAR;
  const fields = [...format.matchAll(PIECES)].map(([piece], index, all) => fieldOf(piece, all[index + 1]?.[0]));
  return {
    print: (ms, zone, budgetOfRun) => print(fields, ms, zone, budgetOfRun),
    parse: (text, zone, budgetOfRun) => parse(fields, text, zone, budgetOfRun),
  };
}

const WHOLE = /^[+-]?\d{1,16}$/;

function epoch(unitMs: number): TimeFormat {
  return {
    print: (ms) => String(Math.floor(ms / unitMs)),
    parse: (text) => (WHOLE.test(text) ? Number(text) * unitMs : undefined),
  };
}

const PIECES = /''|'(?:[^']|'')*'?|do|([A-Za-z])\1*|[^A-Za-z']+/g;

/** Parts of a time that a text has. */
interface Reading {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  ms: number;
  afternoon?: boolean;
  offset?: number;
}

interface Moment {
  /** Its UTC members are those of the zone. */
  readonly local: Date;
  readonly ms: number;
  readonly offsetMinutes: number;
  readonly zone: Zone;
  readonly budget: WorkBudget;
}

interface Field {
  readonly print: (moment: Moment) => string;
  /** @returns Where the text goes on; -1 when it does not fit. */
  readonly read: (text: string, at: number, reading: Reading) => number;
}

function print(fields: readonly Field[], ms: number, zone: Zone, budget: WorkBudget): string {
  budget.work -= fields.length * FIELD_WORK;
  const offset = zone.offsetAt(ms, budget);
  const moment = { local: new Date(ms + offset), ms, offsetMinutes: Math.trunc(offset / 60_000), zone, budget };
  let text = '';
  for (const field of fields) text += field.print(moment);
  return text;
}

function parse(fields: readonly Field[], text: string, zone: Zone, budget: WorkBudget): number | undefined {
  budget.work -= fields.length * FIELD_WORK;
  const reading: Reading = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, ms: 0 };
  let at = 0;
  for (const field of fields) {
    at = field.read(text, at, reading);
    if (at === -1) return undefined;
  }
  return at === text.length ? timeOfReading(reading, zone, budget) : undefined;
}

function timeOfReading(reading: Reading, zone: Zone, budget: WorkBudget): number | undefined {
  const { year, month, day, minute, second, ms, afternoon, offset } = reading;
  const hour = afternoon === undefined ? reading.hour : (reading.hour % 12) + (afternoon ? 12 : 0);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  // February 30 would be March 2.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const local = date.setUTCHours(hour, minute, second, ms);
  if (offset !== undefined) return local - offset * 60_000;
  return local - zone.offsetAt(local - zone.offsetAt(local, budget), budget);
}

function fieldOf(piece: string, next: string | undefined): Field {
  const letter = piece.charAt(0);
  const count = piece.length;
  // Digits that follow each other without anything between them are told apart by their number.
  const mostDigits = next !== undefined && DIGIT_FIELD.test(next) ? count : undefined;
  switch (letter) {
    case 'y':
    case 'Y':
    case 'u':
      return yearField(count, mostDigits);
    case 'M':
    case 'L':
      if (count >= 3) return nameField(MONTHS, count, ({ local }) => local.getUTCMonth(), setMonth);
      return digitField(count, mostDigits, ({ local }) => local.getUTCMonth() + 1, setMonth);
    case 'd':
      if (piece === 'do') return ordinalDay;
      return digitField(
        count,
        mostDigits,
        ({ local }) => local.getUTCDate(),
        (reading, value) => (reading.day = value),
      );
    case 'D':
      return digitField(count, 3, dayOfYear, (reading, value) => {
        reading.month = 1;
        reading.day = value;
      });
    case 'E':
      return nameField(
        DAYS,
        count,
        ({ local }) => local.getUTCDay(),
        () => undefined,
      );
    case 'a':
      return halfOfDay;
    case 'H':
      return digitField(count, mostDigits, ({ local }) => local.getUTCHours(), setHour);
    case 'h':
      return digitField(count, mostDigits, ({ local }) => local.getUTCHours() % 12 || 12, setHour);
    case 'K':
      return digitField(count, mostDigits, ({ local }) => local.getUTCHours() % 12, setHour);
    case 'k':
      return digitField(count, mostDigits, ({ local }) => local.getUTCHours() || 24, setHour);
    case 'm':
      return digitField(
        count,
        mostDigits,
        ({ local }) => local.getUTCMinutes(),
        (reading, value) => (reading.minute = value),
      );
    case 's':
      return digitField(
        count,
        mostDigits,
        ({ local }) => local.getUTCSeconds(),
        (reading, value) => (reading.second = value),
      );
    case 'S':
      return fractionField(count);
    case 'X':
    case 'x':
    case 'Z':
      return offsetField(letter, count);
    case 'z':
      return { print: ({ ms, zone, budget }) => zone.nameAt(ms, budget), read: readOffset };
    case "'":
      return textField(
        piece === "''" ? "'" : piece.slice(1, piece.endsWith("'") ? -1 : undefined).replaceAll("''", "'"),
      );
    default:
      return textField(piece);
  }
}

const DIGIT_FIELD = /^(?:[yYudHhKkmsSD]|M{1,2}(?!M)|L{1,2}(?!L))/;

function textField(text: string): Field {
  return { print: () => text, read: (input, at) => (input.startsWith(text, at) ? at + text.length : -1) };
}

/** @returns Where digits end that begin there, at most as many as given. */
function endOfDigits(text: string, at: number, most: number): number {
  let end = at;
  while (end < at + most && text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++;
  return end;
}

function digitField(
  count: number,
  mostDigits: number | undefined,
  valueAt: (moment: Moment) => number,
  set: (reading: Reading, value: number) => unknown,
): Field {
  return {
    print: (moment) => String(valueAt(moment)).padStart(count, '0'),
    read: (text, at, reading) => {
      const end = endOfDigits(text, at, mostDigits ?? Math.max(count, 2));
      if (end === at) return -1;
      set(reading, Number(text.slice(at, end)));
      return end;
    },
  };
}

function setMonth(reading: Reading, month: number): void {
  reading.month = month;
}

function setHour(reading: Reading, hour: number): void {
  // The twelfth hour before noon, and the 24th of a day.
  reading.hour = hour === 24 ? 0 : hour;
}

/** Two letters are the last two digits: of 1970 to 2069. */
function yearField(count: number, mostDigits: number | undefined): Field {
  return {
    print: ({ local }) => {
      const year = local.getUTCFullYear();
      if (count === 2) return String(Math.abs(year) % 100).padStart(2, '0');
      return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(count, '0')}`;
    },
    read: (text, at, reading) => {
      const end = endOfDigits(text, at, mostDigits ?? Math.max(count, 4));
      if (end === at) return -1;
      const year = Number(text.slice(at, end));
      reading.year = count === 2 && end - at <= 2 ? year + (year < 70 ? 2_000 : 1_900) : year;
      return end;
    },
  };
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const NAME_STARTS: ReadonlyMap<string, number> = new Map(
  [MONTHS, DAYS].flatMap((names) => names.map((name, index) => [name.slice(0, 3).toLowerCase(), index] as const)),
);

/** Three letters or less are the first three of the name, five only the first. Reads both whole names and three letters. */
function nameField(
  names: readonly string[],
  count: number,
  indexAt: (moment: Moment) => number,
  set: (reading: Reading, number: number) => void,
): Field {
  const chars = count === 4 ? Infinity : count === 5 ? 1 : 3;
  return {
    print: (moment) => (names[indexAt(moment)] ?? '').slice(0, chars),
    read: (text, at, reading) => {
      const start = text.slice(at, at + 3).toLowerCase();
      const index = NAME_STARTS.get(start) ?? -1;
      const name = names[index];
      if (name?.slice(0, 3).toLowerCase() !== start) return -1;
      set(reading, index + 1);
      return text.slice(at, at + name.length).toLowerCase() === name.toLowerCase() ? at + name.length : at + 3;
    },
  };
}

const ordinalDay: Field = {
  print: ({ local }) => `${local.getUTCDate()}${ordinalOf(local.getUTCDate())}`,
  read: (text, at, reading) => {
    const end = endOfDigits(text, at, 2);
    if (end === at || !ORDINALS.has(text.slice(end, end + 2))) return -1;
    reading.day = Number(text.slice(at, end));
    return end + 2;
  },
};

const ORDINALS: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th']);

function ordinalOf(day: number): string {
  if (day >= 11 && day <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

function dayOfYear({ local }: Moment): number {
  return Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}

const halfOfDay: Field = {
  print: ({ local }) => (local.getUTCHours() < 12 ? 'AM' : 'PM'),
  read: (text, at, reading) => {
    const half = text.slice(at, at + 2).toLowerCase();
    if (half !== 'am' && half !== 'pm') return -1;
    reading.afternoon = half === 'pm';
    return at + 2;
  },
};

/** The first digits of a second's fraction. */
function fractionField(count: number): Field {
  return {
    print: ({ local }) => String(local.getUTCMilliseconds()).padStart(3, '0').padEnd(count, '0').slice(0, count),
    read: (text, at, reading) => {
      const end = endOfDigits(text, at, 9);
      if (end === at) return -1;
      reading.ms = Number(text.slice(at, end).padEnd(3, '0').slice(0, 3));
      return end;
    },
  };
}

/** `X` prints "Z" for UTC, `x` does not; one letter "+02", two "+0200", three "+02:00"; `Z` is "+0200". */
function offsetField(letter: string, count: number): Field {
  const separator = letter !== 'Z' && count >= 3 ? ':' : '';
  return {
    print: ({ offsetMinutes }) => {
      if (letter === 'X' && offsetMinutes === 0) return 'Z';
      const text = printMinutes(offsetMinutes, separator);
      return letter !== 'Z' && count === 1 && text.endsWith('00') ? text.slice(0, 3) : text;
    },
    read: readOffset,
  };
}

const OFFSET = /Z|UTC|GMT|[+-]\d\d(?::?\d\d)?/y;

function readOffset(text: string, at: number, reading: Reading): number {
  OFFSET.lastIndex = at;
  const [found] = OFFSET.exec(text) ?? [];
  const minutes = found === undefined ? undefined : minutesOf(found);
  if (found === undefined || minutes === undefined) return -1;
  reading.offset = minutes;
  return at + found.length;
}
