/** Time of the processor that this thread takes, told so that machines and their load hardly matter. */
import { readFileSync } from 'node:fs';

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Of this thread. Without Linux's count of it, that of the process: helpers of the garbage collector are in it. */
export function threadMs(): number {
  // The system counts what a running thread has taken by steps of some milliseconds, and of one that has waited exactly.
  Atomics.wait(cell, 0, 0, 0.02);
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

export function threadMsOf(action: () => void): number {
  const before = threadMs();
  action();
  return threadMs() - before;
}

const TEXT = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, name: `n${id}` })));
/** What the reference takes where the work of requests was priced, with nothing else to do. */
const REFERENCE_MS = 6.25;
/** How long a measurement holds. */
const KNOWN_MS = 500;

function reference(): void {
  for (let run = 0; run < 5; run++) JSON.parse(TEXT);
}

/** Memory that the system has not given this process yet, and what that takes: some machines give each page slowly. */
const PAGES_BYTES = 32 * 1_048_576;
const PAGES_MS = 20;

let known = 1;
let knownSince = -Infinity;

/** @returns How many times as long as there everything takes now, at least 1: processors differ, and so does what shares them. */
export function slowness(): number {
  if (performance.now() - knownSince > KNOWN_MS) {
    const least = Math.min(...Array.from({ length: 5 }, () => threadMsOf(reference)));
    const pages = Math.min(...Array.from({ length: 2 }, () => threadMsOf(() => void Buffer.alloc(PAGES_BYTES, 1))));
    known = Math.max(1, least / REFERENCE_MS, pages / PAGES_MS);
    knownSince = performance.now();
  }
  return known;
}
