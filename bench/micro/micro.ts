/**
 * What the hot functions cost, alone: `npm run bench:micro [-- name ...]`.
 *
 * Figures of one run on one machine: they say how a cost grows, and where to look. Whether a change is faster as a whole,
 * `npm run bench:compare` tells. The sources run through tsx: as tsc compiles them, no difference was seen.
 */
import { printTable } from '../report.ts';
import { measure, type Effort, type Measured } from './measure.ts';
import { functionNames, loadFunction } from './micro-function.ts';

const EFFORT: Effort = {
  rounds: 5,
  milliseconds: 50,
  warmUpMilliseconds: 100,
  samplesMin: 3,
  batchMilliseconds: 0.05,
  sizeMax: Infinity,
};

const HEAD = ['', 'calls/s', 'ns per call', 'rounds', 'relative'];
const NOTES = `ns per call  median of the rounds, and in each of its batches of calls; calls/s is its inverse
rounds       the lowest and the highest of them, over the median
relative     to the smallest size of the same round, median`;

const asked = process.argv.slice(2);
for (const name of asked.length > 0 ? asked : functionNames()) {
  const measured = await loadFunction(name);
  const rows = await measure(measured, EFFORT);
  printTable({ title: name, head: HEAD, rows: rows.map((row) => cells(row, measured.UNIT)) });
}
console.log(`\n${NOTES}`);
process.exit();

function cells({ name, size, nanoseconds, range, relative }: Measured, unit: string): string[] {
  return [
    `  ${name}, ${size.toLocaleString('en')} ${unit}`,
    Math.round(1e9 / nanoseconds).toLocaleString('en'),
    nanoseconds.toLocaleString('en', { maximumSignificantDigits: 3 }),
    range.map((limit) => (limit / nanoseconds).toFixed(2)).join('-'),
    relative.toFixed(2),
  ];
}
