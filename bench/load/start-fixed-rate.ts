/** Starts the process of fixed-rate.ts and asks it for one job after the other. */
import { startScript } from '../processes.ts';
import type { FixedRateAnswer, FixedRateLoad, FixedRateResult } from './fixed-rate.ts';

export async function startFixedRate(): Promise<(load: FixedRateLoad) => Promise<FixedRateResult>> {
  const { child, message } = startScript('load/fixed-rate.ts', []);
  await message<'ready'>();
  return async (load) => {
    child.send(load);
    const answer = await message<FixedRateAnswer>();
    if ('failure' in answer) throw new Error(`at a fixed rate: ${answer.failure}`);
    return answer.result;
  };
}
