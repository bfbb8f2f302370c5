/** Starts the process of fixed-rate.ts and asks it for one job after the other. */
import { startScript } from '../processes.ts';
import type { FixedRateAnswer, FixedRateLoad, FixedRateResult } from './fixed-rate.ts';

export interface FixedRateRecorder {
  readonly pid: number;
  readonly run: (load: FixedRateLoad) => Promise<FixedRateResult>;
}

export async function startFixedRate(): Promise<FixedRateRecorder> {
  const { child, message } = startScript('load/fixed-rate.ts', []);
  await message<'ready'>();
  const run = async (load: FixedRateLoad) => {
    child.send(load);
    const answer = await message<FixedRateAnswer>();
    if ('failure' in answer) throw new Error(`at a fixed rate: ${answer.failure}`);
    return answer.result;
  };
  return { pid: child.pid as number, run };
}
