/**
 * Cores of their own for a recorder of latencies and for the servers that it asks.
 *
 * Left to the kernel, a server that the recorder has just woken is now and then put on the recorder's core, behind a loop that never
 * pauses: one request in a hundred waited for a time slice, a millisecond or more, of raw uWebSockets.js as of any other.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findProgram } from './find-program.ts';
import { processTree } from './cpu-time.ts';

/** @returns Whether they have: it takes two cores, and `taskset` (util-linux). If not, all are left where they were. */
export function separateCores(recorder: number, servers: readonly number[]): boolean {
  const taskset = findProgram('taskset');
  const [first, ...others] = allowedCores();
  if (taskset === undefined || first === undefined || others.length === 0) return false;
  const keep = (pid: number, cores: readonly number[]): boolean =>
    spawnSync(taskset, ['--all-tasks', '--pid', '--cpu-list', cores.join(','), String(pid)]).status === 0;
  const processes = servers.flatMap(processTree);
  if (keep(recorder, [first]) && processes.every((pid) => keep(pid, others))) return true;
  for (const pid of [recorder, ...processes]) keep(pid, [first, ...others]);
  return false;
}

/** Those that this process, and so what it starts, may run on. */
function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s+(\S+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [from = NaN, to = from] = range.split('-').map(Number);
    return Array.from({ length: Number.isNaN(from) ? 0 : to - from + 1 }, (_, index) => from + index);
  });
}
