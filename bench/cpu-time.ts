/**
 * Processor time of a process, user and system, as the scheduler of Linux counts it: in nanoseconds.
 *
 * `/proc/<pid>/stat` says it in ticks of 10 ms, which is a percent of a round of one second. `schedstat` of each thread is
 * exact but for the moment since the last switch or tick; where the kernel is built without it, ticks have to do.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Nanoseconds by thread: a thread that ends takes what it used with it, so sums of two moments do not compare. */
export type CpuTimes = ReadonlyMap<string, number>;

export function cpuTimes(pid: number): CpuTimes {
  const times = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const time = threadTime(`/proc/${pid}/task/${thread}`);
    if (time !== undefined) times.set(thread, time);
  }
  return times;
}

/** @returns Seconds that the process used in between. What threads used that have ended meanwhile is not seen. */
export function cpuSeconds(before: CpuTimes, after: CpuTimes): number {
  let nanoseconds = 0;
  for (const [thread, time] of after) nanoseconds += time - (before.get(thread) ?? 0);
  return nanoseconds / 1e9;
}

/** What Linux reports processor time in, whatever the kernel's own clock is (proc(5), sysconf(_SC_CLK_TCK)). */
const TICK_NANOSECONDS = 1e7;

function threadTime(directory: string): number | undefined {
  const exact = readIfThere(`${directory}/schedstat`);
  if (exact !== undefined) return Number(exact.split(' ')[0]);
  const stat = readIfThere(`${directory}/stat`);
  if (stat === undefined) return undefined;
  // The name of the command, in brackets, may hold anything; utime and stime are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_NANOSECONDS;
}

/** A thread may end between the listing and the look, and a kernel may lack the file. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
