/** Rows of a fidelity report. */
import type { ImportedRules, MockExport } from '../../client/shapes.ts';
import { countText } from './words.ts';

export type Report = MockExport['report'];
export type Level = Report['entries'][number]['level'] | 'refused';

/** An entry, or a count of members. */
export interface ReportRow {
  readonly level: Level;
  /** "GET /cookie, response 4", "route", or "3 items". */
  readonly what: string;
  /** "api.yaml, line 12"; "" if unknown. */
  readonly file: string;
  /** A JSON pointer; "" for the whole file, and for counts. */
  readonly pointer: string;
  readonly message: string;
  readonly code: string;
  /** The alternative; "" for none. */
  readonly instead: string;
}

/** Dropped entries come first. */
export function reportRows({ entries, classes, instead }: Report): readonly ReportRow[] {
  const listed = entries.map(({ level, item, name, source, message, code }) => ({
    level,
    what: name ?? item,
    file: fileOf(source),
    pointer: source.pointer,
    message,
    code,
    instead: instead[code] ?? '',
  }));
  const counted = classes.flatMap(({ level, count, message, code, first = [] }): ReportRow[] => {
    if (level === 'exact') return [];
    return [
      {
        level,
        what: countText(count, 'item'),
        file: first.map(fileOf).join('; '),
        pointer: first[0]?.pointer ?? '',
        message,
        code,
        instead: instead[code] ?? '',
      },
    ];
  });
  return [...listed, ...counted].toSorted((one, other) => orderOf(one) - orderOf(other));
}

/** @param level undefined for any. @param text Matched in any case. */
export function filterRows(rows: readonly ReportRow[], level: Level | undefined, text: string): readonly ReportRow[] {
  const wanted = text.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (level === undefined || row.level === level) &&
      (wanted === '' || Object.values(row).join(' ').toLowerCase().includes(wanted)),
  );
}

interface CountRow {
  /** "routes" */
  readonly kind: string;
  readonly exact: number;
  readonly approximated: number;
  readonly dropped: number;
}

/** One row per kind of item in the report. */
export const countRows = ({ items }: Report): readonly CountRow[] =>
  Object.entries(items).map(([kind, counts]) => ({ kind, ...counts }));

/** "2 items dropped, 14 items approximated", or that all is exact. */
export function summaryOf(report: Report): string {
  const parts = (['dropped', 'approximated'] as const).flatMap((level) => {
    const ofItems = countRows(report).reduce((sum, row) => sum + row[level], 0);
    const ofClasses = report.classes.reduce(
      (sum, each) => sum + (each.level === level && each.ofItems !== true ? each.count : 0),
      0,
    );
    const count = ofItems + ofClasses;
    return count === 0 ? [] : [`${countText(count, 'item')} ${level}`];
  });
  return parts.length === 0 ? 'everything exact' : parts.join(', ');
}

const fileOf = ({ file, line }: Report['entries'][number]['source']): string =>
  [file, line === undefined ? undefined : `line ${line}`].filter((part) => part !== undefined).join(', ');

/** Refused records, with reasons. */
export const refusedRows = (records: ImportedRules['records']): readonly ReportRow[] =>
  records.flatMap(({ result, kind, source, details = [] }): readonly ReportRow[] => {
    if (result !== 'refused') return [];
    const reasons = details.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const message = reasons || 'too many problems to list';
    return [
      {
        level: 'refused',
        what: kind,
        file: fileOf(source),
        pointer: source.pointer || '/',
        message,
        code: '',
        instead: '',
      },
    ];
  });

const orderOf = ({ level }: ReportRow): number => (level === 'dropped' ? 0 : 1);
