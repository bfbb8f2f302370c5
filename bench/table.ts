/** The figures as a table of text. */
import type { Figure } from './compare.ts';

/** A figure that is held against nothing has no ratio. */
export interface Row extends Partial<Figure> {
  readonly name: string;
  readonly measured: number;
  readonly unit: '/s' | 'µs' | 'ms' | 'B';
  /** The ratio that is wanted at least. */
  readonly aim?: number;
  /** The ratio that is wanted at most. */
  readonly ratioAtMost?: number;
  /** The most that is wanted, in `unit`. */
  readonly atMost?: number;
  /** Processor seconds per second of the two servers. */
  readonly busy?: readonly [number, number];
}

export const HEAD = ['', 'measured', 'against', 'ratio', 'rounds', 'aim', 'busy'];

/** @param notes What the columns hold. */
export function printTable(rows: readonly Row[], notes: string): void {
  const lines = [HEAD, ...rows.map((row) => cells(row))];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  for (const line of lines) {
    const padded = line.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
    );
    console.log(padded.join('  ').trimEnd());
  }
  console.log(`\n${notes}`);
}

/** In the order of HEAD. */
export function cells(row: Row): string[] {
  const { name, unit, measured, against, ratio, ratioRange, busy } = row;
  return [
    name,
    amount(measured, unit),
    against === undefined ? '' : amount(against, unit),
    ratio === undefined ? '' : ratioText(ratio),
    ratioRange === undefined ? '' : ratioRange.map(ratioText).join('-'),
    aimText(row),
    busy === undefined ? '' : busy.map((value) => `${Math.round(value * 100)} %`).join(' / '),
  ];
}

/** Two digits behind the point, or two that are not zero: of a round that stalled. */
function ratioText(ratio: number): string {
  return ratio >= 0.1 ? ratio.toFixed(2) : ratio.toPrecision(2);
}

/** What is wanted of a row; empty where nothing is. */
export function aimText({
  aim,
  ratioAtMost,
  atMost,
  unit,
}: Pick<Row, 'aim' | 'ratioAtMost' | 'atMost' | 'unit'>): string {
  if (atMost !== undefined) return `<= ${amount(atMost, unit)}`;
  if (ratioAtMost !== undefined) return `<= ${ratioAtMost}`;
  return aim === undefined ? '' : `>= ${aim}`;
}

function amount(value: number, unit: Row['unit']): string {
  const digits = unit === 'µs' || unit === 'ms' ? 1 : 0;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${text} ${unit}`;
}
