/** The list of the API's endpoints, each group with the parts of the service that it uses. */
import type { Build } from '../base/own-build.ts';
import { isNotable } from '../base/owner-turns.ts';
import { systemClock } from '../base/clock.ts';
import type { DriftBook } from '../drift/drift-book.ts';
import type { Egress } from '../egress/supervisor/egress.ts';
import { isRefusal, refuse } from '../errors.ts';
import { PAGE_BYTES_MAX } from '../limits.ts';
import type { MockHomes } from '../cluster/mock-homes.ts';
import type { Auth } from '../http/admission/auth.ts';
import { RateLimit } from '../http/admission/rate-limit.ts';
import { changesApi, type HistoryAfter } from '../http/api/changes.ts';
import { consoleApi, hasConsole } from '../http/api/console.ts';
import { consoleKeyApi, type ConsoleKeyOptions } from '../http/api/console-key.ts';
import { evaluateApi, type EvaluateRules, type OverlayOfSession } from '../http/api/evaluate.ts';
import { gatewayApi } from '../http/api/gateway/gateway.ts';
import { sessionBodies } from '../http/api/gateway/session-body.ts';
import { gatewaySessionsApi } from '../http/api/gateway/sessions.ts';
import { gatewayStageApi } from '../http/api/gateway/stage-exchanges.ts';
import { gatewayStreamApi } from '../http/api/gateway/stream-exchanges.ts';
import { gatewayVerifyApi } from '../http/api/gateway/verify-exchanges.ts';
import { gatewaySettingsApi } from '../http/api/gateway/settings.ts';
import { groupsApi } from '../http/api/groups.ts';
import { healthApi } from '../http/api/health.ts';
import { historyApi } from '../http/api/history.ts';
import { keysApi } from '../http/api/keys.ts';
import { compatApi } from '../http/compat/compat-api.ts';
import type { ExplainRecorded } from '../http/api/mocks/traffic/closest-requests.ts';
import type { CompatParts } from '../http/compat/wiremock/question.ts';
import { mcpApi } from '../http/api/mcp.ts';
import { meApi } from '../http/api/me.ts';
import { mockDriftsApi } from '../http/api/mocks/drifts/drifts.ts';
import { mockDiffApi } from '../http/api/mocks/diff.ts';
import type { UpstreamRefusal } from '../model/mocks/upstream/placed-upstreams.ts';
import { draftBodies } from '../http/api/mocks/drafts.ts';
import { mockExportApi } from '../http/api/mocks/files/export.ts';
import { mockImportApi } from '../http/api/mocks/files/import.ts';
import { mocksApi } from '../http/api/mocks/mocks.ts';
import type { MocksContext } from '../http/api/mocks/replies.ts';
import { mockRecordingApi } from '../http/api/mocks/recording/recording.ts';
import { mockReplayApi, type ReplayParts } from '../http/api/mocks/recording/replay.ts';
import type { Recordings } from '../http/api/mocks/recording/recordings.ts';
import { mockRouteListsApi } from '../http/api/mocks/route-lists.ts';
import { mockScenariosApi } from '../http/api/mocks/scenarios.ts';
import { mockSocketsApi } from '../http/api/mocks/sockets.ts';
import { mockStoresApi } from '../http/api/mocks/stores.ts';
import { mockStreamsApi } from '../http/api/mocks/streams.ts';
import { mockSessionsApi, type MockSessionsContext } from '../http/api/mocks/sessions.ts';
import { mockStagedApi } from '../http/api/mocks/staged.ts';
import { mockCallbacksApi } from '../http/api/mocks/traffic/callbacks.ts';
import { mockStreamApi } from '../http/api/mocks/traffic/stream.ts';
import { mockTrafficApi, type MockTraffic } from '../http/api/mocks/traffic/traffic.ts';
import { trafficScopes, type OverlaysOf } from '../http/api/mocks/traffic/traffic-scope.ts';
import { mockTryApi } from '../http/api/mocks/try.ts';
import { mockVerifyApi } from '../http/api/mocks/traffic/verify.ts';
import { mockVersionsApi } from '../http/api/mocks/versions.ts';
import { rootApi } from '../http/api/root.ts';
import { versionApi } from '../http/api/version.ts';
import { rulesBatchApi } from '../http/api/rules-batch.ts';
import { rulesInterchangeApi } from '../http/api/rules-interchange.ts';
import { rulesApi, type CheckPatterns } from '../http/api/rules.ts';
import type { Call } from '../http/call.ts';
import type { HttpServer } from '../http/server.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { StaticFile } from '../http/static/read-files.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { OwnerQuotas } from '../owners/owner-quotas.ts';
import type { CodeLane } from '../code-lane/code-lane.ts';
import type { SandboxPool } from '../sandbox/sandbox-pool.ts';
import type { GatewayBook } from '../sessions/gateway-book.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { DataPlane } from '../serving/supervisor/data-plane.ts';
import { gatewayQuestions } from './gateway.ts';
import { STORE_FORMAT } from '../store/store-format.ts';
import { isShared, type Store } from '../store/store.ts';
import type { McpMode } from '../mcp/tools/tool.ts';
import { abilitiesOf, mockUrl, sessionUrls, type Config } from './config.ts';

/**
 * Exchanges tried in a second, by one client address and in all: nobody has a key yet whose requests could be counted.
 * A flood from one address leaves the others theirs.
 */
const CONSOLE_EXCHANGES_PER_SECOND = 10;
const CONSOLE_EXCHANGES_IN_ALL_PER_SECOND = 200;

interface ApiParts {
  readonly config: Config;
  readonly build: Build;
  readonly owners: OwnerDirectory;
  readonly quotas: Pick<OwnerQuotas, 'limitsOf'>;
  readonly auth: Auth;
  readonly sandbox: SandboxPool;
  /** Undefined where code is off. */
  readonly code: CodeLane | undefined;
  readonly store: Store;
  readonly dataPlane: DataPlane;
  readonly egress: Egress;
  readonly homes: MockHomes;
  readonly sessions: SessionBook;
  readonly gatewaySessions: GatewayBook;
  readonly drifts: DriftBook;
  /** None without the console. */
  readonly consoleFiles: readonly StaticFile[];
  /** Makes the answer of `/metrics`. */
  readonly scrape: () => Promise<{ contentType: string; text: string }>;
  readonly isReady: () => boolean;
  readonly isDraining: () => boolean;
  readonly http: Pick<HttpServer, 'ask'>;
}

export function apiEndpoints(parts: ApiParts): readonly Endpoint[] {
  const { config, build, owners, quotas, auth, sandbox, code, store, dataPlane } = parts;
  const { sessions, gatewaySessions, consoleFiles } = parts;
  const { scrape, isReady, isDraining, homes, http, drifts, egress } = parts;
  const { version } = build;
  const { limits } = config;
  const upstreamRefusal: UpstreamRefusal = (upstream) => egress.refusalOf(upstream);
  const abilities = abilitiesOf(config);
  const gateway = gatewayQuestions(egress, config, homes);
  const { bodyBytesMax, nameCharsMax, textCharsMax, mocks: mockLimits } = limits;
  const parseDraft: Parameters<typeof draftBodies>[1] = (ownerId, kind, json) =>
    sandbox.parseDraft(ownerId, { kind, json, limits: { nameCharsMax, textCharsMax, mocks: mockLimits } });
  const mocks: MocksContext = {
    owners,
    serving: {
      urlOf: (mockId) => mockUrl(config.mockUrlTemplate, mockId, dataPlane.port),
      publish: (mockId) => homes.publish(mockId),
      published: (mockId) => homes.published(mockId),
    },
    bodies: draftBodies(limits, parseDraft, upstreamRefusal),
    upstreamRefusal,
  };
  const mockSessions: MockSessionsContext = {
    owners,
    sessions,
    bodies: mocks.bodies,
    limits: mockLimits,
    epoch: () => dataPlane.epoch,
    urlsOf: (mockId, sessionId) => sessionUrls(config.mockUrlTemplate, mockId, sessionId, dataPlane.port),
    nearest: (ownerId, definition, requests) => sandbox.nearestRoutes(ownerId, { definition, requests }),
    stores: (asked) => dataPlane.stores(asked),
  };
  const traffic: MockTraffic = {
    requests: (mockId, filter) => dataPlane.requests(mockId, filter),
    counts: (mockId, scope) => dataPlane.counts(mockId, scope),
    ownerWaits: async (ownerId) => (await dataPlane.ownerWaits(ownerId)).filter(isNotable),
    async reset(mockId) {
      const isReset = await dataPlane.reset(mockId);
      await egress.forgetCallbacks({ mockId });
      return isReset;
    },
    allCounts: (mockIds) => homes.allCounts(mockIds),
  };
  const harOrigin = { urlOf: mocks.serving.urlOf, version };
  const recordings = recordingsOf(egress);
  const replay: ReplayParts = {
    recordings,
    origin: harOrigin,
    readFiles: (...given) => sandbox.imports.mocks(...given),
    check: (ownerId, task) => sandbox.checkReplay(ownerId, { ...task, sharedDomains: mockLimits.sharedDomains }),
  };
  const scopes = trafficScopes(owners, sessions);
  const overlaysOf: OverlaysOf = ({ mock, live }) =>
    (live === undefined ? [...sessions.of(mock.id)] : [live.session]).map(({ overlay }) => overlay);
  const mayContinue = (call: Call): boolean => !isDraining() && auth.authenticate(call.head.apiKey) !== undefined;
  const checkPatterns: CheckPatterns = (ownerId, patterns) => sandbox.checkPatterns(ownerId, patterns);
  const evaluate: EvaluateRules = (ownerId, rules, exchange, { runCode, ...asked }) => {
    const settings = { ...asked, ruleFiles: config.ruleFiles, mockUrl: mocks.serving.urlOf('<mock_id>') };
    return sandbox.rules.evaluate(
      ownerId,
      rules,
      exchange,
      settings,
      runCode ? code?.runOf(ownerId, false) : undefined,
    );
  };
  const overlayOf: OverlayOfSession = (ownerId, session, madeAt) => {
    const live = gatewaySessions.find(ownerId, session);
    if (isRefusal(live)) return live;
    const { createdAt, overlay } = live.session;
    return madeAt === undefined || madeAt === createdAt ? overlay : refuse('sessionNotFound');
  };
  const explain: ExplainRecorded = (ownerId, recorded) => sandbox.explainRecorded(ownerId, recorded);
  const compat: CompatParts = {
    owners,
    sessions,
    traffic,
    states: dataPlane,
    limits: mockLimits,
    isLenient: config.compatLenient,
    publish: mocks.serving.publish,
    explain,
    upstreamRefusal,
    recordings,
    readStubs: (ownerId, stubs) => sandbox.readStubs(ownerId, { stubs, limits: mockLimits }),
  };
  return [
    ...rulesApi(owners, limits, checkPatterns, code && ((ownerId, sources) => code.check(ownerId, sources)), abilities),
    ...rulesBatchApi(owners, limits),
    ...rulesInterchangeApi(owners, limits, (ownerId, file) => sandbox.imports.rules(ownerId, file)),
    ...evaluateApi(owners, limits, {
      checkPatterns,
      evaluate,
      runsCode: code !== undefined,
      overlayOf,
    }),
    ...groupsApi(owners, limits),
    ...runAtOwner([
      ...gatewayApi(owners, gateway, evaluate, overlayOf, version),
      ...gatewaySessionsApi({
        owners,
        book: gatewaySessions,
        bodies: sessionBodies(limits, checkPatterns, mocks.bodies.overlay),
        limits,
        mocks: mockSessions,
        gateway,
        version,
      }),
      ...gatewaySettingsApi(owners, limits),
      ...gatewayVerifyApi(gateway, gatewaySessions, bodyBytesMax, isDraining),
      ...gatewayStreamApi(gateway, mayContinue),
      ...gatewayStageApi(gateway, mocks, replay),
    ]),
    ...mockImportApi(mocks, {
      mocks: (...given) => sandbox.imports.mocks(...given),
      preview: (...given) => sandbox.imports.preview(...given),
    }),
    ...mockExportApi(mocks, (...given) => sandbox.imports.write(...given)),
    ...mocksApi(mocks),
    ...mockStagedApi(mocks),
    ...mockRouteListsApi(mocks),
    ...mockDiffApi(mocks),
    ...mockVersionsApi(mocks),
    ...runAtOwner(mockSessionsApi(mockSessions)),
    ...runAtOwner(mockTrafficApi(owners, scopes, traffic, overlaysOf, harOrigin)),
    ...runAtOwner(mockCallbacksApi(scopes, egress)),
    ...runAtOwner(mockRecordingApi(owners, recordings, harOrigin)),
    ...runAtOwner(mockReplayApi(mocks, replay)),
    ...runAtOwner(mockScenariosApi(scopes, dataPlane)),
    ...runAtOwner(mockStreamsApi(scopes, bodyBytesMax, dataPlane)),
    ...runAtOwner(mockSocketsApi(scopes, bodyBytesMax, dataPlane)),
    ...runAtOwner(mockStoresApi(scopes, dataPlane)),
    ...runAtOwner(mockVerifyApi(owners, scopes, overlaysOf, bodyBytesMax, dataPlane, egress, explain, isDraining)),
    ...runAtOwner(
      mockStreamApi(owners, scopes, dataPlane, {
        mayContinue,
        isLive: (session) => sessions.isLive(session),
        sameHomes: () => homes.sameHomes(),
      }),
    ),
    ...runAtOwner(
      mockTryApi(owners, scopes, bodyBytesMax, dataPlane, (ownerId, dryRun) =>
        sandbox.explain(ownerId, { ...dryRun, sharedDomains: mockLimits.sharedDomains }),
      ),
    ),
    ...runAtOwner(
      mockDriftsApi(
        drifts,
        {
          owners,
          sandbox: {
            draft: (ownerId, task) => sandbox.draftDrift(ownerId, { ...task, sharedDomains: mockLimits.sharedDomains }),
            compare: (ownerId, task) => sandbox.compareDrift(ownerId, task),
            parse: (ownerId, json) => parseDraft(ownerId, 'definition', json),
          },
          async askUpstream(question) {
            await egress.need();
            return egress.ask('upstream', question);
          },
        },
        bodyBytesMax,
      ),
    ),
    ...historyApi(owners),
    ...changesApi(owners, historyAfter(store), mayContinue),
    ...meApi(version, quotas.limitsOf),
    ...keysApi({ owners, keys: store.keys, clock: systemClock, refresh: () => auth.refresh() }),
    ...compatApi(
      async (call, body) => {
        const { answerWireMock } = await import('../http/compat/wiremock/answer.ts');
        return answerWireMock(compat, call, body);
      },
      {
        find: (mockId, sessionId) => sessions.peek(mockId, sessionId),
        isValid({ keyId }) {
          const key = store.keys.find(keyId);
          return key !== undefined && key.revocationDate === null && systemClock() < (key.expiresAt ?? Infinity);
        },
      },
    ),
    ...(config.mcp === 'off' ? [] : mcpApi(answerMcp(config.mcp, version), (call, asked) => http.ask(call, asked))),
    ...versionApi({ ...build, storeFormat: STORE_FORMAT }),
    ...rootApi(version, hasConsole(consoleFiles)),
    ...consoleApi(consoleFiles),
    ...(hasConsole(consoleFiles) ? consoleKeyApi(consoleKeys(store)) : []),
    ...healthApi({ ready: isReady, metrics: scrape, metricsToken: config.metricsToken }),
  ];
}

/** The library of the protocol is loaded by the first request. */
function answerMcp(mode: McpMode, version: string): Parameters<typeof mcpApi>[0] {
  return async ({ message, headers, ...asked }) => {
    const { answerHttp } = await import('../mcp/protocol/answer-http.ts');
    return answerHttp({ message, headers }, { ...asked, mode, version });
  };
}

const NOTHING_RECORDED = {
  exchanges: [],
  total: 0,
  truncated: false,
  dropped: 0,
  bytes: 0,
  nextBefore: null,
  epoch: null,
};

function recordingsOf(egress: Pick<Egress, 'ask'>): Recordings {
  return {
    read: async (mockId, asked) =>
      (await egress.ask('recording', { mockId, ...asked, bytesMax: PAGE_BYTES_MAX })) ?? NOTHING_RECORDED,
    clear: async (mockId, session) => {
      await egress.ask('clearRecording', { mockId, ...(session === undefined ? {} : { session }) });
    },
  };
}

/** Any node answers these of the gateway: what is in the database, and what each node knows. */
const ANYWHERE: ReadonlySet<string> = new Set(['/v1/gateway/ca.pem', '/v1/gateway/settings']);

/**
 * In a cluster, only the home of a mock knows its traffic, sessions and scenarios, and its drift runs go from there. The same holds for
 * the gateway of an owner.
 */
function runAtOwner(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((each) => {
    if (each.path.startsWith('/v1/mocks/:id/')) return { ...each, atHomeOf: 'mock' };
    const isOfGateway = each.path.startsWith('/v1/gateway/') && !ANYWHERE.has(each.path);
    return isOfGateway ? { ...each, atHomeOf: 'gateway' } : each;
  });
}

function consoleKeys(store: Store): ConsoleKeyOptions {
  const perClient = new RateLimit(CONSOLE_EXCHANGES_PER_SECOND);
  const inAll = new RateLimit(CONSOLE_EXCHANGES_IN_ALL_PER_SECOND);
  return {
    // In this order: what one client tries in vain takes nothing from the others.
    admits: (network) => perClient.admits(network) && inAll.admits('all'),
    exchange: async (code) => (store.diskSpace.isFull ? refuse('storageFull') : store.exchangeCode(code, systemClock)),
  };
}

/** A shared store is asked for the versions of all watched owners in one query; only what has changed is read. */
function historyAfter(store: Store): HistoryAfter {
  if (!isShared(store)) return (ownerId, after, countMax) => store.history(ownerId, after + 1, countMax);
  return async (ownerId, after, countMax) =>
    (await store.newestVersion(ownerId)) > after ? store.history(ownerId, after + 1, countMax) : [];
}
