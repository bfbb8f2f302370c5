/**
 * The composition root: puts the parts together, in an order in which a failed start changes nothing.
 *
 * Ports first, then the data directory. A stop goes in reverse order: refuse new requests, finish those in flight,
 * commit, close.
 */
import type { ChildProcess } from 'node:child_process';
import { systemClock } from '../base/clock.ts';
import { PortError } from '../base/port-error.ts';
import { readCertificate, watchCertificate, type Certificate } from './certificate.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import { DriftBook } from '../drift/drift-book.ts';
import { SingleNode } from '../cluster/single-node.ts';
import type * as Api from './api-endpoints.ts';
import { checkOpen, checkWireMockPort, ensureWireMock, openCallerOf, wireMockPort } from './compat.ts';
import { readConsole, warnOfMissingConsole } from './console.ts';
import { abilitiesOf, originOf, type Config } from './config.ts';
import { egressOf, openGateway, ruleSettings } from './egress.ts';
import { explainPort } from './explain-port.ts';
import {
  authorityOf,
  gatewayPlane,
  gatewayService,
  gatewaySessionsSource,
  nodeParts,
  ownAuthority,
} from './gateway.ts';
import type { Authority } from '../egress/ca/authority.ts';
import { Auth } from '../http/admission/auth.ts';
import { hasConsole } from '../http/api/console.ts';
import { docsApi } from '../http/api/docs.ts';
import { healthRoute } from '../http/api/health.ts';
import { isLoopback } from '../http/admission/host-check.ts';
import { LoadWatch } from '../http/admission/load-watch.ts';
import { RateLimit } from '../http/admission/rate-limit.ts';
import { isQuiet, requestLine } from '../http/request-log.ts';
import { RequestMetrics } from '../http/request-metrics.ts';
import { HttpServer } from '../http/server.ts';
import type { StaticFile } from '../http/static/read-files.ts';
import { DRAIN_MS, MEMORY_BYTES_LEAST } from '../limits.ts';
import { openLog, type Log } from './log.ts';
import { memoryBytesMax, memoryParts } from './memory.ts';
import { metricsRegistry } from './metrics.ts';
import { beginOpen, type OpenStore } from './open-store.ts';
import { ownersOf } from './owners.ts';
import { ownBuild, type Build } from '../base/own-build.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { OwnerQuotas } from '../owners/owner-quotas.ts';
import { CodeLane } from '../code-lane/code-lane.ts';
import { SandboxPool } from '../sandbox/sandbox-pool.ts';
import { openGatewaySessions, openSessions, type SessionParts } from './sessions.ts';
import type { GatewayBook } from '../sessions/gateway-book.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import { DataPlane } from '../serving/supervisor/data-plane.ts';
import { bootstrap, signIn } from './first-keys.ts';
import { openFileMocks, type FileMocks } from './start-file-mocks.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import { warnOfDamagedKeys, warnOfPlainHttp } from './start-warnings.ts';

export interface Service {
  readonly apiPort: number;
  readonly mockPort: number;
  /** Undefined where no gateway listens. */
  readonly gatewayPort: number | undefined;
  readonly wireMockPort: number | undefined;
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

/**
 * @param forked The data plane's process, when it was forked before.
 * @throws OperatorError when a port, the certificate or the data directory cannot be used. Nothing is changed then.
 */
export async function startService(config: Config, forked?: ChildProcess): Promise<Service> {
  const log = openLog(config.logLevel);
  const build = await ownBuild();
  const metrics = new RequestMetrics();
  const memoryBytes = memoryBytesMax();
  if (memoryBytes < MEMORY_BYTES_LEAST) {
    log.logger.warn({ memoryBytes, leastBytes: MEMORY_BYTES_LEAST }, 'available memory is below the tested minimum');
  }
  const logsRequests = log.logger.isLevelEnabled('info');
  const logsProbes = log.logger.isLevelEnabled('debug');
  const opened: (() => void | Promise<void>)[] = [];
  const load = new LoadWatch();
  const memory = memoryParts(memoryBytes, config.workers);
  const sandbox = new SandboxPool(memory.sandboxHeapMb, memory.importHeapMb, config.limits, abilitiesOf(config));
  opened.push(() => sandbox.close());
  const code = config.ruleCode ? new CodeLane() : undefined;
  opened.push(() => code?.close());
  try {
    const fileMocks = await openFileMocks(config, (ownerId, files, entryName, entry) =>
      sandbox.imports.mocks(ownerId, { source: { files, entry }, options: { entryName } }),
    );
    const tls = await readCertificate(config, log.logger);
    const givenAuthority = ownAuthority(config);
    const onLoopback = await isLoopback(config.host);
    checkOpen(config, onLoopback);
    if (!onLoopback && tls === undefined) warnOfPlainHttp(config, log);
    const http = HttpServer.listen({
      host: config.host,
      port: config.port,
      tls: tls?.files,
      onLoopback,
      corsOrigins: config.corsOrigins,
      allowedHosts: config.allowedHosts,
      mockDomains: config.limits.mocks.sharedDomains,
      always: [healthRoute],
      load,
      memory,
      onAnswered(call, status) {
        const ms = performance.now() - call.startedAt;
        metrics.observe(call, status, ms / 1_000);
        if (logsRequests && (logsProbes || !isQuiet(call, status))) log.writeLine(requestLine(call, status, ms));
      },
      onError: (call, error) =>
        log.logger.error({ id: call.requestId, err: error }, 'unhandled error in a request handler'),
    });
    opened.push(() => http.close());
    const { recordingBytesMax } = memory;
    const egress = egressOf(config, { allowsLoopback: onLoopback, log: log.logger, recordingBytesMax });
    opened.push(() => egress.close());
    const homes = await homesOf(config);
    let opensHomes!: () => void;
    const whenOpen = new Promise<void>((resolve) => {
      opensHomes = resolve;
    });
    let serving: SessionParts | undefined;
    const sessions = openSessions(() => serving, egress, memory.sessionsBytesMax);
    opened.push(() => sessions.stop());
    const gatewaySessions = openGatewaySessions(() => serving, sessions);
    opened.push(() => gatewaySessions.stop());
    const starting = DataPlane.start({
      host: config.host,
      port: config.mockPort,
      bound: wireMockPort(config, http.port),
      workers: config.workers,
      mockDomain: config.mockDomain,
      sharedDomains: config.limits.mocks.sharedDomains,
      tls: tls?.files,
      trafficBytesMax: memory.trafficBytesMax,
      trafficPagesAtOnce: memory.trafficPagesAtOnce,
      threadMemory: memory.thread,
      // It listens before the store is open; its queries wait until then.
      definitions: async (mockId) => {
        await whenOpen;
        return homes.definition(mockId);
      },
      cluster: homes.settings,
      egress,
      directory: async () => {
        await whenOpen;
        return homes.directory();
      },
      forked,
      sessions,
      log: log.logger,
    });
    const opening = beginOpen(config, log);
    opened.push(() => opening.stop());
    // Half of the program's modules are those of the endpoints: they are loaded while the child process starts.
    const [dataPlane, { apiEndpoints }, consoleFiles] = await Promise.all([
      starting,
      import('./api-endpoints.ts'),
      readConsole(config),
    ]);
    opened.push(() => dataPlane.close());
    checkWireMockPort(config, dataPlane.boundPort);
    egress.setRules(ruleSettings(config, dataPlane.port));
    await openGateway(egress, config, log.logger);
    gatewaySessions.attach(gatewayPlane(egress));
    egress.link.attachSessions(gatewaySessionsSource(gatewaySessions));
    sessions.attach(dataPlane);
    const openStore = await opening.open();
    const { store } = openStore;
    opened.push(async () => {
      await store.close();
      await openStore.release();
    });
    const { ownerMockHeapBytesMax } = memory;
    const mocksLimits = { ...config.limits.mocks, ownerMockHeapBytesMax };
    const quotas = new OwnerQuotas(store.keys, { ...config.limits, mocks: mocksLimits });
    opened.push(() => quotas.stop());
    const owners = ownersOf(store, config, log, quotas, egress, homes);
    opened.push(() => owners.stop());
    const stored = await store.fileMocks();
    await fileMocks.check(owners, stored);
    await ensureWireMock(config, owners);
    const { firstKey, keyWarning } = await bootstrap(openStore, config);
    if (keyWarning !== undefined) log.logger.warn(keyWarning);
    await fileMocks.store(owners, stored);
    const authority = await authorityOf(givenAuthority, egress, config, openStore, log);
    serving = { store, owners };
    opened.push(() => homes.close());
    const ports = (): { api: number; mock: number } => ({ api: http.port, mock: dataPlane.port });
    await homes.open({
      store,
      nodes: openStore.nodes,
      dataPlane,
      sessions,
      ...nodeParts(egress),
      ports,
      log: log.logger,
    });
    opensHomes();
    return run({
      apiEndpoints,
      config,
      log,
      build,
      metrics,
      load,
      tls,
      http,
      dataPlane,
      egress,
      homes,
      sessions,
      gatewaySessions,
      consoleFiles,
      openStore,
      authority,
      firstKey,
      owners,
      quotas,
      sandbox,
      code,
      fileMocks,
    });
  } catch (error) {
    for (const close of opened.toReversed()) await close();
    throw error instanceof PortError ? await explainPort(error) : error;
  }
}

/** Most servers are alone: what makes one of several of them is loaded when it is. */
async function homesOf({ node, host, tlsCert }: Config): Promise<MockHomes> {
  if (node === undefined) return new SingleNode();
  const { Cluster } = await import('../cluster/cluster.ts');
  return new Cluster(node, { host, isTls: tlsCert !== undefined });
}

interface Opened {
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
  code: CodeLane | undefined;
  fileMocks: FileMocks;
}

function run(opened: Opened): Service {
  const { apiEndpoints, config, log, build, metrics, load, tls, http, dataPlane, openStore, firstKey } = opened;
  const { store } = openStore;
  const { owners, quotas, sandbox, code, sessions, gatewaySessions, fileMocks, consoleFiles, homes, egress } = opened;
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
    registry ??= metricsRegistry({ ...parts, requests: metrics, load, snapshots: snapshots.figures });
    return { contentType: registry.contentType, text: await registry.metrics() };
  };
  const api = apiEndpoints({
    ...parts,
    config,
    build,
    quotas,
    auth,
    sandbox,
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
    childPid: () => dataPlane.childPid,
    onChange: (isOverloaded, figures) => {
      log.logger.warn(figures, isOverloaded ? 'overloaded: the server refuses requests' : 'no longer overloaded');
      // Owners that were busy when memory became short are idle by now.
      if (isOverloaded) owners.passivateIdle();
    },
    // An owner is loaded again when it is needed.
    onMemoryShort: () => owners.passivateIdle(),
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
