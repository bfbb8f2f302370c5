/**
 * Helpers of times. A time is an ISO 8601 text, or the text of a format; what cannot be read as one is missing.
 */
import { inRange, parseTime } from '../../../../languages/parse-time.ts';
import { compileTimeFormat, type TimeFormat } from '../../../../languages/time-format.ts';
import {
  OFFSET_CHARS_MAX,
  offsetSteps,
  shiftedBy,
  shiftedBySteps,
  truncateTime,
} from '../../../../languages/time-shift.ts';
import { UTC, zoneOf, type Zone } from '../../../../languages/time-zone.ts';
import {
  asNumber,
  asText,
  isTruthy,
  plain,
  type Argument,
  type Evaluate,
  type Helpers,
  type MakeHelper,
} from '../helper.ts';
import type { TemplateRun } from '../template-run.ts';

export const TIME_HELPERS: Helpers<'now' | 'date' | 'dateFormat' | 'dateTimeShift' | 'parseDate' | 'truncateDate'> = {
  now,
  date,
  dateFormat: ([value, format], named) => printing(timesOf(value), format, named),
  dateTimeShift,
  parseDate,
  truncateDate: plain(truncateDate),
};

/** Work of reading a time and of moving it by one unit; of reading a character of an offset. In units of RULE_WORK_MAX. */
const READ_WORK = 60;
const SHIFT_WORK = 60;
const OFFSET_WORK_PER_CHAR = 8;

type NamedArguments = Parameters<MakeHelper>[1];
type TimeOf = (run: TemplateRun) => number;

function readTime(run: TemplateRun, value: unknown): number {
  run.view.work -= READ_WORK;
  return parseTime(value);
}

function timesOf(argument: Argument | undefined): TimeOf {
  if (argument === undefined) return nowOf;
  if (argument.literal === undefined) return (run) => readTime(run, argument.evaluate(run));
  const ms = parseTime(argument.literal.value);
  return () => ms;
}

function nowOf(run: TemplateRun): number {
  return run.view.now();
}

function now(...[[format], named]: Parameters<MakeHelper>): Evaluate {
  return printing(nowOf, format, named);
}

/** `date from to format`: a drawn time between both. `date time format`: that time. */
function date(...[[from, second, third], named]: Parameters<MakeHelper>): Evaluate {
  const time = timesOf(from);
  if (second === undefined) return printing(time, undefined, named);
  if (third !== undefined) return printing(between(time, timesOf(second)), third, named);
  const ofRange = printing(between(time, timesOf(second)), undefined, named);
  const ofTime = printing(time, second, named);
  if (second.literal !== undefined) return Number.isNaN(parseTime(second.literal.value)) ? ofTime : ofRange;
  return (run) => (Number.isNaN(readTime(run, second.evaluate(run))) ? ofTime(run) : ofRange(run));
}

/** Both ends included, in either order. */
function between(one: TimeOf, other: TimeOf): TimeOf {
  return (run) => {
    const first = one(run);
    const last = other(run);
    return Math.min(first, last) + Math.floor(run.random() * (Math.abs(last - first) + 1));
  };
}

const UNITS = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;

function dateTimeShift(...[[value], named]: Parameters<MakeHelper>): Evaluate {
  const time = timesOf(value ?? named['date']);
  const overflow = named['overflow'];
  const isOver = (run: TemplateRun): boolean => overflow !== undefined && isTruthy(overflow.evaluate(run));
  const shifts = UNITS.map((unit) => ({ unit, count: named[unit] })).filter(({ count }) => count !== undefined);
  return printing(
    (run) => {
      let ms = time(run);
      for (const { unit, count } of shifts) {
        run.view.work -= SHIFT_WORK;
        ms = shiftedBy(ms, Math.trunc(asNumber(run, count?.evaluate(run))), unit, isOver(run));
      }
      return ms;
    },
    undefined,
    named,
  );
}

/** With a format: the text must have it. Without: as times are read everywhere. */
function parseDate(...[[value, second], named]: Parameters<MakeHelper>): Evaluate {
  const format = second ?? named['format'];
  const zoneAt = zonesOf(named['timezone']);
  if (value === undefined || format === undefined) return printing(timesOf(value), undefined, {});
  const formatAt = formatsOf(format);
  return (run) => {
    const zone = zoneAt(run) ?? UTC;
    const text = asText(run, value.evaluate(run));
    const ms = formatAt(run)?.parse(text, zone, run.view);
    return ms === undefined ? undefined : isoText(inRange(ms));
  };
}

function truncateDate(run: TemplateRun, value: unknown, to: unknown): string | undefined {
  return isoText(truncateTime(readTime(run, value), asText(run, to)));
}

/** Shifts, and prints: as `format` says, else as ISO 8601. */
function printing(timeAt: TimeOf, positional: Argument | undefined, named: NamedArguments): Evaluate {
  const format = positional ?? named['format'];
  const offset = named['offset'];
  const timezone = named['timezone'];
  const shiftedAt = offset === undefined ? timeAt : shifting(timeAt, offset);
  if (format === undefined && timezone === undefined) return (run) => isoText(shiftedAt(run));
  const formatAt = formatsOf(format ?? literal("yyyy-MM-dd'T'HH:mm:ss.SSSXXX"));
  const zoneAt = zonesOf(timezone);
  return (run) => {
    const ms = shiftedAt(run);
    const zone = zoneAt(run);
    const printed = formatAt(run);
    if (Number.isNaN(ms) || zone === undefined || printed === undefined) return undefined;
    const text = printed.print(ms, zone, run.view);
    return run.mayMakeText(text.length) ? text : '';
  };
}

function literal(value: string): Argument {
  return { evaluate: () => value, literal: { value } };
}

function isoText(ms: number): string | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

function shifting(timeAt: TimeOf, offset: Argument): TimeOf {
  const stepsAt = constantOr(offset, (run, value) => {
    const text = asText(run, value);
    run.view.work -= Math.min(text.length, OFFSET_CHARS_MAX) * OFFSET_WORK_PER_CHAR;
    return offsetSteps(text);
  });
  return (run) => {
    const steps = stepsAt(run);
    run.view.work -= SHIFT_WORK * (steps?.length ?? 0);
    return steps === undefined ? Number.NaN : shiftedBySteps(timeAt(run), steps);
  };
}

function formatsOf(format: Argument): (run: TemplateRun) => TimeFormat | undefined {
  return constantOr(format, (run, value) => compileTimeFormat(asText(run, value), run.view));
}

function zonesOf(timezone: Argument | undefined): (run: TemplateRun) => Zone | undefined {
  if (timezone === undefined) return () => UTC;
  return constantOr(timezone, (run, value) => zoneOf(asText(run, value), run.view));
}

/** Makes the value of a literal at the first rendering that needs it, and caches it. */
function constantOr<Made>(
  argument: Argument,
  make: (run: TemplateRun, value: unknown) => Made | undefined,
): (run: TemplateRun) => Made | undefined {
  if (argument.literal === undefined) return (run) => make(run, argument.evaluate(run));
  const { value } = argument.literal;
  let made: Made | undefined;
  return (run) => (made ??= make(run, value));
}
