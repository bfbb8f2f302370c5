/**
 * The composition root: puts the parts together, in the order in which they can fail without leaving a trace.
 *
 * Ports first, then the data directory: a start that cannot go through changes nothing. The reverse on the way down: refuse,
 * finish, commit, close.
 */
import { systemClock } from './base/clock.ts';
import {
  CertificateError,
  checkCertificate,
  tlsFiles,
  warnOfDates,
  watchCertificate,
  type CertificateFacts,
} from './certificate.ts';
import type { Config } from './config.ts';
import { Auth } from './http/auth.ts';
import { docsApi } from './http/docs-api.ts';
import { groupsApi } from './http/groups-api.ts';
import { healthApi, healthRoute } from './http/health-api.ts';
import { historyApi } from './http/history-api.ts';
import { isLoopback } from './http/host-check.ts';
import { LoadWatch } from './http/load-watch.ts';
import { mockStreamApi } from './http/mocks/mock-stream-api.ts';
import { mockTrafficApi } from './http/mocks/mock-traffic-api.ts';
import { mockTryApi } from './http/mocks/mock-try-api.ts';
import { mockEndpoints, type MockServing } from './http/mocks/mock-endpoints.ts';
import { mockStagedApi } from './http/mocks/mock-staged-api.ts';
import { mockVerifyApi } from './http/mocks/mock-verify-api.ts';
import { mockVersionsApi } from './http/mocks/mock-versions-api.ts';
import { mocksApi } from './http/mocks/mocks-api.ts';
import { RateLimit } from './http/rate-limit.ts';
import { requestLine } from './http/request-log.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import { rulesApi } from './http/rules-api.ts';
import { HttpServer, PortError } from './http/server.ts';
import { DEAD_READERS_MS, DRAIN_MS } from './limits.ts';
import { addKey } from './keys.ts';
import { openLog, type Log } from './log.ts';
import { metricsRegistry } from './metrics.ts';
import { ownVersion } from './own-version.ts';
import { OwnerDirectory } from './owners/owner-directory.ts';
import { GuardedPool } from './serving/guarded/guarded-pool.ts';
import { DataPlaneStartError } from './serving/plane/child-keeper.ts';
import { DataPlane } from './serving/plane/supervisor.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import { acquireInstanceLock, DirectoryHeldError, type InstanceLock } from './store/instance-lock.ts';
import { DataDirectoryError, LmdbStore } from './store/lmdb-store.ts';
import { DamageError, type RoomFigures } from './store/store.ts';
import { TlsFilesError, type TlsFiles } from './wire/apps.ts';

/** A start that cannot go through; the message is one line for the person who started it. */
export class StartError extends Error {}

export interface Service {
  readonly apiPort: number;
  readonly mockPort: number;
  /** The key of a first start, undefined on every other. */
  readonly firstKey: string | undefined;
  /** Finishes what is in flight, commits and closes. Resolves with whether everything was written. */
  stop(): Promise<boolean>;
  /** Whether a thread writes to the disk: an exit would wait for it, for as long as the disk hangs. */
  readonly isWriting: boolean;
  /** Writes what the log has gathered; resolves soon, though its reader may not read. */
  flushLog(): Promise<void>;
  /** Resolves when the store failed: nothing can be written any more, and the process should end. */
  readonly failed: Promise<Error>;
}

const PRUNE_EVERY_MS = 3_600_000;
const DAMAGED_KEYS_NAMED_MAX = 10;
const MIB = 1_048_576;

/** @throws StartError when a port or the data directory cannot be used; nothing was changed then. */
export async function startService(config: Config): Promise<Service> {
  const log = openLog(config.logLevel);
  // What the store holds may be secret; its files are made for this user alone.
  process.umask(0o077);
  const version = await ownVersion();
  const metrics = new RequestMetrics();
  const logsRequests = log.logger.isLevelEnabled('info');
  const opened: (() => void | Promise<void>)[] = [];
  const load = new LoadWatch();
  try {
    const tls = await certificate(config, log);
    const http = HttpServer.listen({
      host: config.host,
      port: config.port,
      tls: tls?.files,
      onLoopback: await isLoopback(config.host),
      corsOrigins: config.corsOrigins,
      allowedHosts: config.allowedHosts,
      always: [healthRoute],
      load,
      onAnswered(call, status) {
        const ms = performance.now() - call.startedAt;
        metrics.observe(call, status, ms / 1_000);
        if (logsRequests) log.writeLine(requestLine(call, status, ms));
      },
      onBug: (call, error) => log.logger.error({ id: call.requestId, err: error }, 'a request met a bug'),
    });
    opened.push(() => http.close());
    let openedStore!: (store: LmdbStore) => void;
    const whenOpen = new Promise<LmdbStore>((resolve) => {
      openedStore = resolve;
    });
    const starting = DataPlane.start({
      host: config.host,
      port: config.mockPort,
      workers: config.workers,
      mockDomain: config.mockDomain,
      sharedDomains: config.limits.mocks.sharedDomains,
      tls: tls?.files,
      // Its port is taken before the store is opened; what it asks meanwhile waits.
      definitions: async (mockId) => (await whenOpen).publishedMock(mockId),
      directory: async () => [...(await whenOpen).publishedMocks()],
      log: log.logger,
    });
    const look = LmdbStore.lookAhead(config.data);
    opened.push(() => look.stop());
    const dataPlane = await starting;
    opened.push(() => dataPlane.close());
    const store = LmdbStore.open(config.data, {
      historyRetentionDays: config.historyDays,
      diskReserveBytes: config.diskReserveMib * MIB,
      onRoomChanged: (room) => logRoom(log, room),
    });
    opened.push(() => store.close());
    const lock = await acquireInstanceLock(config.data, (action) => store.exclusively(action));
    opened.push(() => lock.release());
    await store.refuseDamage(look);
    const firstKey = await bootstrap(store, config);
    openedStore(store);
    return run({ config, log, version, metrics, load, tls, http, dataPlane, store, lock, firstKey });
  } catch (error) {
    for (const close of opened.toReversed()) await close();
    throw error instanceof CertificateError ||
      error instanceof TlsFilesError ||
      error instanceof PortError ||
      error instanceof DataPlaneStartError ||
      error instanceof DataDirectoryError ||
      error instanceof DirectoryHeldError
      ? new StartError(error.message)
      : error;
  }
}

interface Certificate {
  readonly files: TlsFiles;
  readonly served: CertificateFacts;
}

async function certificate({ tlsCert, tlsKey }: Config, log: Log): Promise<Certificate | undefined> {
  const files = tlsFiles(tlsCert, tlsKey);
  if (files === undefined) return undefined;
  const served = await checkCertificate(files);
  warnOfDates(served, systemClock(), log.logger);
  return { files, served };
}

/** Said once: a request with such a key is one with a key that nobody knows. */
function warnOfDamagedKeys(store: LmdbStore, { logger }: Log): void {
  const keys = store.keys.damagedIds();
  if (keys.length === 0) return;
  logger.warn(
    { keys: keys.slice(0, DAMAGED_KEYS_NAMED_MAX) },
    `damaged API keys open nothing (${keys.length}): revoke them and create others`,
  );
}

interface Opened {
  config: Config;
  log: Log;
  version: string;
  metrics: RequestMetrics;
  tls: Certificate | undefined;
  load: LoadWatch;
  http: HttpServer;
  dataPlane: DataPlane;
  store: LmdbStore;
  lock: InstanceLock;
  firstKey: string | undefined;
}

function run({ config, log, version, metrics, load, tls, http, dataPlane, store, lock, firstKey }: Opened): Service {
  const owners = new OwnerDirectory(
    {
      store,
      limits: config.limits,
      clock: systemClock,
      onDiscarded: ({ ownerId }, error) =>
        log.logger.error(
          { owner: ownerId, err: error },
          error instanceof DamageError ? 'an owner is damaged and not served' : 'an owner was discarded from memory',
        ),
      onReplyBug: (error) => log.logger.error({ err: error }, 'a reply met a bug'),
    },
    config,
  );
  warnOfDamagedKeys(store, log);
  const auth = new Auth(store.keys);
  const guarded = new GuardedPool();
  let storeWorks = true;
  const snapshots = new SnapshotSchedule({
    directory: config.data,
    everyMs: config.snapshotEveryMs,
    keepCount: config.snapshotsKept,
    clock: systemClock,
    log: log.logger,
  });
  let registry: ReturnType<typeof metricsRegistry> | undefined;
  const scrape = async () => {
    registry ??= metricsRegistry({
      requests: metrics,
      http,
      load,
      owners,
      store,
      dataPlane,
      snapshots: snapshots.figures,
    });
    return { contentType: registry.contentType, text: await registry.metrics() };
  };
  const mockServing: MockServing = {
    urlOf: (mockId) =>
      config.mockUrlTemplate.replaceAll('<mock_id>', mockId).replaceAll('<port>', String(dataPlane.port)),
    async publish(mockId) {
      const mock = store.publishedMock(mockId);
      return mock === undefined ? dataPlane.remove(mockId) : dataPlane.publish(mock);
    },
    published: (mockId) => dataPlane.published(mockId),
  };
  const { nameCharsMax, textCharsMax, mocks: mockLimits } = config.limits;
  const mocks = mockEndpoints(owners, config.limits, mockServing, (ownerId, kind, json) =>
    guarded.parseDraft(ownerId, { kind, json, limits: { nameCharsMax, textCharsMax, mocks: mockLimits } }),
  );
  const isDraining = (): boolean => http.state === 'draining';
  const api = [
    ...rulesApi(owners, config.limits, (ownerId, patterns) => guarded.checkPatterns(ownerId, patterns)),
    ...groupsApi(owners, config.limits),
    ...mocksApi(mocks, mockServing),
    ...mockStagedApi(mocks),
    ...mockVersionsApi(mocks),
    ...mockTrafficApi(owners, dataPlane),
    ...mockVerifyApi(owners, config.limits.bodyBytesMax, dataPlane, isDraining),
    ...mockStreamApi(owners, dataPlane, (call) => !isDraining() && auth.authenticate(call.head.apiKey) !== undefined),
    ...mockTryApi(owners, config.limits.bodyBytesMax, (ownerId, dryRun) =>
      guarded.explain(ownerId, { ...dryRun, sharedDomains: mockLimits.sharedDomains }),
    ),
    ...historyApi(owners),
    ...healthApi({
      ready: () => storeWorks,
      metrics: scrape,
      metricsToken: config.metricsToken,
    }),
  ];
  http.serve({
    routes: [...api, ...docsApi([healthRoute, ...api], version)],
    authenticate: (apiKey) => auth.authenticate(apiKey),
    rateLimit: new RateLimit(config.rateLimit),
  });

  load.start((level, figures) => {
    log.logger.warn({ level, ...figures }, 'the load has changed');
    // What is loaded again when it is needed makes room.
    if (level !== 'normal') owners.passivateIdle();
  });
  const prune = () => {
    store.prune(systemClock()).catch((error: unknown) => log.logger.warn({ err: error }, 'pruning failed'));
  };
  const pruning = setInterval(prune, PRUNE_EVERY_MS);
  prune();
  let httpDigest: string | undefined;
  const endWatch =
    tls === undefined
      ? undefined
      : watchCertificate({
          ...tls,
          log: log.logger,
          takeUp(digest) {
            // Each part takes it up once: what has been taken up is never given back. This one first, since it throws on files that
            // changed meanwhile.
            if (digest !== httpDigest) http.renewCertificate();
            httpDigest = digest;
            return dataPlane.renewCertificate();
          },
        });
  const forgetting = setInterval(() => store.forgetDeadReaders(), DEAD_READERS_MS);
  void store.failed.then((error) => {
    storeWorks = false;
    log.logger.fatal({ err: error }, 'the store failed: nothing can be written until a new start');
  });

  let stopping: Promise<boolean> | undefined;
  return {
    apiPort: http.port,
    mockPort: dataPlane.port,
    firstKey,
    failed: store.failed,
    get isWriting() {
      return store.isWriting;
    },
    flushLog: log.flush,
    stop() {
      stopping ??= (async () => {
        log.logger.info('stopping: finishes what is in flight');
        await Promise.all([http.drain(DRAIN_MS), snapshots.stop()]);
        clearInterval(pruning);
        endWatch?.();
        load.stop();
        clearInterval(forgetting);
        auth.stop();
        owners.stop();
        await guarded.close();
        http.close();
        await dataPlane.close();
        // A store that failed may hang in its close: the process ends instead.
        if (storeWorks) await store.close();
        await lock.release();
        log.logger.info('stopped');
        await log.flush();
        return storeWorks;
      })();
      return stopping;
    },
  };
}

function logRoom({ logger }: Log, { isFull, ...room }: RoomFigures): void {
  if (isFull) logger.error(room, 'the disk is full: what is stored can be read and deleted, but nothing added');
  else logger.warn(room, 'the disk has room again');
}

/** On the first start of a data directory: makes a local owner's key, unless told not to. Never again after that. */
async function bootstrap(store: LmdbStore, config: Config): Promise<string | undefined> {
  const isFirst = !store.initialised;
  try {
    const makesKey = isFirst && config.bootstrap;
    const key = makesKey ? await addKey(store, { ownerId: 'local', userId: 'local', role: 'editor' }) : undefined;
    await store.markServed();
    return key;
  } catch (error) {
    throw new DataDirectoryError(`cannot use the data directory ${config.data}: ${(error as Error).message}`);
  }
}
