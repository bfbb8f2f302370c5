/** What `/metrics` tells of every part, in prom-client's registry. Figures are read when someone scrapes, and cost nothing else. */
import { createRequire } from 'node:module';
import type PromClient from 'prom-client';
import type { Registry } from 'prom-client';
import type { RequestMetrics } from './http/request-metrics.ts';
import { LOAD_LEVELS, type LoadWatch } from './http/load-watch.ts';
import type { HttpServer } from './http/server.ts';
import { METRICS_MOCKS_MAX } from './limits.ts';
import type { OwnerDirectory } from './owners/owner-directory.ts';
import type { DataPlaneFigures } from './serving/protocol.ts';
import type { DataPlane } from './serving/plane/supervisor.ts';
import type { ScheduleFigures } from './snapshot-schedule.ts';
import type { Store } from './store/store.ts';

export interface Measured {
  readonly requests: RequestMetrics;
  readonly http: HttpServer;
  readonly load: LoadWatch;
  readonly owners: OwnerDirectory;
  readonly store: Store;
  readonly dataPlane: DataPlane;
  readonly snapshots: ScheduleFigures;
}

/**
 * Loads prom-client, which takes a tenth of a second of processor time: to be called at the first scrape, not at a start. What it tells
 * of Node.js itself, such as collections of garbage, counts from then on.
 */
export function metricsRegistry({ requests, http, load, owners, store, dataPlane, snapshots }: Measured): Registry {
  const promClient = createRequire(import.meta.url)('prom-client') as typeof PromClient;
  const { collectDefaultMetrics, Counter, Gauge, Registry } = promClient;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  requests.register(registry);
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name: `switchyard_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  gauge('http_requests_in_flight', 'Requests of the API that wait for their answer.', () => http.inFlight);
  gauge('http_connections', 'Open connections of the API.', () => http.connections);
  gauge('load_level', 'Overload: 0 none, 1 answers close their connections, 2 requests are refused.', () =>
    LOAD_LEVELS.indexOf(load.level),
  );
  gauge('event_loop_delay_seconds', 'How late the event loop was at the last look.', () => load.delayMs / 1_000);
  gauge('memory_share', "Of V8's heap or of the memory that there is, whichever is tighter.", () => load.memoryShare);
  gauge('owners_resident', 'Owners in memory.', () => owners.figures().residentOwners);
  gauge('owner_turns_waiting', 'Turns that wait in mailboxes.', () => owners.figures().waitingTurns);
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name: `switchyard_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  counter('store_batches_total', 'Transactions made durable.', () => store.figures.batches);
  counter('store_commits_total', 'Commits made durable.', () => store.figures.commits);
  counter('store_commit_seconds_total', 'Time that transactions took, summed.', () => store.figures.commitSeconds);
  gauge('store_disk_free_bytes', 'Free on the disk of the data directory.', () => store.room.diskBytes);
  gauge('store_reusable_bytes', "Free within the store's file.", () => store.room.reusableBytes);
  gauge('store_full', 'Whether what would add to the store is refused: 1 or 0.', () => (store.room.isFull ? 1 : 0));
  counter(
    'store_damaged_owners_total',
    'Owners that are not served, since their records are damaged.',
    () => store.figures.damagedOwners,
  );
  gauge('data_plane_serving', 'Whether mocks are served: 1 or 0.', () => (dataPlane.isServing ? 1 : 0));
  counter('data_plane_restarts_total', 'How often the data plane was replaced.', () => dataPlane.restarts);
  counter('snapshots_total', 'Scheduled snapshots that were made.', () => snapshots.made);
  counter('snapshot_failures_total', 'Scheduled snapshots that could not be made.', () => snapshots.failed);
  gauge(
    'snapshot_last_success_seconds',
    'When the last snapshot was made, in Unix time; 0 without one, or without a schedule.',
    () => snapshots.lastSuccessSeconds,
  );
  dataPlaneFigures(promClient, registry, dataPlane);
  return registry;
}

/** By thread, and of the busiest mocks alone: a label is gone with its mock, and there are never many. */
function dataPlaneFigures({ Gauge }: typeof PromClient, registry: Registry, dataPlane: DataPlane): void {
  let asked: Promise<DataPlaneFigures | undefined> | undefined;
  /** One question for both metrics of a scrape. */
  const figures = (): Promise<DataPlaneFigures | undefined> => {
    asked ??= dataPlane.figures(METRICS_MOCKS_MAX).finally(() => {
      asked = undefined;
    });
    return asked;
  };
  new Gauge({
    name: 'switchyard_data_plane_thread_requests',
    help: 'Requests that each thread has taken, modulo 2^32.',
    labelNames: ['thread'],
    registers: [registry],
    async collect() {
      const { threads = [] } = (await figures()) ?? {};
      this.reset();
      for (const [thread, requests] of threads.entries()) this.set({ thread: String(thread) }, requests);
    },
  });
  new Gauge({
    name: 'switchyard_mock_requests',
    help: `Requests since their reset of the ${METRICS_MOCKS_MAX} mocks that were asked most.`,
    labelNames: ['mock', 'matched'],
    registers: [registry],
    async collect() {
      const { busiest = [] } = (await figures()) ?? {};
      this.reset();
      for (const { mockId, total, unmatched } of busiest) {
        this.set({ mock: mockId, matched: 'yes' }, total - unmatched);
        this.set({ mock: mockId, matched: 'no' }, unmatched);
      }
    },
  });
}
