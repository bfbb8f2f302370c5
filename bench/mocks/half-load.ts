/**
 * Latency at half of what raw uWebSockets.js can do: what a client sees of a server that is busy but not overrun.
 *
 * Without coordinated omission: see load/fixed-rate.ts. The rate is the same for all, half of raw's peak in the same run, or
 * what the recorder itself can keep up with, if that is less; the report says which.
 */
import { CONTENDERS } from '../contenders/contenders.ts';
import type { Contender } from '../contenders/contender.ts';
import { separateCores } from '../load/cores.ts';
import type { FixedRateLoad, FixedRateResult } from '../load/fixed-rate.ts';
import { idleGaps, type IdleGaps } from '../load/idle-gaps.ts';
import type { Generate } from '../load/generate.ts';
import { startFixedRate } from '../load/start-fixed-rate.ts';
import { spreadOf } from '../report/spread.ts';
import type { BenchOptions, Spread, Watcher } from '../section.ts';
import { inOrderOf, lineUp, type Entry } from './line-up.ts';
import { judgedLoad } from './ratios.ts';
import type { Scenario } from './scenario.ts';

export const HALF_LOAD = 'half-load';
/** Who is measured, if asked for. Raw always is: it sets the rate. */
const MEASURED = new Set(['raw', 'guarded', 'switchyard']);

const CONNECTIONS = 64;
const CONNECTIONS_TINY = 4;
const RATE_TINY = 200;
/** A recorder that sends later than this is a part of what it measures. */
const SENT_LATE_MICROSECONDS_MAX = 1_000;
const RATE_STEP = 0.8;
const RATE_STEPS_MAX = 8;
/** Of a round: what takes a core away for milliseconds is then in some of the ratios, and the median stands between the others. */
const SLICES = 4;

export interface HalfLoadRound extends FixedRateResult {
  readonly contender: string;
  readonly round: number;
}

export interface HalfLoadResult {
  readonly requestsPerSecond: number;
  /** Of raw's peak. */
  readonly share: number;
  /** Whether the recorder had a core that no server had. */
  readonly hasOwnCores: boolean;
  /** Before it began. */
  readonly idleGaps: IdleGaps;
  readonly rounds: readonly HalfLoadRound[];
}

export function halfLoadSeconds(contenders: readonly Contender[], { rounds, seconds }: BenchOptions): number {
  return seconds * (3 + rounds * measured(contenders).length);
}

export async function measureHalfLoad(
  scenario: Scenario,
  contenders: readonly Contender[],
  generate: Generate,
  options: BenchOptions,
  watcher: Watcher,
): Promise<HalfLoadResult> {
  watcher.step(`${HALF_LOAD}: starting`, 0);
  const connections = options.isTiny ? CONNECTIONS_TINY : CONNECTIONS;
  const gaps = idleGaps(options.seconds);
  const { entries, check, end } = await lineUp(scenario, measured(contenders));
  const [raw] = entries as [Entry];
  watcher.step(`${HALF_LOAD}: the peak of raw`, options.seconds);
  const peak = options.isTiny ? 2 * RATE_TINY : await peakOf(raw, connections, generate, options);
  // Started behind the line-up, and so ended with it.
  const { pid: recorder, run } = await startFixedRate();
  const servers = entries.map(({ started }) => started.pid);
  const hasOwnCores = separateCores(recorder, servers);
  watcher.step(`${HALF_LOAD}: the rate`, options.seconds);
  const requestsPerSecond = options.isTiny
    ? RATE_TINY
    : await rateHeld(peak / 2, (rate) => run(fixedRate(raw, connections, rate, options.seconds)));

  const rounds: HalfLoadRound[] = [];
  const slices = options.rounds * SLICES;
  for (let round = 0; round < slices; round++) {
    for (const entry of inOrderOf(round, entries)) {
      watcher.step(`${HALF_LOAD}: ${round + 1}/${slices}, ${entry.name}`, options.seconds / SLICES);
      const load = fixedRate(entry, connections, requestsPerSecond, options.seconds / SLICES);
      const result = await run(load);
      rounds.push({ contender: entry.name, round, ...result });
    }
  }
  await check();
  await end();
  return { requestsPerSecond, share: requestsPerSecond / peak, hasOwnCores, idleGaps: gaps, rounds };
}

/** Of the 99th percentiles, within each round: above 1 the measured one is slower. */
export function latencyRatio({ rounds }: HalfLoadResult, contender: string, against: string): Spread | undefined {
  const ratios = rounds.flatMap((ours) => {
    const theirs = rounds.find(({ contender: name, round }) => name === against && round === ours.round);
    return ours.contender !== contender || theirs === undefined ? [] : [ours.p99 / theirs.p99];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

function measured(contenders: readonly Contender[]): Contender[] {
  return CONTENDERS.filter((contender) => {
    return contender.name === 'raw' || (MEASURED.has(contender.name) && contenders.includes(contender));
  });
}

async function peakOf(
  { load }: Entry,
  connections: number,
  generate: Generate,
  { loads, seconds }: BenchOptions,
): Promise<number> {
  const { requestCount, seconds: took } = await generate(judgedLoad(loads), { ...load, connections, seconds });
  return requestCount / took;
}

/** The first of falling rates that the recorder sends on time. */
async function rateHeld(wanted: number, run: (rate: number) => Promise<FixedRateResult>): Promise<number> {
  let rate = wanted;
  for (let step = 0; step < RATE_STEPS_MAX; step++) {
    const isHeld = await run(rate).then(
      ({ sentLateP99 }) => sentLateP99 <= SENT_LATE_MICROSECONDS_MAX,
      // Not every request was answered in time.
      () => false,
    );
    if (isHeld) return rate;
    rate *= RATE_STEP;
  }
  return rate;
}

function fixedRate(
  { load, started }: Entry,
  connections: number,
  requestsPerSecond: number,
  seconds: number,
): FixedRateLoad {
  const headers = Object.entries(load.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `${load.method} ${load.path} HTTP/1.1\r\n${headers.join('')}\r\n`;
  return { port: started.port, request, requestsPerSecond, seconds, connections };
}
