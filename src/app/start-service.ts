/**
 * The composition root: puts the parts together, in an order in which a failed start changes nothing.
 *
 * Ports first, then the data directory. A stop goes in reverse order: refuse new requests, finish those in flight,
 * commit, close.
 */
import type { ChildProcess } from 'node:child_process';
import { limitHeap, memoryBytesMax } from '../base/own-memory.ts';
import { PortError } from '../base/port-error.ts';
import { readCertificate } from './certificate.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import { SingleNode } from '../cluster/single-node.ts';
import { checkOpen, checkWireMockPort, ensureWireMock, wireMockPort } from './compat.ts';
import { readConsole } from './console.ts';
import { abilitiesOf, type Config } from './config.ts';
import { egressOf, openGateway, ruleSettings } from './egress.ts';
import { explainPort } from './explain-port.ts';
import { authorityOf, gatewayPlane, gatewaySessionsSource, nodeParts, ownAuthority } from './gateway.ts';
import { healthRoute } from '../http/api/health.ts';
import { isLoopback } from '../http/admission/host-check.ts';
import { LoadWatch } from '../http/admission/load-watch.ts';
import { isQuiet, requestLine } from '../http/request-log.ts';
import { RequestMetrics } from '../http/request-metrics.ts';
import { HttpServer } from '../http/server.ts';
import { MEMORY_BYTES_LEAST } from '../limits.ts';
import { openLog } from './log.ts';
import { memoryParts } from './memory.ts';
import { beginOpen, type OpenStore } from './open-store.ts';
import { ownersOf } from './owners.ts';
import { ownBuild } from '../base/own-build.ts';
import { OwnerQuotas } from '../owners/owner-quotas.ts';
import { CodeLane } from '../code-lane/code-lane.ts';
import { SandboxPool } from '../sandbox/sandbox-pool.ts';
import { openGatewaySessions, openSessions, type SessionParts } from './sessions.ts';
import { DataPlane } from '../serving/supervisor/data-plane.ts';
import { bootstrap } from './first-keys.ts';
import { httpsSettings } from './https.ts';
import { openFileMocks } from './start-file-mocks.ts';
import { warnOfPlainHttp } from './start-warnings.ts';
import { runService, type Service } from './run-service.ts';
import { SigningKeys } from './signing-keys.ts';

/**
 * @param forked The data plane's process, when it was forked before.
 * @throws OperatorError when a port, the certificate or the data directory cannot be used. Nothing is changed then.
 */
export async function startService(config: Config, forked?: ChildProcess): Promise<Service> {
  limitHeap();
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
  const sandbox = new SandboxPool(memory.sandbox, config.limits, abilitiesOf(config));
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
    const opening = beginOpen(config, log);
    opened.push(() => opening.stop());
    const open = async (): Promise<OpenStore> => {
      const openStore = await opening.open();
      opened.push(async () => {
        await openStore.store.close();
        await openStore.release();
      });
      return openStore;
    };
    // Threads need it for their certificates, and it is made in a data directory that no other server uses.
    const openFirst = config.https && (await open());
    const httpsAuthority = openFirst && (await authorityOf(givenAuthority, config, openFirst, log));
    const signing = new SigningKeys(config, log);
    const starting = DataPlane.start({
      host: config.host,
      port: config.mockPort,
      bound: wireMockPort(config, http.port),
      workers: config.workers,
      mockDomain: config.mockDomain,
      sharedDomains: config.limits.mocks.sharedDomains,
      tls: tls?.files,
      attached: config.attached,
      ...(httpsAuthority !== undefined && httpsSettings(config, httpsAuthority, log)),
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
      signing: signing.need,
      log: log.logger,
    });
    // Half of the program's modules are those of the endpoints: they are loaded while the child process starts.
    const [dataPlane, { apiEndpoints }, consoleFiles] = await Promise.all([
      starting,
      import('./api-endpoints.ts'),
      readConsole(config),
    ]);
    opened.push(() => dataPlane.close());
    checkWireMockPort(config, dataPlane.boundPort);
    if (config.https !== undefined && dataPlane.ports.httpsPort === undefined)
      throw new PortError(config.host, config.https.port, '--https-port');
    if (config.https?.mtls !== undefined && dataPlane.ports.mtlsPort === undefined)
      throw new PortError(config.host, config.https.mtls.port, '--mtls-port');
    egress.setRules(ruleSettings(config, dataPlane.port));
    await openGateway(egress, config, log.logger);
    gatewaySessions.attach(gatewayPlane(egress));
    egress.link.attachSessions(gatewaySessionsSource(gatewaySessions));
    sessions.attach(dataPlane);
    const openStore = openFirst ?? (await open());
    const { store } = openStore;
    signing.attach(openStore);
    const { ownerMockHeapBytesMax } = memory;
    const mocksLimits = { ...config.limits.mocks, ownerMockHeapBytesMax };
    const quotas = new OwnerQuotas(store.keys, { ...config.limits, mocks: mocksLimits });
    opened.push(() => quotas.stop());
    const owners = ownersOf(store, config, log, { quotas, egress, homes });
    opened.push(() => owners.stop());
    const stored = await store.fileMocks();
    await fileMocks.check(owners, stored);
    await ensureWireMock(config, owners);
    const { firstKey, keyWarning } = await bootstrap(openStore, config);
    if (keyWarning !== undefined) log.logger.warn(keyWarning);
    await fileMocks.store(owners, stored);
    const isNeeded = httpsAuthority === undefined && egress.gateway !== undefined;
    const authority = isNeeded
      ? await authorityOf(givenAuthority, config, openStore, log)
      : (httpsAuthority ?? 'the gateway is off');
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
    return runService({
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
      signing,
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
