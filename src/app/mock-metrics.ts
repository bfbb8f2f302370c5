/** Metrics of the answers of mocks and their durations, for Prometheus: the busiest by name, and the rest together. */
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { DataPlaneFigures } from '../serving/shared/messages.ts';
import { SLOW_BUCKETS_MS } from '../serving/shared/slow-requests.ts';

/** Label of the mocks that have none of their own. No id has a "_". */
export const OTHERS = '_others';

type Busiest = DataPlaneFigures['busiest'];
type Values = readonly { readonly labels: object; readonly value: number; readonly metricName?: string }[];

export function registerMockMetrics(registry: Registry, busiest: () => Promise<Busiest>): void {
  const register = (metric: { name: string; help: string; type: string }, valuesOf: (all: Busiest) => Values): void => {
    const declared = { ...metric, aggregator: 'sum' };
    registry.registerMetric({
      ...declared,
      get: async () =>
        ({ ...declared, values: valuesOf(await busiest()) }) as unknown as MetricObjectWithValues<MetricValue<string>>,
    } as never);
  };
  register(
    {
      name: 'switchyard_mock_responses',
      help: 'Requests to mocks since their last reset, by `mock` and `status` (0 without an answer); others as _others.',
      type: 'gauge',
    },
    (all) =>
      all.flatMap(({ mockId, statuses }) =>
        statuses.map(({ status, count }) => ({ labels: { ...labelOf(mockId), status }, value: count })),
      ),
  );
  const name = 'switchyard_mock_request_duration_seconds';
  register(
    {
      name,
      help: 'How long the answers of mocks took, by `mock`, with _others, in whole milliseconds.',
      type: 'histogram',
    },
    (all) => all.flatMap((each) => histogramOf(name, each)),
  );
}

function labelOf(mockId = OTHERS): { readonly mock: string } {
  return { mock: mockId };
}

/** Requests that took less than a millisecond are the rest of all. */
function histogramOf(name: string, { mockId, statuses, slow }: Busiest[number]): Values {
  const labels = labelOf(mockId);
  const slowCount = slow.buckets.reduce((sum, each) => sum + each, 0);
  // A request is counted before it is known to be slow.
  const count = Math.max(
    slowCount,
    statuses.reduce((sum, each) => sum + each.count, 0),
  );
  let below = count - slowCount;
  const bucket = (le: number | string, value: number) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le },
    value,
  });
  return [
    bucket(0.001, below),
    ...SLOW_BUCKETS_MS.map((ms, index) => bucket(ms / 1_000, (below += slow.buckets[index] as number))),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels, value: slow.ms / 1_000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
