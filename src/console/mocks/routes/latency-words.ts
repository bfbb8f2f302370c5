/** The forms of a latency, and a latency in words. */
import type { Latency } from '../../../model/mocks/definition/definition.ts';

/** `even`: one number, or any between two. */
export type LatencyForm = 'even' | 'normal' | 'lognormal' | 'percentiles';

/** While one types, members may be texts, and an even one a text itself. */
export function latencyForm(latency: Latency): LatencyForm {
  if (typeof latency !== 'object') return 'even';
  if ('percentiles' in latency) return 'percentiles';
  if ('mean' in latency) return 'normal';
  return 'median' in latency ? 'lognormal' : 'even';
}

export function latencyWords(latency: Latency): string {
  if (typeof latency !== 'object') return `${latency} ms`;
  if ('percentiles' in latency) {
    const points = Object.entries(latency.percentiles ?? {}).toSorted(([one], [other]) => Number(one) - Number(other));
    return `by percentile: ${points.map(([percentile, ms]) => `${percentile} % ${ms} ms`).join(', ')}`;
  }
  if ('mean' in latency) {
    const { mean, deviation, min, max } = latency;
    return `normal, mean ${mean} ms, deviation ${deviation} ms${bound('least', min)}${bound('most', max)}`;
  }
  if ('median' in latency) {
    return `lognormal, median ${latency.median} ms, sigma ${latency.sigma}${bound('most', latency.max)}`;
  }
  return `${latency.min} to ${latency.max} ms`;
}

const bound = (side: 'least' | 'most', ms: number | undefined): string =>
  ms === undefined ? '' : `, at ${side} ${ms} ms`;
