/** Lines that show a person how far long work has come. */
import { writeSync } from 'node:fs';

const STDERR = 2;
/** Work that is over sooner is not told of, unless a person watches. */
const PATIENCE_MS = 1_000;
const EVERY_MS = 1_000;

/** @returns What takes a step of the work, and prints a line on stderr now and then: "verified 120,000 of 1,000,000 entries". */
export function progressLines(): (what: string, done: number, total: number, unit: string) => void {
  let told = performance.now() - (process.stderr.isTTY ? PATIENCE_MS : 0);
  return (what, done, total, unit) => {
    const now = performance.now();
    if (now - told < EVERY_MS) return;
    told = now;
    const count = (each: number): string => each.toLocaleString('en-US');
    writeSync(STDERR, `${what} ${count(done)} of ${count(total)} ${unit}\n`);
  };
}
