/** One load by the generator that is asked for. */
import { join } from 'node:path';
import type { Load, LoadResult } from '../load-generator.ts';
import { startLoadGenerator, temporaryDirectory } from '../processes.ts';
import type { LoadName } from '../section.ts';
import { findWrk, runWrk } from './wrk.ts';

export type Generate = (name: LoadName, load: Load) => Promise<LoadResult>;

/** One process of autocannon for all rounds, so that its code is compiled before those that count; wrk starts anew each time. */
export async function startGenerators(): Promise<Generate> {
  const wrk = findWrk();
  const script = join(temporaryDirectory(), 'load.lua');
  const autocannon = await startLoadGenerator();
  return (name, load) => (name === 'wrk' && wrk !== undefined ? runWrk(wrk, script, load) : autocannon(load));
}
