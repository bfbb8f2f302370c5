/** Starts the generator of a load: wrk, or a process of autocannon. */
import { join } from 'node:path';
import { startJobs, temporaryDirectory } from '../processes.ts';
import type { Generate, Load, LoadName, Sent } from './load.ts';
import { findWrk, runWrk } from './wrk.ts';

/**
 * A disk may stall for longer than a short round, and a server that takes all 64 requests at once and a second for them answers none in
 * one: after a run without a single answer, the next is twice as long, up to this often.
 */
const RUNS_MAX = 5;

/** One process of autocannon for all rounds, so that its code is compiled before those that count; wrk starts anew each time. */
export async function startLoad(name: LoadName = 'autocannon'): Promise<Generate> {
  const wrk = name === 'wrk' ? findWrk() : undefined;
  const script = join(temporaryDirectory(), 'load.lua');
  const send =
    wrk === undefined
      ? (await startJobs<Load, Sent>('load/autocannon.ts')).run
      : (load: Load) => runWrk(wrk, script, load);
  return async (load) => {
    let seconds = 0;
    for (let runs = 0; runs < RUNS_MAX; runs++) {
      const { otherCount, errorCount, ...sent } = await send({ ...load, seconds: load.seconds * 2 ** runs });
      // How fast a server refuses is not what is measured.
      if (errorCount > 0 || otherCount > 0) {
        throw new Error(`${load.method} ${load.path}: ${otherCount} answers of another status, ${errorCount} errors`);
      }
      seconds += sent.seconds;
      if (sent.requestCount > 0) return { ...sent, seconds };
    }
    throw new Error(`${load.method} ${load.path}: no answer in ${seconds} s`);
  };
}
