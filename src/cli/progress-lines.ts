/** Lines on stderr that show the progress of long work. */
import { writeSync } from 'node:fs';

const STDERR = 2;
/** Shorter work prints nothing, unless stderr is a terminal. */
const PATIENCE_MS = 1_000;
const EVERY_MS = 1_000;

/** @returns A function that takes each step and prints some of them: "verified 120,000 of 1,000,000 entries". */
export function progressLines(): (what: string, done: number, total: number, unit: string) => void {
  let printedAt = performance.now() - (process.stderr.isTTY ? PATIENCE_MS : 0);
  return (what, done, total, unit) => {
    const now = performance.now();
    if (now - printedAt < EVERY_MS) return;
    printedAt = now;
    const count = (each: number): string => each.toLocaleString('en-US');
    writeSync(STDERR, `${what} ${count(done)} of ${count(total)} ${unit}\n`);
  };
}

/** Prints how long it takes, each second from the second on. @param what "importing openapi.yaml". */
export async function whileWaiting<Result>(what: string, work: Promise<Result>): Promise<Result> {
  const begun = performance.now();
  const timer = setInterval(() => {
    writeSync(STDERR, `${what}: ${Math.round((performance.now() - begun) / 1_000)} s\n`);
  }, EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
