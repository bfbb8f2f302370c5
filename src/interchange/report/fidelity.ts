/** Losses of an import or an export, in items of the source: of the mock, and of classes that are not counted among them. */
import type { Report } from './report.ts';

interface Fidelity {
  readonly approximated: number;
  readonly dropped: number;
}

export function fidelityOf({ items, classes }: Pick<Report, 'items' | 'classes'>): Fidelity {
  const sum = { approximated: 0, dropped: 0 };
  for (const { approximated, dropped } of Object.values(items)) {
    sum.approximated += approximated;
    sum.dropped += dropped;
  }
  for (const { level, count, ofItems } of classes) if (level !== 'exact' && ofItems !== true) sum[level] += count;
  return sum;
}

/** "4 items approximated, 1 dropped" */
export function fidelityText({ approximated, dropped }: Fidelity): string {
  return `${approximated} ${approximated === 1 ? 'item' : 'items'} approximated, ${dropped} dropped`;
}

/** Whether something is dropped: an item, or a part of one that stays. */
export function isLossy({ items, entries, classes }: Pick<Report, 'items' | 'entries' | 'classes'>): boolean {
  return (
    Object.values(items).some(({ dropped }) => dropped > 0) ||
    [...entries, ...classes].some(({ level }) => level === 'dropped')
  );
}

/** Files that are skipped have no effect on answers, and are shown nevertheless. */
export function skippedIn<Class extends Pick<Report['classes'][number], 'level' | 'first'>>(
  classes: readonly Class[],
): readonly Class[] {
  return classes.filter(({ level, first }) => level === 'exact' && first !== undefined);
}
