/**
 * Time zones of templates: "UTC", "+02:00", or a name that Intl knows.
 *
 * Making a formatter of Intl takes 50 us and some kilobytes, so each thread keeps those of some zones.
 */
import { take, type WorkBudget } from './work-budget.ts';

export interface Zone {
  /** Milliseconds to add to UTC at a time. Takes from the budget. */
  readonly offsetAt: (ms: number, budget: WorkBudget) => number;
  /** Its short name at a time, "UTC", "CET" or "GMT+2". Takes from the budget. */
  readonly nameAt: (ms: number, budget: WorkBudget) => string;
}

export const UTC: Zone = { offsetAt: () => 0, nameAt: () => 'UTC' };

/** In units of RULE_WORK_MAX. */
const MAKE_WORK = 30_000;
const FORMAT_WORK = 400;
const ZONES_KEPT = 64;
const ZONE_CHARS_MAX = 64;

const kept = new Map<string, Zone | undefined>();

/** @returns undefined when there is no such zone, or the budget does not suffice. Never throws. */
export function zoneOf(name: string, budget: WorkBudget): Zone | undefined {
  if (name.length > ZONE_CHARS_MAX) return undefined;
  if (kept.has(name)) return kept.get(name);
  const minutes = minutesOf(name);
  if (minutes !== undefined) return fixedZone(minutes);
  if (!take(budget, MAKE_WORK)) return undefined;
  if (kept.size >= ZONES_KEPT) kept.clear();
  const zone = namedZone(name);
  kept.set(name, zone);
  return zone;
}

/** "Z", "+02", "+0200", "+02:00": minutes. */
export function minutesOf(text: string): number | undefined {
  if (text === 'Z' || text === 'z' || text === 'UTC' || text === 'GMT') return 0;
  const [, sign, hours, minutes = '0'] = OFFSET.exec(text) ?? [];
  if (hours === undefined || Number(minutes) > 59 || Number(hours) > 18) return undefined;
  const total = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -total : total;
}

const OFFSET = /^([+-])(\d\d):?(\d\d)?$/;
const MINUTE_MS = 60_000;

function fixedZone(minutes: number): Zone {
  if (minutes === 0) return UTC;
  return { offsetAt: () => minutes * MINUTE_MS, nameAt: () => `GMT${printMinutes(minutes, ':')}` };
}

/** "+02:00" */
export function printMinutes(minutes: number, separator: string): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}${separator}${twoDigits(Math.floor(size % 60))}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

function namedZone(name: string): Zone | undefined {
  const offsets = formatter(name, 'longOffset');
  const names = formatter(name, 'short');
  if (offsets === undefined || names === undefined) return undefined;
  return {
    offsetAt: (ms, budget) => {
      if (!take(budget, FORMAT_WORK)) return 0;
      return offsetIn(lastWord(offsets.format(ms)));
    },
    nameAt: (ms, budget) => (take(budget, FORMAT_WORK) ? lastWord(names.format(ms)) : ''),
  };
}

function formatter(timeZone: string, timeZoneName: 'longOffset' | 'short'): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName });
  } catch {
    return undefined;
  }
}

/** From "1/31/2026, GMT+01:00". */
function lastWord(text: string): string {
  return text.slice(text.lastIndexOf(' ') + 1);
}

/** "GMT", "GMT+01:00"; before zones were made even also "GMT-00:25:21". */
function offsetIn(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = LONG_OFFSET.exec(text) ?? [];
  const total = Number(hours) * 3_600_000 + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000;
  return sign === '-' ? -total : total;
}

const LONG_OFFSET = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/;
