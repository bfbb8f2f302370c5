/** Starts the process of paced-requests.ts and asks it for one job after the other. */
import { startScript } from '../processes.ts';
import type { PacedAnswer, PacedLoad, PacedResult } from './paced-requests.ts';

/** @returns Runs one load; rejects when any of its requests was not answered with success. */
export async function startPacedRequests(): Promise<(load: PacedLoad) => Promise<PacedResult>> {
  const { child, message } = startScript('load/paced-requests.ts', []);
  await message<'ready'>();
  return async (load) => {
    child.send(load);
    const answer = await message<PacedAnswer>();
    if ('failure' in answer) throw new Error(answer.failure);
    return answer.result;
  };
}
