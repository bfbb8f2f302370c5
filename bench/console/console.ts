/**
 * What the console costs, and how quick it is: `npm run bench:console`. Prints each figure beside its budget.
 *
 * Owns the command line; server-cost.ts measures the server, screens.ts what a person waits for, in an installed Chromium.
 */
import { Command, InvalidArgumentError } from 'commander';
import { endAll } from '../processes.ts';
import { printTable, progress } from '../report.ts';
import { measureHeap, measureRoutes, measureRows, measureScroll } from './screens.ts';
import type { ConsoleOptions, Figure } from './figure.ts';
import { measureStart, measureWatching } from './server-cost.ts';

const FIGURES: Readonly<Record<string, (options: ConsoleOptions) => Promise<readonly Figure[]>>> = {
  rows: measureRows,
  scroll: measureScroll,
  routes: measureRoutes,
  heap: measureHeap,
  watching: measureWatching,
  start: measureStart,
};

const { only, ...options } = new Command('npm run bench:console --')
  .option('--only <name,...>', `some of ${Object.keys(FIGURES).join(', ')}`, known, Object.keys(FIGURES))
  .option('--minutes <n>', 'of traffic at full rate, for the heap; 10 for the budget', Number, 1)
  .option('--tiny', 'seconds in all: shows that it works, measures nothing', false)
  .parse()
  .opts<ConsoleOptions & { readonly only: readonly string[] }>();

for (const name of only) {
  progress(name);
  try {
    printFigures(await FIGURES[name]?.(options));
  } catch (error) {
    console.log(`\nfailed: ${name}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
  await endAll();
}
// The browser and the load generator end with this process.
process.exit();

function known(value: string): string[] {
  const names = value.split(',');
  const unknown = names.find((name) => !(name in FIGURES));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`not one of ${Object.keys(FIGURES).join(', ')}: ${unknown}`);
  return names;
}

function printFigures(figures: readonly Figure[] = []): void {
  printTable({
    title: '',
    head: ['', 'measured', 'budget', '', ''],
    rows: figures.map(({ what, unit, value, budget, remark = '' }) => {
      const verdict = value <= budget ? 'met' : 'missed';
      return [what, `${value.toPrecision(3)} ${unit}`, `${budget} ${unit}`, verdict, remark];
    }),
  });
}
