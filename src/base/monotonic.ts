/** Milliseconds of the machine's clock that never jumps: the same for all of its processes and threads. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
