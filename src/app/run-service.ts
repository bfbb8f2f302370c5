/**
 * A service once all of its parts are open: puts the API together, serves it, does what recurs, and stops everything in reverse order.
 */
import { systemClock } from '../base/clock.ts';
import { watchCertificate, type Certificate } from './certificate.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import { DriftBook } from '../drift/drift-book.ts';
import type * as Api from './api-endpoints.ts';
import { openCallerOf } from './compat.ts';
import { warnOfMissingConsole } from './console.ts';
import { originOf, type Config } from './config.ts';
import { gatewayService } from './gateway.ts';
import type { Authority } from '../ca/authority.ts';
import { Auth } from '../http/admission/auth.ts';
import { hasConsole } from '../http/api/console.ts';
import { docsApi } from '../http/api/docs.ts';
import { healthRoute } from '../http/api/health.ts';
import type { LoadWatch } from '../http/admission/load-watch.ts';
import { RateLimit } from '../http/admission/rate-limit.ts';
import type { RequestMetrics } from '../http/request-metrics.ts';
import type { HttpServer } from '../http/server.ts';
import type { StaticFile } from '../http/static/read-files.ts';
import { DRAIN_MS } from '../limits.ts';
import type { Log } from './log.ts';
import { memoryBytesMax } from '../base/own-memory.ts';
import { metricsRegistry } from './metrics.ts';
import type { OpenStore } from './open-store.ts';
import type { Build } from '../base/own-build.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { OwnerQuotas } from '../owners/owner-quotas.ts';
import type { CodeLane } from '../code-lane/code-lane.ts';
import type { SandboxPool } from '../sandbox/sandbox-pool.ts';
import type { GatewayBook } from '../sessions/gateway-book.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import { signIn } from './first-keys.ts';
import type { FileMocks } from './start-file-mocks.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import { warnOfDamagedKeys } from './start-warnings.ts';
import type { SigningKeys } from './signing-keys.ts';

export interface Service {
  readonly apiPort: number;
  readonly mockPort: number;
  /** Undefined where no gateway listens. */
  readonly gatewayPort: number | undefined;
  readonly wireMockPort: number | undefined;
  /** Port of mocks with HTTPS, beside the mock port. */
  readonly httpsPort: number | undefined;
  /** The same with client certificates. */
  readonly mtlsPort: number | undefined;
  /** The key of a first start, undefined on every other. */
  readonly firstKey: string | undefined;
  readonly isFirstStart: boolean;
  readonly build: Build;
  /** Mocks that are served from files, each with what was read. */
  readonly fileMocks: FileMocks['shown'];
  /** Whether the API serves a page at `/console`. */
  readonly hasConsole: boolean;
  /** @returns What follows the origin in an address that signs a browser in, once. */
  signIn(): Promise<string>;
  /** Finishes requests in flight, commits and closes. Resolves with whether everything was written. */
  stop(): Promise<boolean>;
  /** Whether a thread is writing to the disk: an exit would wait for it, for as long as the disk hangs. */
  readonly isWriting: boolean;
  /** Writes buffered log lines. Resolves soon, even when the reader of the log has stopped. */
  flushLog(): Promise<void>;
  /** Resolves when the store has failed: nothing can be written any more, and the process should end. */
  readonly failed: Promise<Error>;
}

const PRUNE_EVERY_MS = 3_600_000;

interface ServiceParts {
  apiEndpoints: typeof Api.apiEndpoints;
  config: Config;
  log: Log;
  build: Build;
  metrics: RequestMetrics;
  tls: Certificate | undefined;
  load: LoadWatch;
  http: HttpServer;
  dataPlane: DataPlane;
  egress: Egress;
  homes: MockHomes;
  sessions: SessionBook;
  gatewaySessions: GatewayBook;
  consoleFiles: readonly StaticFile[];
  openStore: OpenStore;
  authority: Authority | string;
  firstKey: string | undefined;
  owners: OwnerDirectory;
  quotas: OwnerQuotas;
  sandbox: SandboxPool;
  signing: SigningKeys;
  code: CodeLane | undefined;
  fileMocks: FileMocks;
}

export function runService(opened: ServiceParts): Service {
  const { apiEndpoints, config, log, build, metrics, load, tls, http, dataPlane, openStore, firstKey } = opened;
  const { store } = openStore;
  const { owners, quotas, sandbox, signing, code, sessions, gatewaySessions, fileMocks, consoleFiles, homes, egress } =
    opened;
  openStore.announce(originOf(config, http.port));
  warnOfDamagedKeys(store, log);
  warnOfMissingConsole(consoleFiles, config, log);
  const auth = new Auth(store.keys, systemClock);
  egress.link.attach(gatewayService({ auth, authority: opened.authority, store, owners, homes: config.node && homes }));
  const rateLimit = new RateLimit(config.rateLimit);
  let storeWorks = true;
  const snapshots = new SnapshotSchedule({
    directory: config.data,
    everyMs: config.snapshotEveryMs,
    keepCount: config.snapshotsKept,
    clock: systemClock,
    log: log.logger,
  });
  const drifts = new DriftBook(systemClock);
  const parts = { http, owners, store, dataPlane, egress, drifts, sessions, gatewaySessions, homes };
  let registry: ReturnType<typeof metricsRegistry> | undefined;
  const scrape = async () => {
    registry ??= metricsRegistry({
      ...parts,
      requests: metrics,
      load,
      snapshots: snapshots.figures,
      areNamed: config.metricsToken !== undefined,
    });
    return { contentType: registry.contentType, text: await registry.metrics() };
  };
  const api = apiEndpoints({
    ...parts,
    config,
    build,
    quotas,
    auth,
    sandbox,
    signing,
    code,
    consoleFiles,
    scrape,
    isReady: () => storeWorks && store.isAvailable && homes.isReady,
    isDraining: () => http.state === 'draining',
  });
  http.serve({
    routes: [...api, ...docsApi([healthRoute, ...api], build.version)],
    authenticate: (apiKey) => auth.authenticate(apiKey),
    hasExpired: (apiKey) => auth.hasExpired(apiKey),
    openCaller: openCallerOf(config),
    admits: ({ keyId, ownerId }) => rateLimit.admits(keyId, quotas.of(ownerId)?.requestsPerSecond),
    mockPort: dataPlane.port,
    homes,
  });

  load.start({
    memoryBytesMax: memoryBytesMax(),
    childPids: () => [dataPlane.childPid, egress.pid],
    onChange: (isOverloaded, figures) => {
      log.logger.warn(figures, isOverloaded ? 'overloaded: the server refuses requests' : 'no longer overloaded');
      // Owners that were busy when memory became short are idle by now.
      if (isOverloaded) owners.passivateIdle();
    },
    // Owners are loaded again, and threads started, when they are needed.
    onMemoryShort: (isFirst) => {
      if (isFirst) owners.passivateIdle();
      sandbox.release();
      dataPlane.collectGarbage();
      egress.collectGarbage();
    },
  });
  const prune = () => {
    store.prune(systemClock()).catch((error: unknown) => log.logger.warn({ err: error }, 'pruning failed'));
  };
  const pruning = setInterval(prune, PRUNE_EVERY_MS);
  prune();
  let activeDigest: string | undefined;
  const endWatch =
    tls === undefined
      ? undefined
      : watchCertificate({
          ...tls,
          log: log.logger,
          activate(digest) {
            // Each part activates it once, since the memory of an activation is never freed. The API port first: it
            // throws when the files have changed in the meantime.
            if (digest !== activeDigest) http.renewCertificate();
            activeDigest = digest;
            return dataPlane.renewCertificate();
          },
        });
  const endFileWatch = fileMocks.watch({
    owners,
    log: log.logger,
    publish: (mockId) => homes.publish(mockId, { keepsSequences: true }),
  });
  void store.failed.then((error) => {
    storeWorks = false;
    log.logger.fatal(
      { err: error },
      'the store failed and cannot be written, so the process exits; fix the disk and restart',
    );
  });

  let stopping: Promise<boolean> | undefined;
  return {
    apiPort: http.port,
    mockPort: dataPlane.port,
    gatewayPort: egress.gateway?.port,
    wireMockPort: dataPlane.boundPort,
    httpsPort: dataPlane.ports.httpsPort,
    mtlsPort: dataPlane.ports.mtlsPort,
    firstKey,
    isFirstStart: !openStore.isInitialised,
    build,
    signIn: () => signIn(openStore.store.codes, config),
    fileMocks: fileMocks.shown,
    hasConsole: hasConsole(consoleFiles),
    failed: store.failed,
    get isWriting() {
      return store.isWriting;
    },
    flushLog: log.flush,
    stop() {
      stopping ??= (async () => {
        log.logger.info('stopping: finishing requests in flight');
        drifts.stop();
        await homes.leave();
        await Promise.all([http.drain(DRAIN_MS), snapshots.stop(), endFileWatch()]);
        clearInterval(pruning);
        endWatch?.();
        load.stop();
        auth.stop();
        quotas.stop();
        sessions.stop();
        owners.stop();
        await sandbox.close();
        await code?.close();
        http.close();
        await homes.close();
        await dataPlane.close();
        await egress.close();
        // The close of a failed store may hang: the process ends instead.
        if (storeWorks) await store.close();
        await openStore.release();
        log.logger.info('stopped');
        await log.flush();
        return storeWorks;
      })();
      return stopping;
    },
  };
}
