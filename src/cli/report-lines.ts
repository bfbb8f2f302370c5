/** The report of an import or an export as lines for a person. */
import { shownPath } from '../app/read-bundle.ts';
import type { InterchangeReport } from '../client/index.ts';
import { fidelityOf, fidelityText, skippedIn } from '../interchange/report/fidelity.ts';

/** A table of what became of the items, and their sum. */
export function countLines({ items, classes }: InterchangeReport): string[] {
  const others = fidelityOf({ items: {}, classes });
  const rows = [
    ...Object.entries(items),
    ...(others.approximated + others.dropped === 0 ? [] : [['others', { exact: 0, ...others }] as const]),
  ].map(([kind, { exact, approximated, dropped }]) => [kind, ...[exact, approximated, dropped].map(String)]);
  const sum = fidelityText(fidelityOf({ items, classes }));
  return [...aligned([['items', 'exact', 'approximated', 'dropped'], ...rows], 1), '', sum];
}

/**
 * One line for each message, the dropped first: level, first place, item, message; and what is only counted. Below those of a code stands
 * what to do instead.
 *
 * @param path Of the file or folder.
 */
export function entryLines({ entries, classes, instead, truncated }: InterchangeReport, path: string): string[] {
  const groups = new Map<string, Group>();
  for (const { level, code, name, source, message } of entries) {
    const { places, last } = groupOf(groups, level, code);
    const text = name === undefined ? message : `${name}: ${message}`;
    const before = last.get(message);
    const known = places.get(text) ?? (before?.count === PLACES_SHOWN_MAX ? before.shown : undefined);
    if (known !== undefined) known.others++;
    else {
      const shown = { place: placeOf(source, path), others: 0 };
      places.set(text, shown);
      last.set(message, { shown, count: (before?.count ?? 0) + 1 });
    }
  }
  for (const { level, code, count, message, first: [first] = [] } of classes) {
    const items = count === 1 ? '1 item' : `${count} items`;
    const place = first === undefined ? items : `${items}, ${placeOf(first, path)}`;
    if (level !== 'exact') groupOf(groups, level, code).places.set(message, { place, others: 0 });
  }
  const ordered = [...groups.values()].toSorted(byLevel);
  const lines = aligned(
    ordered.flatMap(({ level, places }) =>
      [...places].map(([text, { place, others }]) => [level, place, text + andOthers(others)]),
    ),
    Infinity,
  );
  const shown = ordered.flatMap(({ code, places }) => {
    const advice = instead[code];
    return [...lines.splice(0, places.size), ...(advice === undefined ? [] : [`  Instead: ${advice}.`])];
  });
  const skipped = skippedIn(classes).map(({ count, message }) => `${count} × ${message}`);
  return [...shown, ...skipped, ...(truncated ? ['There are more than are listed.'] : [])];
}

type Entry = InterchangeReport['entries'][number];

/** Items that are listed with the same message. */
const PLACES_SHOWN_MAX = 10;

interface PlaceLine {
  readonly place: string;
  /** Further places of the same, which are only counted. */
  others: number;
}

/** Lines of a report with the same code. */
interface Group {
  readonly level: Entry['level'];
  readonly code: Entry['code'];
  /** The first place of each item and message. */
  readonly places: Map<string, PlaceLine>;
  /** The last place that is shown of each message, and how many are. */
  readonly last: Map<string, { readonly shown: PlaceLine; readonly count: number }>;
}

function groupOf(groups: Map<string, Group>, level: Group['level'], code: Group['code']): Group {
  const group = groups.get(code) ?? { level, code, places: new Map(), last: new Map() };
  groups.set(code, group);
  return group;
}

function byLevel(one: Group, other: Group): number {
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
