/**
 * Short rounds of the same load on two services, in turn: the one that goes first alternates.
 *
 * Machines drift within seconds, so each round is held against its neighbour, and it is the ratio of the two that counts. Of the
 * same time, 80 pairs of 0.25 s gave an interval half as wide as 20 pairs of 1 s, on a machine busy with other work.
 */
import { cpuSecondsBetween, cpuTimes } from '../load/cpu-time.ts';
import type { Load, LoadResult } from '../load-generator.ts';
import type { Server } from '../processes.ts';

export interface Contender {
  readonly server: Server;
  readonly load: Omit<Load, 'port' | 'seconds'>;
}

export interface Round {
  readonly requestsPerSecond: number;
  /** Of the process that answers, per request. */
  readonly cpuMicroseconds: number;
}

export interface Pair {
  readonly new: Round;
  readonly old: Round;
}

export interface RoundPlan {
  readonly pairs: number;
  readonly roundSeconds: number;
  /** Of each service, before the first round. */
  readonly warmUpSeconds: number;
}

type Generate = (load: Load) => Promise<LoadResult>;

export async function interleave(
  contenders: { readonly new: Contender; readonly old: Contender },
  plan: RoundPlan,
  generate: Generate,
): Promise<Pair[]> {
  const round = (which: keyof Pair, seconds = plan.roundSeconds) => measure(contenders[which], seconds, generate);
  await round('new', plan.warmUpSeconds);
  await round('old', plan.warmUpSeconds);
  const pairs: Pair[] = [];
  while (pairs.length < plan.pairs) {
    if (pairs.length % 2 === 0) pairs.push({ new: await round('new'), old: await round('old') });
    else {
      const old = await round('old');
      pairs.push({ new: await round('new'), old });
    }
  }
  return pairs;
}

async function measure({ server, load }: Contender, seconds: number, generate: Generate): Promise<Round> {
  const before = cpuTimes(server.pid);
  const result = await generate({ ...load, port: server.port, seconds });
  const used = cpuSecondsBetween(before, cpuTimes(server.pid));
  return {
    requestsPerSecond: result.requestCount / result.seconds,
    cpuMicroseconds: (used / result.requestCount) * 1e6,
  };
}
