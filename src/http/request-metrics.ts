/**
 * Counts and durations of requests, for Prometheus.
 *
 * Kept in plain numbers and converted when they are scraped: prom-client's own counters look up their labels on every
 * observation, which costs more than reading a rule.
 */
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { Call } from './call.ts';

const BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const UNROUTED = 'none';

interface Series {
  readonly labels: { method: string; route: string; status: string };
  count: number;
  seconds: number;
  /** Observations by bucket, not cumulative; the last bucket has no upper bound. */
  readonly buckets: number[];
}

export class RequestMetrics {
  /** By route and status: bounded by the number of routes, since requests without a route share one entry. */
  readonly #series = new Map<string, Map<number, Series>>();

  observe(call: Call, status: number, seconds: number): void {
    const key = call.route === undefined ? UNROUTED : call.route.method + call.route.path;
    let byStatus = this.#series.get(key);
    if (byStatus === undefined) this.#series.set(key, (byStatus = new Map()));
    let series = byStatus.get(status);
    if (series === undefined) byStatus.set(status, (series = newSeries(call, status)));
    series.count++;
    series.seconds += seconds;
    let bucket = 0;
    while (bucket < BUCKETS_SECONDS.length && seconds > (BUCKETS_SECONDS[bucket] as number)) bucket++;
    series.buckets[bucket] = (series.buckets[bucket] as number) + 1;
  }

  register(registry: Registry): void {
    const name = 'switchyard_http_request_duration_seconds';
    const metric = {
      name,
      help: 'Duration of requests of the API, by `method`, `route` and `status`.',
      type: 'histogram',
      aggregator: 'sum',
    };
    registry.registerMetric({
      ...metric,
      get: async () =>
        ({ ...metric, values: this.#values(name) }) as unknown as MetricObjectWithValues<MetricValue<string>>,
    } as never);
  }

  #values(name: string): object[] {
    const values: object[] = [];
    for (const byStatus of this.#series.values()) {
      for (const { labels, count, seconds, buckets } of byStatus.values()) {
        let below = 0;
        for (const [index, le] of BUCKETS_SECONDS.entries()) {
          below += buckets[index] as number;
          values.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: below });
        }
        values.push({ metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count });
        values.push({ metricName: `${name}_sum`, labels, value: seconds });
        values.push({ metricName: `${name}_count`, labels, value: count });
      }
    }
    return values;
  }
}

function newSeries({ route }: Call, status: number): Series {
  return {
    labels: {
      method: route?.method ?? UNROUTED,
      route: route?.path ?? UNROUTED,
      status: status === 0 ? 'aborted' : String(status),
    },
    count: 0,
    seconds: 0,
    buckets: Array.from({ length: BUCKETS_SECONDS.length + 1 }, () => 0),
  };
}
