/** The report of an import of rules, with what the owner's records decided about those of the file. */
import type { ImportNote, RecordOutcome } from '../../model/decide-import-rules.ts';
import { CODES, type Code } from './codes.ts';
import { LEVELS, type Level } from '../codes/facts.ts';
import type { RulesImport } from '../import-rules.ts';
import { classOf, EntryList, insteadOf, type LevelCounts, type Report, type ReportEntry } from './report.ts';

const NOTE_CODES: Readonly<Record<ImportNote, Code>> = {
  refused: 'rules.refused',
  limit: 'rules.limit',
  skipped: 'rules.skipped',
  inactive: 'rules.inactive',
  newId: 'rules.new-id',
  repeatedId: 'rules.repeated-id',
  ungrouped: 'rules.ungrouped',
};
/** Choices of the client, which concern many records alike: counted, not listed. */
const COUNTED: ReadonlySet<ImportNote> = new Set(['skipped', 'inactive']);

/** @param outcomes Of the records, in their order. */
export function reportOutcomes({ records, report }: RulesImport, outcomes: readonly RecordOutcome[]): Report {
  const items = Object.fromEntries(
    Object.entries(report.items).map(([name, counts]) => [name, { ...counts }]),
  ) as Record<string, LevelCounts>;
  const entries = new EntryList();
  for (const entry of report.entries) entries.add(entry);
  const classes = new Map(report.classes.map(({ code, count }) => [code, count]));
  for (const [index, { kind, source, level: before }] of records.entries()) {
    const { notes, details } = outcomes[index] as RecordOutcome;
    let level: Level = before;
    for (const note of notes) {
      const code = NOTE_CODES[note];
      const { level: noted, itemLevel, text } = CODES[code];
      if (LEVELS.indexOf(itemLevel) > LEVELS.indexOf(level)) level = itemLevel;
      if (COUNTED.has(note)) classes.set(code, (classes.get(code) ?? 0) + 1);
      else {
        const [detail] = note === 'refused' || note === 'limit' ? (details ?? []) : [];
        const message = detail === undefined ? text : `${text}: ${detail.message}`;
        entries.add({ level: noted as ReportEntry['level'], code, item: kind, source, message });
      }
    }
    const counts = items[`${kind}s`] as LevelCounts;
    counts[before]--;
    counts[level]++;
  }
  const counted = [...classes].map(([code, count]) => classOf(code, count));
  return {
    ...report,
    items,
    entries: entries.all,
    classes: counted,
    instead: insteadOf(entries.all, counted),
    truncated: report.truncated || entries.isTruncated,
  };
}
