/** The report on the terminal: tables of text, and the targets at the end, where the eye is. */
import type { SectionResult, Table, TargetResult } from '../section.ts';
import { ratioText } from './spread.ts';

export function printReport(sections: readonly SectionResult[]): void {
  for (const { tables } of sections) for (const table of tables) printTable(table);
  const targets = sections.flatMap((section) => section.targets);
  if (targets.length > 0) printTable(targetTable(targets));
}

function targetTable(targets: readonly TargetResult[]): Table {
  return {
    title: 'targets',
    head: ['', 'ratio', 'wanted', '', ''],
    rows: targets.map(({ target, scenario, ratio, wanted, verdict, remark = '' }) => [
      `${target}: ${scenario}`,
      ratio === undefined ? '' : ratioText(ratio),
      wanted,
      verdict,
      remark,
    ]),
  };
}

/** The first column is text; the last cell of a row that is shorter than the head may be as long as it likes. */
function printTable({ title, head, rows }: Table): void {
  const heading = [title, ...head.slice(1)];
  const widths = heading.map((cell, column) =>
    Math.max(
      ...[heading, ...rows].map((row) =>
        row.length === heading.length || column === 0 ? (row[column] ?? '').length : 0,
      ),
      cell.length,
    ),
  );
  const lines = [heading, ...rows].map((row) =>
    row
      .map((cell, column) =>
        column === 0 || row.length < heading.length
          ? cell.padEnd(widths[column] as number)
          : cell.padStart(widths[column] as number),
      )
      .join('  ')
      .trimEnd(),
  );
  console.log(`\n${lines.join('\n')}`);
}
