/** A report in few words: for agents, and for scripts that read what a command prints. */
import { skippedIn } from './fidelity.ts';
import type { Report, ReportEntry } from './report.ts';

const NAMES_SHOWN = 20;

/** Lists the inexact parts of a file, by message. Nothing where all is. */
export function briefReport({ format, version, items, entries, classes, instead, truncated }: Report): object {
  const groups = new Map<string, ReportEntry[]>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.code, entry.level, entry.message]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const listed = [...groups.values()].map((of) => {
    const [{ code, level, message }] = of as [ReportEntry];
    const names = of.map(({ name, item, source }) => name ?? `${item} at ${source.pointer}`);
    const more = names.length > NAMES_SHOWN ? [`and ${names.length - NAMES_SHOWN} more`] : [];
    return { level, message, instead: instead[code], at: [...names.slice(0, NAMES_SHOWN), ...more] };
  });
  const counted = classes
    .filter(({ level }) => level !== 'exact')
    .map(({ code, level, message, count, first = [] }) => {
      const places = first.map(({ file = '', pointer }) => file + pointer);
      return { level, message, instead: instead[code], count, ...(places.length === 0 ? {} : { at: places }) };
    });
  const read = version === undefined ? format : `${format} ${version}`;
  const found = [...listed, ...counted];
  const [skipped] = skippedIn(classes).map(({ count, message }) => ({ skipped: { count, message } }));
  return { read, items, ...(found.length > 0 && { notExact: found }), ...skipped, ...(truncated && { truncated }) };
}
