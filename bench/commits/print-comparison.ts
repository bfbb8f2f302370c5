/** What was found: a line per scenario and figure. */
import { printTable } from '../report.ts';
import { medianOf, ratiosOf, type Paired, type Round } from '../rounds.ts';
import { estimate } from './interval.ts';

/** Fewer values than six may all lie on one side of their true median in more than one of twenty cases. */
const ROUNDS_MIN = 6;

export const HEAD = ['', 'new', 'old', 'new/old', '95 %', 'rounds', ''];
const NOTES = `new/old   median of the ratios of each round
95 %      where that median lies in 95 of 100 draws from the same starts and rounds (bootstrap). Of 20 lines of a build compared
          with itself, one may still say that there is a difference
rounds    lowest and highest ratio of any round
CPU       user and system time of the process that answers`;

/** @param found For each scenario, the rounds of each start of the services. */
export function printComparison(found: ReadonlyMap<string, readonly (readonly Round[])[]>): void {
  const rows = [...found].flatMap(([name, starts]) => [
    cells(`${name}: requests/s`, starts, (round) => round.requestsPerSecond, 0),
    cells(`${name}: CPU per request, µs`, starts, (round) => round.cpuMicroseconds, 2),
  ]);
  printTable({ title: '', head: HEAD, rows });
  console.log(`\n${NOTES}`);
}

/** A row below HEAD. */
export function cells<Each extends Paired>(
  name: string,
  starts: readonly (readonly Each[])[],
  figure: (round: Each) => number,
  digits: number,
): string[] {
  const ratios = starts.map((rounds) => ratiosOf(rounds, 'new', 'old', figure));
  const all = ratios.flat();
  const { median: ratio, low, high } = estimate(ratios);
  const difference = `${Math.abs((ratio - 1) * 100).toFixed(1)} % ${ratio > 1 ? 'more' : 'less'}`;
  const seen = low > 1 || high < 1 ? difference : 'no difference seen';
  const middle = (build: string) =>
    medianOf(starts.flat(), build, figure).toLocaleString('en', { maximumFractionDigits: digits });
  return [
    name,
    middle('new'),
    middle('old'),
    ratio.toFixed(3),
    `${low.toFixed(3)}-${high.toFixed(3)}`,
    `${Math.min(...all).toFixed(2)}-${Math.max(...all).toFixed(2)}`,
    all.length < ROUNDS_MIN ? 'too few rounds to tell' : seen,
  ];
}
