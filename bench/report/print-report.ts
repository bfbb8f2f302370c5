/** The report on the terminal: tables of text, and the targets at the end, where the eye is. */
import type { SectionResult, Spread, Table, TargetResult } from '../section.ts';
import { ratioText } from './spread.ts';

export function printReport(sections: readonly SectionResult[]): void {
  for (const { tables } of sections) for (const table of tables) printTable(table);
  const targets = sections.flatMap((section) => section.targets);
  if (targets.length > 0) printTable(targetTable(targets));
}

function targetTable(targets: readonly TargetResult[]): Table {
  const optional = (spread: Spread | undefined) => (spread === undefined ? '' : ratioText(spread));
  return {
    title: 'targets',
    head: ['', 'wanted', 'ratio', 'of rates', 'verdict', ''],
    rows: targets.map(({ target, scenario, wanted, ratio, rate, verdict, remark = '' }) => [
      `${target}: ${scenario}`,
      wanted,
      optional(ratio),
      optional(rate),
      verdict,
      remark,
    ]),
  };
}

/** Text is on the left: the first column, and all of a row that is shorter than the head. */
function printTable({ title, head, rows }: Table): void {
  const heading = [title, ...head.slice(1)];
  const lines = [heading, ...rows];
  const isText = (row: readonly string[]) => row.length < heading.length;
  const widths = heading.map((_, column) =>
    Math.max(...lines.map((row) => (isText(row) && column > 0 ? 0 : (row[column] ?? '').length))),
  );
  console.log('');
  for (const row of lines) {
    const cells = row.map((cell, column) => {
      const width = widths[column] as number;
      return column === 0 || isText(row) ? cell.padEnd(width) : cell.padStart(width);
    });
    console.log(cells.join('  ').trimEnd());
  }
}
