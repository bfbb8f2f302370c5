/** What a test of bounded work judges by: time of the processor, which a machine that is busy with other things does not add to. */

import { readFileSync } from 'node:fs';

/** @returns How much of it this process takes for the action, in milliseconds. */
export function cpuMs(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** What the sample of `slowness` takes of a processor that bounds in milliseconds were set on. */
const SAMPLE_MS = 40;

/** @returns How many times as long as there a bound may be here, at least 1: processors differ, also by what shares them. */
export function slowness(): number {
  const text = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, name: `n${id}` })));
  const sample = (): void => {
    for (let run = 0; run < 20; run++) JSON.parse(text);
  };
  return Math.max(1, Math.min(cpuMs(sample), cpuMs(sample), cpuMs(sample)) / SAMPLE_MS);
}

/**
 * The time of the processor that a process has taken so far, in milliseconds, with all its threads; to the tick of 10 ms.
 * Where the system does not tell, the clock.
 */
export function processMs(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name may have blanks in it.
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    return (user + system) * 10;
  } catch {
    return performance.now();
  }
}

/** The same of a process with those that it has started and that still run: a server with its data plane. */
export function familyMs(pid: number): number {
  let children: readonly number[] = [];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    // Where the system does not tell, the clock stands for all.
  }
  return [pid, ...children].reduce((sum, each) => sum + processMs(each), 0);
}
