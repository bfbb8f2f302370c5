/**
 * What a contender takes of the machine: processor time and memory of all its processes, whatever it is made of.
 *
 * From `/proc/<pid>/task/<tid>/schedstat`, which counts nanoseconds of user and system time: `/proc/<pid>/stat` counts ticks of
 * 10 ms, which is 1 % of a round of one second.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Nanoseconds that each thread has run, by its id. */
export type CpuTimes = ReadonlyMap<string, number>;

/** Of the process and all that it started, threads and processes. */
export function cpuTimes(pid: number): CpuTimes {
  const times = new Map<string, number>();
  for (const id of processTree(pid)) {
    for (const thread of listed(`/proc/${id}/task`)) {
      const [nanoseconds = '0'] = read(`/proc/${id}/task/${thread}/schedstat`).split(' ');
      times.set(thread, Number(nanoseconds));
    }
  }
  return times;
}

/** @returns Seconds. What a thread ran that ended in between is not in it. */
export function cpuSecondsBetween(before: CpuTimes, after: CpuTimes): number {
  let nanoseconds = 0;
  for (const [thread, time] of after) nanoseconds += time - (before.get(thread) ?? 0);
  return nanoseconds / 1e9;
}

/** Resident memory of the process and all that it started. Pages that they share count for each. */
export function residentBytes(pid: number): number {
  let bytes = 0;
  for (const id of processTree(pid)) {
    bytes += Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${id}/status`))?.[1] ?? 0) * 1_024;
  }
  return bytes;
}

/** The process and all that it started. */
export function processTree(pid: number): number[] {
  const children = listed(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** Threads and processes end while they are looked at. */
function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
