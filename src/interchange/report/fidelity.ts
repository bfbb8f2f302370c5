/** What an import or an export lost, in numbers: of items, and of members that are counted in classes. */
import type { Report } from './report.ts';

export interface Fidelity {
  readonly approximated: number;
  readonly dropped: number;
}

export function fidelityOf({ items, classes }: Pick<Report, 'items' | 'classes'>): Fidelity {
  const sum = { approximated: 0, dropped: 0 };
  for (const { approximated, dropped } of Object.values(items)) {
    sum.approximated += approximated;
    sum.dropped += dropped;
  }
  for (const { level, count } of classes) if (level !== 'exact') sum[level] += count;
  return sum;
}
