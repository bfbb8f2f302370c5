/** Latency at a fixed rate as a table, and whether it is what is wanted. */
import { median } from '../compare.ts';
import { ratioText } from '../report/spread.ts';
import type { Table, TargetResult } from '../section.ts';
import { latencyRatio, type HalfLoadResult, type HalfLoadRound } from './half-load.ts';

/** How much slower than raw the slowest hundredth may be. */
const P99_RATIO_MAX = 1.3;

export function halfLoadTable(result: HalfLoadResult): Table {
  const contenders = [...new Set(result.rounds.map(({ contender }) => contender))];
  const rate = Math.round(result.requestsPerSecond).toLocaleString('en');
  const cores = result.hasOwnCores ? '' : ', on shared cores';
  const { share, longestMs } = result.idleGaps;
  const gaps = `a loop that does nothing lost ${(share * 100).toFixed(1)} % of its time here, up to ${longestMs.toFixed(1)} ms at once`;
  return {
    title: `latency at ${rate} requests/s, ${Math.round(result.share * 100)} % of raw's peak${cores}; ${gaps}`,
    head: ['', 'p99 vs raw', 'p50 µs', 'p99 µs', 'p99.9 µs', 'sent late, p99 µs'],
    rows: contenders.map((contender) => {
      const rounds = result.rounds.filter((round) => round.contender === contender);
      const middle = (figure: (round: HalfLoadRound) => number) => median(rounds.map(figure)).toFixed(0);
      const ratio = latencyRatio(result, contender, 'raw');
      return [
        contender,
        ratio === undefined ? '' : ratioText(ratio),
        middle(({ p50 }) => p50),
        middle(({ p99 }) => p99),
        middle(({ p999 }) => p999),
        middle(({ sentLateP99 }) => sentLateP99),
      ];
    }),
  };
}

export function judgeHalfLoad(result: HalfLoadResult): TargetResult[] {
  const ratio = latencyRatio(result, 'switchyard', 'raw');
  if (ratio === undefined) return [];
  const share = `at ${Math.round(result.share * 100)} % of raw's peak`;
  return [
    {
      target: 'p99 vs raw',
      scenario: `static, ${share}`,
      wanted: `<= ${P99_RATIO_MAX}`,
      ratio,
      verdict: ratio.median <= P99_RATIO_MAX ? 'met' : 'missed',
    },
  ];
}
