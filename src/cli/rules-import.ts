/** `switchyard rules import`: what an import of rules came to, as lines for a person. */
import type { ImportedRules } from '../client/index.ts';
import { printable } from './print.ts';

export function isRefused({ records }: ImportedRules): boolean {
  return records.some(({ result }) => result === 'refused');
}

/** The file, what became of its records, and what is not exact. */
export function importLines({ records, report }: ImportedRules, isDryRun: boolean): string[] {
  const { format, detectedBy, entries, classes, instead, truncated } = report;
  const lines = [`${format}, by ${detectedBy}`];
  for (const kind of ['rule', 'group'] as const) {
    const counts = new Map<string, number>();
    for (const record of records) {
      if (record.kind === kind) counts.set(record.result, (counts.get(record.result) ?? 0) + 1);
    }
    if (counts.size > 0)
      lines.push(`${kind}s: ${[...counts].map(([result, count]) => `${count} ${result}`).join(', ')}`);
  }
  if (records.length === 0) lines.push('There are no rules in it.');
  if (isDryRun) lines.push('Nothing is stored: this was a dry run.');

  const counted = classes.filter(({ level }) => level !== 'exact');
  if (entries.length + counted.length > 0) lines.push('', 'Not exact:');
  for (const { code, count } of counted) lines.push(`- ${COUNTED[code] ?? code}: ${count}`);
  for (const { source, name, message } of entries.slice(0, ENTRIES_SHOWN_MAX)) {
    const line = source.line === undefined ? '' : ` (line ${source.line})`;
    const of = name === undefined ? '' : ` "${name}"`;
    lines.push(`- ${source.pointer === '' ? 'the file' : source.pointer}${line}${of}: ${message}`);
  }
  if (entries.length > ENTRIES_SHOWN_MAX || truncated) {
    lines.push(`and ${truncated ? 'many' : entries.length - ENTRIES_SHOWN_MAX} more: --json prints them`);
  }
  const advice = new Set(Object.values(instead));
  if (advice.size > 0) lines.push('', 'What to do instead:', ...[...advice].map((text) => `- ${text}.`));
  return lines.map(printable);
}

const ENTRIES_SHOWN_MAX = 20;

/** Codes that are counted, not listed. */
const COUNTED: Readonly<Record<string, string>> = {
  'rules.inactive': 'active in the file, and imported as inactive (--activate keeps the status)',
  'rules.skipped': 'left as they are',
};
