/** The figures as a table of text. */
import type { Figure } from './compare.ts';

export interface Row extends Omit<Figure, 'ratioRange'> {
  readonly name: string;
  readonly unit: '/s' | 'µs' | 'B';
  readonly ratioRange?: Figure['ratioRange'];
  /** The ratio that is wanted at least. */
  readonly aim?: number;
  /** Processor seconds per second of the two servers. */
  readonly busy?: readonly [number, number];
}

const HEAD = ['', 'measured', 'against', 'ratio', 'rounds', 'aim', 'busy'];

export function printTable(rows: readonly Row[]): void {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  for (const line of lines) {
    const padded = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
    );
    console.log(padded.join('  ').trimEnd());
  }
  console.log(`
measured  the service (list: the deep page; resident: bytes of memory)
against   a raw uWebSockets.js app with the same replies and the same durable puts (list: the first page; resident: JSON)
ratio     median over pairs of rounds; of requests/s measured to against, of CPU against to measured: more is better.
          Of memory, measured to against: less is better
rounds    lowest and highest ratio of any pair of rounds
busy      CPU seconds per second of both servers; well below 100 %, the load generator was the limit, and CPU tells more`);
}

function cells({ name, unit, measured, against, ratio, ratioRange, aim, busy }: Row): string[] {
  return [
    name,
    amount(measured, unit),
    amount(against, unit),
    ratio.toFixed(2),
    ratioRange === undefined ? '' : ratioRange.map((value) => value.toFixed(2)).join('-'),
    aim === undefined ? '' : `>= ${aim}`,
    busy === undefined ? '' : busy.map((value) => `${Math.round(value * 100)} %`).join(' / '),
  ];
}

function amount(value: number, unit: Row['unit']): string {
  const digits = unit === 'µs' ? 1 : 0;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text} ${unit}`;
}
