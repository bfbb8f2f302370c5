/** Starts the generator of a load: wrk, or a process of autocannon. */
import { join } from 'node:path';
import { startJobs, temporaryDirectory } from '../processes.ts';
import type { Generate, Load, LoadName, LoadResult } from './load.ts';
import { findWrk, runWrk } from './wrk.ts';

/** One process of autocannon for all rounds, so that its code is compiled before those that count; wrk starts anew each time. */
export async function startLoad(name: LoadName = 'autocannon'): Promise<Generate> {
  const wrk = findWrk();
  const script = join(temporaryDirectory(), 'load.lua');
  if (name === 'wrk' && wrk !== undefined) return (load) => runWrk(wrk, script, load);
  return (await startJobs<Load, LoadResult>('load/autocannon.ts')).run;
}
