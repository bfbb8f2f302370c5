/** What was found: a line per scenario and figure. */
import { median } from '../compare.ts';
import { estimate } from './interval.ts';
import type { Pair, Round } from './rounds.ts';

interface Column {
  readonly title: string;
  readonly width: number;
}

const COLUMNS: readonly Column[] = [
  { title: '', width: -34 },
  { title: 'new', width: 12 },
  { title: 'old', width: 12 },
  { title: 'new/old', width: 9 },
  { title: '95 %', width: 15 },
  { title: 'rounds', width: 13 },
];

/** Fewer values than six may all lie on one side of their true median in more than one of twenty cases. */
const ROUNDS_MIN = 6;

const NOTES = `new/old   median of the ratios of neighbouring rounds
95 %      where that median lies in 95 of 100 draws from the same starts and rounds (bootstrap). Of 20 lines of a build held
          against itself, one may still say that there is a difference
rounds    lowest and highest ratio of any pair of rounds
CPU       user and system time of the process that answers`;

/** @param found For each scenario, the pairs of each start of the services. */
export function printReport(found: ReadonlyMap<string, readonly (readonly Pair[])[]>): void {
  printLine(COLUMNS.map(({ title }) => title));
  for (const [name, starts] of found) {
    printFigure(`${name}: requests/s`, starts, 'requestsPerSecond', wholeText);
    printFigure(`${name}: CPU per request, µs`, starts, 'cpuMicroseconds', fineText);
  }
  console.log(`\n${NOTES}`);
}

const wholeText = (value: number): string => Math.round(value).toLocaleString('en');
const fineText = (value: number): string => value.toFixed(2);

function printFigure(
  name: string,
  starts: readonly (readonly Pair[])[],
  figure: keyof Round,
  text: (value: number) => string,
): void {
  const pairs = starts.flat();
  const ratios = starts.map((start) => start.map((pair) => pair.new[figure] / pair.old[figure]));
  const all = ratios.flat();
  const { median: ratio, low, high } = estimate(ratios);
  const difference = `${Math.abs((ratio - 1) * 100).toFixed(1)} % ${ratio > 1 ? 'more' : 'less'}`;
  const seen = low > 1 || high < 1 ? difference : 'no difference seen';
  printLine(
    [
      name,
      text(median(pairs.map((pair) => pair.new[figure]))),
      text(median(pairs.map((pair) => pair.old[figure]))),
      ratio.toFixed(3),
      `${low.toFixed(3)}-${high.toFixed(3)}`,
      `${Math.min(...all).toFixed(2)}-${Math.max(...all).toFixed(2)}`,
    ],
    all.length < ROUNDS_MIN ? 'too few rounds to tell' : seen,
  );
}

function printLine(cells: readonly string[], verdict = ''): void {
  const padded = cells.map((cell, index) => {
    const { width } = COLUMNS[index] as Column;
    return width < 0 ? cell.padEnd(-width) : cell.padStart(width);
  });
  console.log(`${padded.join('')}   ${verdict}`.trimEnd());
}
