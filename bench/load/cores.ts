/**
 * Cores of their own for a recorder of latencies and for the servers that it asks.
 *
 * Left to the kernel, a server that the recorder has just woken is now and then put on the recorder's core, behind a loop that never
 * pauses: one request in a hundred waited for a time slice, a millisecond or more, of raw uWebSockets.js as of any other.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { findProgram } from '../find-program.ts';
import { processTree } from './cpu-time.ts';

/** @returns Whether they have: it takes two cores, and `taskset` (util-linux). */
export function separateCores(recorder: number, servers: readonly number[]): boolean {
  const taskset = findProgram('taskset');
  const last = availableParallelism() - 1;
  if (taskset === undefined || last < 1) return false;
  const keep = (pid: number, cores: string): boolean =>
    spawnSync(taskset, ['--all-tasks', '--pid', '--cpu-list', cores, String(pid)]).status === 0;
  return keep(recorder, '0') && servers.flatMap(processTree).every((pid) => keep(pid, `1-${last}`));
}
