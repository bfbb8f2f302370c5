/** The report of an import or an export as lines for a person. */
import { shownPath } from '../app/read-bundle.ts';
import type { InterchangeReport } from '../client/index.ts';

/** A table of what became of the items. */
export function countLines({ items }: InterchangeReport): string[] {
  const rows = Object.entries(items).map(([kind, { exact, approximated, dropped }]) => [
    kind,
    String(exact),
    String(approximated),
    String(dropped),
  ]);
  return aligned([['', 'exact', 'approximated', 'dropped'], ...rows], 1);
}

/** One line for each message, the dropped first: level, first place, message; and what is only counted. @param path Of the file or folder. */
export function entryLines({ entries, classes, truncated }: InterchangeReport, path: string): string[] {
  const alike = new Map<string, Entry[]>();
  for (const entry of entries.toSorted(byLevel)) {
    const key = `${entry.level} ${entry.message}`;
    const known = alike.get(key);
    if (known === undefined) alike.set(key, [entry]);
    else known.push(entry);
  }
  const rows = [...alike.values()].map(([first, ...others]) => {
    const { level, source, message } = first as Entry;
    return [level, placeOf(source, path), message + andOthers(others.length)];
  });
  const counted = classes
    .filter(({ level }) => level !== 'exact')
    .map(({ level, count, message }) => [level, count === 1 ? '1 member' : `${count} members`, message]);
  return [...aligned([...rows, ...counted], Infinity), ...(truncated ? ['There are more than are listed.'] : [])];
}

type Entry = InterchangeReport['entries'][number];

function byLevel(one: Entry, other: Entry): number {
  return Number(one.level === 'approximated') - Number(other.level === 'approximated');
}

function andOthers(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and in one other place)' : ` (and in ${count} other places)`;
}

function placeOf({ file = '', pointer, line }: Entry['source'], path: string): string {
  const shown = shownPath(path, file);
  return line === undefined ? `${shown} ${pointer}`.trimEnd() : `${shown}:${line}`;
}

/** @param right The first column that is aligned to the right. The last one is not filled up. */
function aligned(rows: readonly (readonly string[])[], right: number): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column >= right ? cell.padStart(width) : column === row.length - 1 ? cell : cell.padEnd(width);
      })
      .join('  '),
  );
}
