/**
 * The one way in which loads are compared: rounds of each contender in turn, and ratios within a round.
 *
 * Machines drift within minutes, so figures of different rounds are never compared: a ratio is taken within each round, and
 * reported as the median of all rounds. The contender that goes first changes from round to round, so that none always runs
 * after the same other one.
 */
import { cpuSecondsBetween, cpuTimes, residentBytes } from './load/cpu-time.ts';
import type { Generate, Load } from './load/load.ts';

export interface RunningContender {
  readonly name: string;
  /** Its processor time is that of this process and of all that it started. */
  readonly pid: number;
  /** Of these processes, the ones whose time is of interest on its own, by name. */
  readonly parts?: Readonly<Record<string, number>>;
  /** What is sent in a round. Rounds count from 1; 0 warms up. */
  readonly load: (round: number) => Omit<Load, 'seconds'>;
}

export interface RoundPlan {
  readonly rounds: number;
  readonly roundSeconds: number;
  /** Of each contender before the first round, not counted: code is compiled, owners are loaded. 0 for none. */
  readonly warmUpSeconds: number;
}

/** What pairs the figures of contenders. */
export interface Paired {
  readonly contender: string;
  readonly round: number;
}

/** One contender under load once. */
export interface Round extends Paired {
  readonly requestsPerSecond: number;
  /** User and system time of all its processes, per request. */
  readonly cpuMicroseconds: number;
  /** The same of each part, without the processes that it started. */
  readonly parts?: Readonly<Record<string, number>>;
  /** Seconds of processor time per second: well below 1, the load generator was the limit. */
  readonly busy: number;
  /** Absent where the load generator cannot measure it. */
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly residentBytes: number;
  readonly connections: number;
}

export async function runRounds(
  contenders: readonly RunningContender[],
  { rounds: count, roundSeconds, warmUpSeconds }: RoundPlan,
  generate: Generate,
): Promise<Round[]> {
  for (const each of warmUpSeconds > 0 ? contenders : []) await generate({ ...each.load(0), seconds: warmUpSeconds });
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round++) {
    for (const each of inTurn(round, contenders)) rounds.push(await measure(each, round, roundSeconds, generate));
  }
  return rounds;
}

/** In the order of a round: the contender that came first comes last in the next. */
export function inTurn<Item>(round: number, items: readonly Item[]): Item[] {
  const first = (round - 1) % Math.max(1, items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}

async function measure(
  { name, pid, parts = {}, load }: RunningContender,
  round: number,
  seconds: number,
  generate: Generate,
): Promise<Round> {
  const sent = { ...load(round), seconds };
  const before = cpuTimes(pid);
  const partsBefore = Object.entries(parts).map(([part, id]) => [part, id, cpuTimes(id)] as const);
  const result = await generate(sent);
  const cpuSeconds = cpuSecondsBetween(before, cpuTimes(pid));
  const ofParts = partsBefore.map(([part, id, times]) => {
    return [part, (cpuSecondsBetween(times, cpuTimes(id)) / result.requestCount) * 1e6] as const;
  });
  return {
    contender: name,
    round,
    requestsPerSecond: result.requestCount / result.seconds,
    cpuMicroseconds: (cpuSeconds / result.requestCount) * 1e6,
    ...(ofParts.length === 0 ? {} : { parts: Object.fromEntries(ofParts) }),
    busy: cpuSeconds / result.seconds,
    ...result.latency,
    residentBytes: residentBytes(pid),
    connections: sent.connections,
  };
}

/** @returns One contender's figure over the other's, of each round in which both were measured. */
export function ratiosOf<Each extends Paired>(
  rounds: readonly Each[],
  over: string,
  under: string,
  figure: (round: Each) => number,
): number[] {
  return rounds.flatMap((each) => {
    const other = rounds.find(({ contender, round }) => contender === under && round === each.round);
    return each.contender !== over || other === undefined ? [] : [figure(each) / figure(other)];
  });
}

/** @returns The same as a median with its spread; undefined where no round has both. */
export function ratioOf<Each extends Paired>(
  rounds: readonly Each[],
  over: string,
  under: string,
  figure: (round: Each) => number,
): Spread | undefined {
  const ratios = ratiosOf(rounds, over, under, figure);
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

/** @returns The median of one contender's figure. */
export function medianOf<Each extends Paired>(
  rounds: readonly Each[],
  contender: string,
  figure: (round: Each) => number,
): number {
  return median(rounds.filter((round) => round.contender === contender).map(figure));
}

/** A median, and the lowest and highest of the values that it is the median of. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
}
