/** The entries of a report of an import or an export, as they are listed. */
import type { MockExport } from '../../../client/shapes.ts';

export type Report = MockExport['report'];
export type Entry = Report['entries'][number];
/** "" is any. */
export type LevelFilter = '' | Entry['level'];

/** @param text Searched in what is said of the entry, ignoring case. */
export function filterEntries(entries: readonly Entry[], level: LevelFilter, text: string): readonly Entry[] {
  const wanted = text.trim().toLowerCase();
  return entries.filter(
    (entry) =>
      (level === '' || entry.level === level) &&
      (wanted === '' || `${entry.message} ${entry.code} ${placeOf(entry)}`.toLowerCase().includes(wanted)),
  );
}

/** "api.yaml, line 12: /paths/~1users" */
export function placeOf({ source: { file, line, pointer } }: Entry): string {
  const where = [file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined).join(', ');
  return [where, pointer].filter((part) => part !== '').join(': ');
}

export interface CountRow {
  /** "routes". */
  readonly kind: string;
  readonly exact: number;
  readonly approximated: number;
  readonly dropped: number;
}

/** A row for each kind of item that there is. */
export const countRows = ({ items }: Report): readonly CountRow[] =>
  Object.entries(items).map(([kind, counts]) => ({ kind, ...counts }));

/** "2 dropped, 14 approximated", or that all is exact: of items, each at its worst. */
export function summaryOf(report: Report): string {
  const sum = (level: 'approximated' | 'dropped'): number =>
    countRows(report).reduce((total, row) => total + row[level], 0);
  const parts = [
    [sum('dropped'), 'dropped'],
    [sum('approximated'), 'approximated'],
  ].filter(([count]) => (count as number) > 0);
  return parts.length === 0 ? 'everything exact' : parts.map((part) => part.join(' ')).join(', ');
}
