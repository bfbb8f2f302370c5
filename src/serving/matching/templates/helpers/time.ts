/** Helpers of times. A time is an ISO 8601 text between them; the clock is that of the mock. */
import { asNumber, asText, plain, type Argument, type Evaluate, type Helpers, type MakeHelper } from '../helper.ts';
import { formatTime, parseTime } from '../../../../languages/time-format.ts';
import { shiftTime, shiftedBy, truncateTime, type TimeUnit } from '../../../../languages/time-shift.ts';
import type { TemplateRun } from '../template-run.ts';

export const TIME_HELPERS: Helpers<'now' | 'date' | 'dateFormat' | 'dateTimeShift' | 'parseDate' | 'truncateDate'> = {
  now: ([format], named) => written((run) => run.view.now(), format, named),
  /** Two times and a format: a time between them, drawn. */
  date: ([first, second, third], named) => {
    if (first === undefined) return () => undefined;
    if (second === undefined) return written((run) => timeOf(run, first.evaluate(run)), undefined, named);
    const isFormat =
      third === undefined && typeof second.literal?.value === 'string' && Number.isNaN(parseTime(second.literal.value));
    if (isFormat) return written((run) => timeOf(run, first.evaluate(run)), second, named);
    return written(
      (run) => {
        const [from, to] = [timeOf(run, first.evaluate(run)), timeOf(run, second.evaluate(run))];
        return Math.floor(from + run.random() * (to - from));
      },
      third,
      named,
    );
  },
  dateFormat: ([value, format], named) => written((run) => timeOf(run, value?.evaluate(run)), format, named),
  dateTimeShift: ([format], named) =>
    written(
      (run) => {
        const given = named.date?.evaluate(run);
        let time = given === undefined || given === '' ? run.view.now() : timeOf(run, given);
        for (const unit of UNITS) {
          const count = asNumber(named[unit]?.evaluate(run));
          if (!Number.isNaN(count)) time = shiftedBy(time, count, unit);
        }
        return time;
      },
      format,
      named,
    ),
  parseDate: ([value, format], named) => {
    const pattern = format ?? named.format;
    return (run) => {
      const text = value?.evaluate(run);
      const time =
        pattern === undefined ? timeOf(run, text) : parseTime(asText(run, text), asText(run, pattern.evaluate(run)));
      return isTime(time) ? new Date(time).toISOString() : undefined;
    };
  },
  truncateDate: plain((run, value, unit) => {
    const time = truncateTime(timeOf(run, value), asText(run, unit));
    return isTime(time) ? new Date(time).toISOString() : undefined;
  }),
};

const UNITS = ['years', 'months', 'days', 'hours', 'minutes', 'seconds'] as const satisfies readonly TimeUnit[];

/** With `offset=`, `timezone=` and a format; without a format ISO 8601. */
function written(
  read: (run: TemplateRun) => number,
  format: Argument | undefined,
  named: Parameters<MakeHelper>[1],
): Evaluate {
  const pattern = format ?? named.format;
  const { offset, timezone } = named;
  return (run) => {
    let time = read(run);
    if (offset !== undefined) time = shiftTime(time, asText(run, offset.evaluate(run)));
    if (!isTime(time)) return undefined;
    if (pattern === undefined && timezone === undefined) return new Date(time).toISOString();
    const text = pattern === undefined ? ISO_WITH_ZONE : asText(run, pattern.evaluate(run));
    if (!run.mayMakeText(text.length * 2)) return undefined;
    return formatTime(time, text, timezone === undefined ? 'UTC' : asText(run, timezone.evaluate(run)));
  };
}

const ISO_WITH_ZONE = "yyyy-MM-dd'T'HH:mm:ssXXX";

/** Milliseconds; a number, or a text of digits alone, is milliseconds since 1970. NaN for what is no time. */
function timeOf(run: TemplateRun, value: unknown): number {
  return typeof value === 'number' ? value : parseTime(asText(run, value));
}

/** Whether a Date can have it. */
function isTime(time: number): boolean {
  return Math.abs(time) <= 8.64e15;
}
