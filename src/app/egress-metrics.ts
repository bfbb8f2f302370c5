/** Metrics of the process that reaches out: all 0 while it does not run, and counted from its start. */
import type PromClient from 'prom-client';
import type { Registry } from 'prom-client';
import type { Egress } from '../egress/supervisor/egress.ts';

type Figures = NonNullable<Awaited<ReturnType<Egress['load']>>>;

export function egressFigures({ Counter, Gauge }: typeof PromClient, registry: Registry, egress: Egress): void {
  let query: Promise<Figures | undefined> | undefined;
  /** One query for all metrics of a scrape. */
  const figures = (): Promise<Figures | undefined> => {
    query ??= egress.load().finally(() => {
      query = undefined;
    });
    return query;
  };
  const gauge = (name: string, help: string, read: (found: Figures) => number): void => {
    new Gauge({
      name: `switchyard_${name}`,
      help,
      registers: [registry],
      async collect() {
        const found = await figures();
        this.set(found === undefined ? 0 : read(found));
      },
    });
  };
  const counter = (name: string, help: string, read: (found: Figures) => number): void => {
    new Counter({
      name: `switchyard_${name}`,
      help,
      registers: [registry],
      async collect() {
        const found = await figures();
        this.reset();
        this.inc(found === undefined ? 0 : read(found));
      },
    });
  };
  gauge('recording_bytes', 'What recorded exchanges with upstreams take.', ({ recordingBytes }) => recordingBytes);
  counter(
    'recording_dropped_total',
    'Recorded exchanges with upstreams that were dropped to stay within the bounds.',
    ({ recordingDropped }) => recordingDropped,
  );
  gauge(
    'callbacks_waiting',
    'Callbacks of mocks that wait or are under way.',
    ({ callbacksWaiting }) => callbacksWaiting,
  );
  new Counter({
    name: 'switchyard_callbacks_total',
    help: 'Callbacks of mocks that are over, since the process that sends them was started.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { callbacks = {} } = (await figures()) ?? {};
      this.reset();
      for (const [state, count] of Object.entries(callbacks)) this.inc({ state }, count);
    },
  });
}
