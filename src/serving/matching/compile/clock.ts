/** The clock of a mock (docs/mocks-fields.md, "Fields"): the machine's, a fixed time, or an offset from the machine's. */
import { parseTime } from '../../../languages/parse-time.ts';
import { offsetSteps, shiftTime } from '../../../languages/time-shift.ts';

/** @returns Milliseconds since 1970. */
export type Clock = () => number;

/**
 * @param setting `settings.clock`. A text that is neither, which an edit refuses, is the time of the machine.
 * @param machine What time it is for the machine, or was when a request was recorded.
 */
export function compileClock(setting: string | undefined, machine: Clock = Date.now): Clock {
  if (setting === undefined) return machine;
  if (offsetSteps(setting) !== undefined) return () => shiftTime(machine(), setting);
  const fixed = parseTime(setting);
  return Number.isNaN(fixed) ? machine : () => fixed;
}
