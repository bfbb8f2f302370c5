/** What time it is for a mock (docs/mocks.md, "Settings"): that of the machine, a fixed one, or one that is away from it. */
import { parseTime } from '../../../languages/parse-time.ts';
import { offsetSteps, shiftTime } from '../../../languages/time-shift.ts';

/** @returns Milliseconds since 1970. */
export type Clock = () => number;

/** @param setting `settings.clock`. A text that is neither, which an edit refuses, is the time of the machine. */
export function compileClock(setting: string | undefined): Clock {
  if (setting === undefined) return Date.now;
  if (offsetSteps(setting) !== undefined) return () => shiftTime(Date.now(), setting);
  const fixed = parseTime(setting);
  return Number.isNaN(fixed) ? Date.now : () => fixed;
}
