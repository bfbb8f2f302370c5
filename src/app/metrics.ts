/** The metrics of every part, in prom-client's registry. Figures are read at a scrape, and cost nothing otherwise. */
import type PromClient from 'prom-client';
import type { Registry } from 'prom-client';
import { loadPackage } from '../base/program-files.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import type { DriftBook } from '../drift/drift-book.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import type { RequestMetrics } from '../http/request-metrics.ts';
import type { LoadWatch } from '../http/admission/load-watch.ts';
import type { HttpServer } from '../http/server.ts';
import type { OwnerWaits } from '../base/owner-waits.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { DataPlaneFigures } from '../serving/shared/messages.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import type { GatewayBook } from '../sessions/gateway-book.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import { registerEgressMetrics } from './egress-metrics.ts';
import { registerGatewayMetrics } from './gateway-metrics.ts';
import { OTHERS, registerMockMetrics } from './mock-metrics.ts';
import type { ScheduleFigures } from './snapshot-schedule.ts';
import type { Store } from '../store/store.ts';

/** Mocks with labels in the metrics. */
export const METRICS_MOCKS_MAX = 20;
/** The same of owners whose requests wait. */
const METRICS_OWNERS_MAX = 10;

interface MeasuredParts {
  readonly requests: RequestMetrics;
  readonly http: HttpServer;
  readonly load: LoadWatch;
  readonly owners: OwnerDirectory;
  readonly store: Store;
  readonly dataPlane: DataPlane;
  readonly egress: Egress;
  readonly drifts: Pick<DriftBook, 'counts'>;
  readonly sessions: SessionBook;
  readonly gatewaySessions: GatewayBook;
  readonly snapshots: ScheduleFigures;
  readonly homes: MockHomes;
  /** Whether series name mocks and owners: where nobody reads them without a token. */
  readonly areNamed: boolean;
}

/**
 * Loads prom-client, which takes a tenth of a second of processor time: called at the first scrape, not at the start.
 * Its counters of Node.js itself, such as garbage collections, start then.
 */
export function metricsRegistry(measured: MeasuredParts): Registry {
  const {
    requests,
    http,
    load,
    owners,
    store,
    dataPlane,
    egress,
    drifts,
    sessions,
    gatewaySessions,
    snapshots,
    homes,
    areNamed,
  } = measured;
  const promClient = loadPackage('prom-client') as typeof PromClient;
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
  gauge('http_requests_in_flight', 'Requests of the API in flight.', () => http.inFlight);
  gauge('http_connections', 'Open connections of the API.', () => http.connections);
  gauge('overloaded', '1 while the server refuses requests because of load.', () => (load.isOverloaded ? 1 : 0));
  gauge('event_loop_delay_seconds', 'Delay of the event loop at the last sample.', () => load.delayMs / 1_000);
  gauge(
    'memory_share',
    "Share in use of V8's heap limit or of the available memory, whichever is higher.",
    () => load.memoryShare,
  );
  gauge('owners_resident', 'Owners in memory.', () => owners.figures().residentOwners);
  gauge('owner_turns_waiting', 'Turns waiting in the mailboxes of owners.', () => owners.figures().waitingTurns);
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
  counter('store_commit_seconds_total', 'Total duration of transactions.', () => store.figures.commitSeconds);
  gauge('store_disk_free_bytes', 'Free space on the disk of the data directory.', () => store.diskSpace.diskBytes);
  gauge('store_reusable_bytes', "Free space inside the store's file.", () => store.diskSpace.reusableBytes);
  gauge('store_full', '1 while the server refuses writes because the disk is full.', () =>
    store.diskSpace.isFull ? 1 : 0,
  );
  counter(
    'store_damaged_owners_total',
    'Owners that the server refuses because their records are damaged.',
    () => store.figures.damagedOwners,
  );
  gauge('data_plane_serving', '1 while the data plane serves mocks.', () => (dataPlane.isServing ? 1 : 0));
  gauge('mock_sessions', 'Live sessions of mocks.', () => sessions.count);
  gauge('gateway_sessions', 'Live sessions of the gateway.', () => gatewaySessions.count);
  counter('data_plane_restarts_total', 'Restarts of the data plane.', () => dataPlane.restarts);
  registerEgressMetrics(promClient, registry, egress);
  new Counter({
    name: 'switchyard_drift_runs_total',
    help: 'Comparisons of mocks with real services that are over, by `verdict`: same, added, breaking, failed, cancelled.',
    labelNames: ['verdict'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [verdict, count] of drifts.counts) this.inc({ verdict }, count);
    },
  });
  counter('snapshots_total', 'Scheduled snapshots that were created.', () => snapshots.made);
  counter('snapshot_failures_total', 'Scheduled snapshots that failed.', () => snapshots.failed);
  gauge(
    'snapshot_last_success_seconds',
    'Unix time of the last snapshot of an undamaged store; 0 without a snapshot or a schedule.',
    () => snapshots.lastSuccessSeconds,
  );
  for (const { kind, name, help, read } of homes.figures) (kind === 'gauge' ? gauge : counter)(name, help, read);
  if (store.figures.conflicts !== undefined) {
    counter(
      'store_conflicts_total',
      'Commits retried because another node committed first.',
      () => store.figures.conflicts ?? 0,
    );
    counter(
      'store_resubmissions_total',
      'Batches resubmitted over another connection.',
      () => store.figures.resubmissions ?? 0,
    );
  }
  registerGatewayMetrics(promClient, registry, async () => {
    const figures = await egress.ask('figures', null);
    return figures?.gateway;
  });
  dataPlaneFigures(promClient, registry, dataPlane, areNamed);
  return registry;
}

/** Per thread, and for the busiest mocks only: a label disappears with its mock, and their number is bounded. */
function dataPlaneFigures(
  { Gauge }: typeof PromClient,
  registry: Registry,
  dataPlane: DataPlane,
  areNamed: boolean,
): void {
  let query: Promise<DataPlaneFigures | undefined> | undefined;
  /** One query for both metrics of a scrape. */
  const figures = (): Promise<DataPlaneFigures | undefined> => {
    query ??= dataPlane.figures(areNamed ? METRICS_MOCKS_MAX : 0).finally(() => {
      query = undefined;
    });
    return query;
  };
  new Gauge({
    name: 'switchyard_data_plane_thread_requests',
    help: 'Requests that each `thread` has received, modulo 2^32.',
    labelNames: ['thread'],
    registers: [registry],
    async collect() {
      const { threads = [] } = (await figures()) ?? {};
      this.reset();
      for (const [thread, requests] of threads.entries()) this.set({ thread: String(thread) }, requests);
    },
  });
  new Gauge({
    name: 'switchyard_data_plane_resident_memory_bytes',
    help: 'Resident memory of the process that serves mocks.',
    registers: [registry],
    async collect() {
      this.set((await figures())?.memoryBytes ?? 0);
    },
  });
  const ofAll = (
    name: string,
    help: string,
    read: (open: Pick<DataPlaneFigures, 'streams' | 'sockets' | 'stores'>) => number,
  ): void => {
    new Gauge({
      name: `switchyard_mock_${name}`,
      help,
      registers: [registry],
      async collect() {
        const open = await figures();
        this.set(open === undefined ? 0 : read(open));
      },
    });
  };
  const ofOwners = (name: string, help: string, read: (waits: OwnerWaits) => number): void => {
    new Gauge({
      name: `switchyard_mock_owner_${name}`,
      help: `${help} By \`owner\`, for the ${METRICS_OWNERS_MAX} with most; others as ${OTHERS}.`,
      labelNames: ['owner'],
      registers: [registry],
      async collect() {
        const owners = await dataPlane.ownerWaits();
        this.reset();
        const namedCount = areNamed ? METRICS_OWNERS_MAX : 0;
        for (const [index, each] of owners.entries())
          this.inc({ owner: index < namedCount ? each.ownerId : OTHERS }, read(each));
      },
    });
  };
  ofAll('streams_open', 'Open streams of mocks.', ({ streams }) => streams.open);
  ofAll('stream_events', 'Stream events sent, modulo 2^32.', ({ streams }) => streams.events);
  ofAll('sockets_open', 'Open WebSockets of mocks.', ({ sockets }) => sockets.open);
  ofAll('socket_messages', 'Messages to WebSockets of mocks, modulo 2^32.', ({ sockets }) => sockets.events);
  ofAll('store_items', 'Items in the live stores of mocks and sessions.', ({ stores }) => stores.items);
  ofAll('store_bytes', 'Memory of live stores, estimated.', ({ stores }) => stores.bytes);
  ofAll('store_requests', 'Requests to routes that use stores, modulo 2^32.', ({ stores }) => stores.requests);
  ofAll('store_full', 'Requests that a full store refused, modulo 2^32.', ({ stores }) => stores.full);
  ofOwners('waited', 'Requests and messages of an owner that waited for their turn.', ({ waited }) => waited);
  ofOwners(
    'refused',
    'Requests and messages of an owner refused because too many were waiting.',
    ({ refused }) => refused,
  );
  ofOwners('waiting', 'Requests of an owner waiting for their turn.', ({ waiting }) => waiting);
  registerMockMetrics(registry, async () => (await figures())?.busiest ?? []);
  new Gauge({
    name: 'switchyard_mock_requests',
    help: `Requests since their last reset of the ${METRICS_MOCKS_MAX} busiest mocks, by \`mock\` and \`matched\`; others as ${OTHERS}.`,
    labelNames: ['mock', 'matched'],
    registers: [registry],
    async collect() {
      const { busiest = [] } = (await figures()) ?? {};
      this.reset();
      for (const { mockId, total, unmatched } of busiest) {
        this.set({ mock: mockId ?? OTHERS, matched: 'yes' }, total - unmatched);
        this.set({ mock: mockId ?? OTHERS, matched: 'no' }, unmatched);
      }
    },
  });
}
