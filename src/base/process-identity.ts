/** Identifies this process and its machine, so that another process can check whether it has ended. */
import { readFileSync, readlinkSync } from 'node:fs';

/** Fields of `/proc/<pid>/stat` behind the name, which may have any characters: the start time is the 22nd of all. */
const START_FIELD = 22 - 3;

/** @returns undefined where there is no `/proc`. */
export function processIdentity(pid: number = process.pid): string | undefined {
  const machine = machineIdentity();
  const start = startOf(pid);
  return machine === undefined || start === undefined ? undefined : `${machine} ${pid} ${start}`;
}

/** Whether a process of this machine has ended. False for one of another machine or container, of which nothing is known. */
export function hasEnded(identity: string): boolean {
  const [machine, space, pid, start] = identity.split(' ');
  return `${machine} ${space}` === machineIdentity() && startOf(Number(pid)) !== start;
}

/** This start of the machine, and this space of process ids: containers have their own. */
function machineIdentity(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD];
  } catch {
    return undefined;
  }
}
