/** Parts of the API that several groups of endpoints share, made of the parts of the service. */
import { isNotable } from '../base/owner-waits.ts';
import { recordingsOf } from './egress.ts';
import { isRefusal, refuse } from '../errors.ts';
import type { EvaluateRules, OverlayOfSession } from '../http/api/evaluate.ts';
import type { ExplainRecorded } from '../http/api/mocks/traffic/closest-requests.ts';
import type { CompatParts } from '../http/compat/wiremock/question.ts';
import type { UpstreamRefusal } from '../model/mocks/upstream/placed-upstreams.ts';
import { draftBodies, type ParseDraft } from '../http/api/mocks/drafts.ts';
import type { MocksContext } from '../http/api/mocks/replies.ts';
import type { ReplayParts } from '../http/api/mocks/recording/replay.ts';
import type { MockSessionsContext } from '../http/api/mocks/sessions.ts';
import type { MockTraffic } from '../http/api/mocks/traffic/traffic.ts';
import { trafficScopes, type OverlaysOf } from '../http/api/mocks/traffic/traffic-scope.ts';
import type { CheckPatterns } from '../http/api/rules.ts';
import type { Call } from '../http/call.ts';
import { gatewayQuestions } from './gateway.ts';
import { mockUrl } from './config.ts';
import { mockUrls, sessionUrls } from './mock-urls.ts';
import type { ApiParts } from './api-parts.ts';

export function apiContext(parts: ApiParts) {
  const { config, build, owners, auth, sandbox, code, dataPlane } = parts;
  const { sessions, gatewaySessions } = parts;
  const { isDraining, homes, egress } = parts;
  const { version } = build;
  const { limits } = config;
  const upstreamRefusal: UpstreamRefusal = (upstream) => egress.refusalOf(upstream);
  const gateway = gatewayQuestions(egress, config, homes);
  const { nameCharsMax, textCharsMax, mocks: mockLimits } = limits;
  const parseDraft: ParseDraft = (ownerId, kind, json) =>
    sandbox.parseDraft(ownerId, { kind, json, limits: { nameCharsMax, textCharsMax, mocks: mockLimits } });
  const mocks: MocksContext = {
    owners,
    serving: {
      urlOf: (mockId) => mockUrl(config.mockUrlTemplate, mockId, dataPlane.port),
      urlsOf: (mockId) => mockUrls(config, mockId, dataPlane.ports),
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
    urlsOf: (mockId, sessionId) => sessionUrls(config, mockId, sessionId, dataPlane.ports),
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
  return {
    mocks,
    mockSessions,
    traffic,
    scopes,
    overlaysOf,
    recordings,
    replay,
    explain,
    parseDraft,
    mayContinue,
    gateway,
    evaluate,
    overlayOf,
    checkPatterns,
    compat,
  };
}

export type ApiContext = ReturnType<typeof apiContext>;
