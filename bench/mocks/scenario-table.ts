/** One scenario as a table: a row per contender, ratios first. */
import { median } from '../compare.ts';
import { ratioText } from '../report/spread.ts';
import type { LoadName, Spread, Table } from '../section.ts';
import type { Round, ScenarioResult } from './measure-scenario.ts';
import { NOT_PART_OF_IT } from './line-up.ts';
import { judgedLoad, ratiosOf, roundsOf } from './ratios.ts';

const HEAD = ['', 'CPU vs raw', 'rate vs raw', 'CPU vs guarded', 'rate vs guarded'];
const FIGURES_HEAD = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs', 'busy', 'RSS MB'];

export function scenarioTable(result: ScenarioResult, loads: readonly LoadName[]): Table {
  const load = judgedLoad(loads);
  const contenders = [...new Set(result.rounds.map(({ contender }) => contender))];
  const checksCpu = load === 'wrk' && loads.includes('autocannon');
  const rows = contenders.map((contender) => [
    contender,
    ...['raw', 'guarded'].flatMap((against) => {
      if (contender === against) return ['1', '1'];
      const ratios = ratiosOf(result, contender, against, load);
      return [optional(ratios?.cpu), optional(ratios?.rate)];
    }),
    ...(checksCpu ? [optional(ratiosOf(result, contender, 'raw', 'autocannon')?.cpu)] : []),
    ...figures(roundsOf(result, contender, load)),
  ]);
  const notPlaying = Object.entries(result.without).filter(([, reason]) => reason !== NOT_PART_OF_IT);
  return {
    title: result.title,
    head: [...HEAD, ...(checksCpu ? ['CPU vs raw, autocannon'] : []), ...FIGURES_HEAD],
    rows: [...rows, ...notPlaying.map(([name, reason]) => [name, `cannot: ${reason}`])],
  };
}

function figures(rounds: readonly Round[]): string[] {
  const middle = (figure: (round: Round) => number): number => median(rounds.map(figure));
  return [
    middle(({ requestsPerSecond }) => requestsPerSecond).toLocaleString('en', { maximumFractionDigits: 0 }),
    milliseconds(rounds.flatMap(({ p50Ms = [] }) => p50Ms)),
    milliseconds(rounds.flatMap(({ p99Ms = [] }) => p99Ms)),
    middle(({ cpuMicroseconds }) => cpuMicroseconds).toFixed(2),
    `${(middle(({ busy }) => busy) * 100).toFixed(0)} %`,
    (middle(({ residentBytes }) => residentBytes) / 1e6).toFixed(0),
  ];
}

function milliseconds(values: readonly number[]): string {
  return values.length === 0 ? '' : median(values).toFixed(2);
}

function optional(spread: Spread | undefined): string {
  return spread === undefined ? '' : ratioText(spread);
}
