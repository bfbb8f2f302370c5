/**
 * Compares two loads: rounds of one and the other in turn, each figure a median.
 *
 * Machines drift within minutes, so the ratio is taken within each pair of neighbouring rounds and the median over the pairs.
 * The first rounds, in which code is compiled and owners are loaded, are not counted.
 */
import { readFileSync } from 'node:fs';
import type { Load, LoadResult } from './load-generator.ts';
import { startLoadGenerator, type Server } from './processes.ts';

export interface RoundPlan {
  /** How often both are measured. */
  readonly pairsOfRounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
}

export type GenerateLoad = (load: Load) => Promise<LoadResult>;

export interface Contender {
  readonly server: Server;
  /** What is sent in a round. Round 0 warms up. */
  readonly load: (round: number) => Omit<Load, 'port' | 'seconds'>;
}

/** Medians of both and of their ratio, which is above 1 where the measured one is better. */
export interface Figure {
  readonly measured: number;
  readonly against: number;
  readonly ratio: number;
  /** The lowest and the highest ratio of any pair of rounds. */
  readonly ratioRange: readonly [number, number];
}

export interface Comparison {
  readonly requestsPerSecond: Figure;
  readonly cpuMicroseconds: Figure;
  /** Processor seconds per second of both servers: well below 1, the load generator was the limit. */
  readonly busy: readonly [measured: number, against: number];
}

/** @param generate One of `startLoadGenerator`, for several comparisons; without it, one is started. */
export async function compare(
  measured: Contender,
  against: Contender,
  plan: RoundPlan,
  generate?: GenerateLoad,
): Promise<Comparison> {
  generate ??= await startLoadGenerator();
  const round = async ({ server, load }: Contender, index: number, seconds: number): Promise<Round> => {
    const ticks = cpuTicks(server.pid);
    const result = await generate({ ...load(index), port: server.port, seconds });
    // A round too short to be seen by the clock counts as one tick of it.
    const cpuSeconds = Math.max(1, cpuTicks(server.pid) - ticks) / TICKS_PER_SECOND;
    return {
      requestsPerSecond: result.requestCount / result.seconds,
      cpuMicroseconds: (cpuSeconds / result.requestCount) * 1e6,
      busy: cpuSeconds / result.seconds,
    };
  };

  const pairs: [Round, Round][] = [];
  for (let index = 0; index <= plan.pairsOfRounds; index++) {
    const seconds = index === 0 ? plan.warmUpSeconds : plan.roundSeconds;
    const pair: [Round, Round] = [await round(measured, index, seconds), await round(against, index, seconds)];
    if (index > 0) pairs.push(pair);
  }
  return {
    requestsPerSecond: figure(pairs, 'requestsPerSecond', (ours, theirs) => ours / theirs),
    cpuMicroseconds: figure(pairs, 'cpuMicroseconds', (ours, theirs) => theirs / ours),
    busy: [median(pairs.map(([ours]) => ours.busy)), median(pairs.map(([, theirs]) => theirs.busy))],
  };
}

interface Round {
  readonly requestsPerSecond: number;
  readonly cpuMicroseconds: number;
  readonly busy: number;
}

function figure(
  pairs: readonly [Round, Round][],
  name: keyof Round,
  ratioOf: (measured: number, against: number) => number,
): Figure {
  const ratios = pairs.map(([measured, against]) => ratioOf(measured[name], against[name]));
  return {
    measured: median(pairs.map(([measured]) => measured[name])),
    against: median(pairs.map(([, against]) => against[name])),
    ratio: median(ratios),
    ratioRange: [Math.min(...ratios), Math.max(...ratios)],
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}

/** What Linux reports processor time in, whatever the kernel's own clock is (proc(5), sysconf(_SC_CLK_TCK)). */
const TICKS_PER_SECOND = 100;

/** User and system time of all threads of a process so far. */
function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name of the command, in brackets, may hold anything; utime and stime are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
