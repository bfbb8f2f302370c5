/**
 * Latency at half of what raw uWebSockets.js can do: what a client sees of a server that is busy but not overrun.
 *
 * Without coordinated omission: see load/fixed-rate.ts. The rate is the same for all, half of raw's peak in the same run, or
 * what the recorder itself can keep up with, if that is less; the report says which.
 */
import type { BenchOptions } from '../section.ts';
import { CONTENDERS } from '../contenders/contenders.ts';
import type { Contender } from '../contenders/contender.ts';
import { separateCores } from '../load/cores.ts';
import type { FixedRateLoad, FixedRateResult } from '../load/fixed-rate.ts';
import { idleGaps, type IdleGaps } from '../load/idle-gaps.ts';
import { requestText, type Generate } from '../load/load.ts';
import { startJobs } from '../processes.ts';
import { progress, ratioText, type Table, type TargetResult } from '../report.ts';
import { inTurn, medianOf, ratioOf, type Paired } from '../rounds.ts';
import { lineUp, type Entry } from './line-up.ts';
import type { Scenario } from './scenario.ts';

export const HALF_LOAD = 'half-load';
/** Who is measured, if asked for. Raw always is: it sets the rate. */
const MEASURED = new Set(['defensive', 'switchyard']);

const CONNECTIONS = 64;
const CONNECTIONS_TINY = 4;
const RATE_TINY = 200;
/** A recorder that sends later than this is a part of what it measures. */
const SENT_LATE_MICROSECONDS_MAX = 1_000;
const RATE_STEP = 0.8;
const RATE_STEPS_MAX = 8;
/** Of a round: what takes a core away for milliseconds is then in some of the ratios, and the median stands between the others. */
const SLICES = 4;
/** How much slower than raw the slowest hundredth may be. */
const P99_RATIO_MAX = 1.3;

interface HalfLoadRound extends FixedRateResult, Paired {}

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

export async function measureHalfLoad(
  scenario: Scenario,
  contenders: readonly Contender[],
  generate: Generate,
  { tiny, rounds: roundCount, seconds }: BenchOptions,
): Promise<HalfLoadResult> {
  const connections = tiny ? CONNECTIONS_TINY : CONNECTIONS;
  const gaps = idleGaps(seconds);
  const measured = CONTENDERS.filter((each) => {
    return each.name === 'raw' || (MEASURED.has(each.name) && contenders.includes(each));
  });
  const { entries, check } = await lineUp(scenario, measured);
  const [raw] = entries as [Entry];
  const peak = tiny ? 2 * RATE_TINY : await generate({ ...raw.load, connections, seconds }).then(peakOf);
  const recorder = await startJobs<FixedRateLoad, FixedRateResult>('load/fixed-rate.ts');
  const servers = entries.map(({ started }) => started.pid);
  const hasOwnCores = separateCores(recorder.pid, servers);
  const record = ({ load }: Entry, requestsPerSecond: number, forSeconds: number) => {
    const request = requestText(load);
    return recorder.run({ port: load.port, request, requestsPerSecond, seconds: forSeconds, connections });
  };
  const requestsPerSecond = tiny ? RATE_TINY : await rateHeld(peak / 2, (rate) => record(raw, rate, seconds));

  const rounds: HalfLoadRound[] = [];
  for (let round = 1; round <= roundCount * SLICES; round++) {
    for (const entry of inTurn(round, entries)) {
      const result = await record(entry, requestsPerSecond, seconds / SLICES);
      rounds.push({ contender: entry.name, round, ...result });
    }
  }
  await check();
  return { requestsPerSecond, share: requestsPerSecond / peak, hasOwnCores, idleGaps: gaps, rounds };
}

function peakOf({ requestCount, seconds }: Awaited<ReturnType<Generate>>): number {
  return requestCount / seconds;
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
  progress(`${HALF_LOAD}: the recorder sends late even at ${Math.round(rate)} requests/s`);
  return rate;
}

export function halfLoadTable({
  rounds,
  requestsPerSecond,
  share,
  hasOwnCores,
  idleGaps: gaps,
}: HalfLoadResult): Table {
  const rate = Math.round(requestsPerSecond).toLocaleString('en');
  const lost = `${(gaps.share * 100).toFixed(1)} % of its time here, up to ${gaps.longestMs.toFixed(1)} ms at once`;
  return {
    title: `latency at ${rate} requests/s, ${percent(share)} of raw's peak${hasOwnCores ? '' : ', on shared cores'}; a loop that does nothing lost ${lost}`,
    head: ['', 'p99 vs raw', 'p50 µs', 'p99 µs', 'p99.9 µs', 'sent late, p99 µs'],
    rows: [...new Set(rounds.map(({ contender }) => contender))].map((contender) => [
      contender,
      ratioText(ratioOf(rounds, contender, 'raw', ({ p99 }) => p99)),
      ...(['p50', 'p99', 'p999', 'sentLateP99'] as const).map((figure) =>
        medianOf(rounds, contender, (round) => round[figure]).toFixed(0),
      ),
    ]),
  };
}

/** Of the 99th percentiles, within each round: above 1 Switchyard is slower. */
export function judgeHalfLoad({ rounds, share }: HalfLoadResult): TargetResult[] {
  const ratio = ratioOf(rounds, 'switchyard', 'raw', ({ p99 }) => p99);
  if (ratio === undefined) return [];
  const scenario = `static, at ${percent(share)} of raw's peak`;
  const verdict = ratio.median <= P99_RATIO_MAX ? 'met' : 'missed';
  return [{ target: 'p99 vs raw', scenario, wanted: `<= ${P99_RATIO_MAX}`, ratio, verdict }];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
