/** Metrics of requests to upstreams and how they end, for Prometheus. Counters begin anew with the process that sends it. */
import type PromClient from 'prom-client';
import type { Registry } from 'prom-client';
import { HEAD_BUCKETS_MS } from '../egress/forward/upstream-figures.ts';
import type { EgressFigures } from '../egress/process/questions.ts';
import type { Egress } from '../egress/supervisor/egress.ts';

type Values = readonly { readonly labels: Readonly<Record<string, string | number>>; readonly value: number }[];

export function registerEgressMetrics(
  { Counter, Gauge }: typeof PromClient,
  registry: Registry,
  egress: Pick<Egress, 'figures' | 'ask'>,
): void {
  let asked: Promise<EgressFigures | undefined> | undefined;
  /** One question for all metrics of a scrape. What does not answer has no figures. */
  const figures = (): Promise<EgressFigures | undefined> => {
    asked ??= egress.ask('figures', null).finally(() => (asked = undefined));
    return asked;
  };
  const register = (
    Kind: typeof Counter | typeof Gauge,
    name: string,
    help: string,
    valuesOf: (from: EgressFigures | undefined) => Values,
  ): void => {
    const [first] = LABELS[name] ?? [];
    new Kind({
      name: `switchyard_${name}`,
      help,
      labelNames: first === undefined ? [] : [first],
      registers: [registry],
      async collect() {
        const values = valuesOf(await figures());
        this.reset();
        for (const { labels, value } of values) this.inc(labels, value);
      },
    });
  };
  const one = (value: number): Values => [{ labels: {}, value }];
  register(
    Gauge,
    'egress_up',
    '1 while the egress process runs, which reaches upstreams and has the gateway; 0 before it is needed.',
    () => one(egress.figures?.isUp === true ? 1 : 0),
  );
  register(
    Counter,
    'egress_restarts_total',
    'Restarts of the process that reaches upstreams; the counters of upstreams and of the gateway begin anew with it.',
    () => one(egress.figures?.restarts ?? 0),
  );
  register(
    Counter,
    'egress_requests_total',
    'Requests to upstreams, by `kind`: mock, callback, drift, gateway.',
    (from) => (from?.requests ?? []).map(({ kind, count }) => ({ labels: { kind }, value: count })),
  );
  register(Gauge, 'egress_in_flight', 'Requests to upstreams in flight.', (from) =>
    (from?.requests ?? []).map(({ kind, inFlight }) => ({ labels: { kind }, value: inFlight })),
  );
  register(
    Counter,
    'egress_errors_total',
    'Requests that no upstream answered, by `reason`, as the header x-switchyard-error has it.',
    (from) => Object.entries(from?.errors ?? {}).map(([reason, value]) => ({ labels: { reason }, value })),
  );
  register(Counter, 'egress_refused_addresses_total', 'Requests to addresses that are not allowed.', (from) =>
    one(from?.errors.addressRefused ?? 0),
  );
  register(Gauge, 'egress_connections', 'Open connections, by `side`: upstream, thread.', (from) => [
    { labels: { side: 'upstream' }, value: from?.connections ?? 0 },
    { labels: { side: 'thread' }, value: from?.threads ?? 0 },
  ]);
  register(Gauge, 'recording_bytes', 'Memory of recorded exchanges with upstreams.', (from) =>
    one(from?.recordingBytes ?? 0),
  );
  register(
    Counter,
    'recording_dropped_total',
    'Recorded exchanges with upstreams dropped to stay within the limits.',
    (from) => one(from?.recordingDropped ?? 0),
  );
  register(Gauge, 'callbacks_waiting', 'Callbacks of mocks waiting or in flight.', (from) =>
    one(from?.callbacksWaiting ?? 0),
  );
  register(
    Counter,
    'callbacks_total',
    'Callbacks of mocks that are over, by `state`, since the start of that process.',
    (from) => Object.entries(from?.callbacks ?? {}).map(([state, value]) => ({ labels: { state }, value })),
  );
  registerSeconds(registry, figures);
}

const LABELS: Readonly<Record<string, readonly [string]>> = {
  egress_requests_total: ['kind'],
  egress_in_flight: ['kind'],
  egress_errors_total: ['reason'],
  egress_connections: ['side'],
  callbacks_total: ['state'],
};

/** A histogram whose observations are made elsewhere. */
function registerSeconds(registry: Registry, figures: () => Promise<EgressFigures | undefined>): void {
  const name = 'switchyard_egress_upstream_seconds';
  const declared = { name, help: 'Time to the response head.', type: 'histogram', aggregator: 'sum' };
  const get = async (): Promise<object> => {
    const { heads } = (await figures()) ?? {};
    let below = 0;
    const bucket = (le: number | string, value: number): object => ({
      metricName: `${name}_bucket`,
      labels: { le },
      value,
    });
    const values = [
      ...HEAD_BUCKETS_MS.map((ms, index) => bucket(ms / 1_000, (below += heads?.buckets[index] ?? 0))),
      bucket('+Inf', heads?.count ?? 0),
      { metricName: `${name}_sum`, labels: {}, value: (heads?.ms ?? 0) / 1_000 },
      { metricName: `${name}_count`, labels: {}, value: heads?.count ?? 0 },
    ];
    return { ...declared, values };
  };
  registry.registerMetric({ ...declared, get } as never);
}
