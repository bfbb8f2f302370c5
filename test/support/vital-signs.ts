/** What the kernel tells of a process from outside: its time, its memory, its descriptors, its children. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** User and system time of a process, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Memory that a process holds, in megabytes. */
export function residentMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** Of that, what is its own: without pages of programs and data files, which the system can drop and read again. */
export function ownMb(pid: number): number {
  return statusMb(pid, 'RssAnon');
}

function statusMb(pid: number, name: string): number {
  const [, kb] = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1_024;
}

/** Descriptors that a process has open: files, sockets and what its event loops need. */
export function descriptorCount(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The child that a server serves mocks in. */
export function dataPlanePid(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}
