/** A latency in words. */
import type { Latency } from '../../../model/mocks/definition.ts';

export function latencyWords(latency: Latency): string {
  if (typeof latency === 'number') return `${latency} ms`;
  return isRange(latency) ? `${latency.min} to ${latency.max} ms` : `${JSON.stringify(latency)} ms`;
}

/** Whether it is drawn evenly between two bounds. */
export function isRange(latency: Latency): latency is { min: number; max: number } {
  return typeof latency === 'object' && Object.keys(latency).toSorted().join() === 'max,min';
}
