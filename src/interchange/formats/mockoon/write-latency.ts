/** Latencies as Mockoon has them: one number. */
import type { Latency } from '../../../model/mocks/definition/definition.ts';
import type { Item } from '../../report/report.ts';

/** The middle of a distribution. */
export function latencyOf(latency: Latency, item: Item): number {
  if (typeof latency === 'number') return latency;
  item.note('mockoon-export.latency');
  if ('mean' in latency) return Math.round(latency.mean);
  if ('median' in latency) return Math.round(latency.median);
  if ('percentiles' in latency) return Math.round(Object.values(latency.percentiles)[0] ?? 0);
  return Math.round((latency.min + latency.max) / 2);
}
