/**
 * A time that others are compared with: `now, first day of month, +15 days; last day of month; format dd/MM/yyyy`. The first part is a time
 * that is moved step by step. The other parts are about the time that is compared: it is read by a format, and moved to the beginning of a unit.
 */
import { compileTimeFormat, type TimeFormat } from './time-format.ts';
import { offsetSteps, shiftedBySteps, truncateTime } from './time-shift.ts';
import { parseTime } from './parse-time.ts';
import { UTC } from './time-zone.ts';
import type { WorkBudget } from './work-budget.ts';

interface TimeComparison {
  /** @returns Milliseconds since 1970. */
  readonly expected: (now: number) => number;
  /** @returns NaN for what is not a time. Takes from the budget. */
  readonly read: (value: unknown, budget: WorkBudget) => number;
}

type Move = (time: number) => number;

const FORMAT = /^format\s+(.+)$/s;
const NOW = /^now\s*(?:$|(?=[+-]))/i;

/** @returns undefined for any other text. */
export function compileTimeComparison(text: string): TimeComparison | undefined {
  const [first = '', ...rest] = text.split(';');
  const at = rest.findIndex((part) => FORMAT.test(part.trim()));
  // A format may have a semicolon.
  const source = at === -1 ? undefined : FORMAT.exec(rest.slice(at).join(';').trim())?.[1];
  const format = source === undefined ? undefined : compileTimeFormat(source, { work: Infinity });
  const expected = movedTime(first);
  const moves = movesIn(at === -1 ? rest : rest.slice(0, at), false);
  if (expected === undefined || moves === undefined || (source !== undefined && format === undefined)) return undefined;
  return { expected, read: (value, budget) => moved(parsed(value, format, budget), moves) };
}

function movedTime(text: string): Move | undefined {
  // Some times have a comma.
  const whole = parseTime(text.trim());
  if (!Number.isNaN(whole)) return () => whole;
  const [begin = '', ...steps] = text.split(/,(?!\d)/).map((part) => part.trim());
  const isNow = NOW.test(begin);
  const offset = isNow ? begin.replace(NOW, '') : '';
  const fixed = isNow ? 0 : parseTime(begin);
  const moves = movesIn([...(offset === '' ? [] : [offset]), ...steps], true);
  if (moves === undefined || Number.isNaN(fixed)) return undefined;
  return isNow ? (now) => moved(now, moves) : () => moved(fixed, moves);
}

/** @param mayShift Whether offsets are among them. */
function movesIn(parts: readonly string[], mayShift: boolean): readonly Move[] | undefined {
  const moves: Move[] = [];
  for (const part of parts.map((each) => each.trim())) {
    const steps = mayShift ? offsetSteps(part) : undefined;
    if (steps !== undefined) moves.push((time) => shiftedBySteps(time, steps));
    else if (Number.isNaN(truncateTime(0, part))) return undefined;
    else moves.push((time) => truncateTime(time, part));
  }
  return moves;
}

function moved(time: number, moves: readonly Move[]): number {
  return moves.reduce((each, move) => (Number.isNaN(each) ? each : move(each)), time);
}

function parsed(value: unknown, format: TimeFormat | undefined, budget: WorkBudget): number {
  if (format === undefined) return parseTime(value);
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > TEXT_CHARS_MAX) return Number.NaN;
  return format.parse(text, UTC, budget) ?? Number.NaN;
}

const TEXT_CHARS_MAX = 100;
