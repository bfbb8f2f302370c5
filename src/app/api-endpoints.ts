/** The list of the API's endpoints, each group with the parts of the service that it uses. */
import { stateOf } from '../model/key-state.ts';
import { systemClock } from '../base/clock.ts';
import { changesApi, type HistoryAfter } from '../http/api/changes.ts';
import { evaluateApi } from '../http/api/evaluate.ts';
import { gatewayApi } from '../http/api/gateway/gateway.ts';
import { sessionBodies } from '../http/api/gateway/session-body.ts';
import { gatewaySessionsApi } from '../http/api/gateway/sessions.ts';
import { gatewayStageApi } from '../http/api/gateway/stage-exchanges.ts';
import { gatewayStreamApi } from '../http/api/gateway/stream-exchanges.ts';
import { gatewayVerifyApi } from '../http/api/gateway/verify-exchanges.ts';
import { gatewaySettingsApi } from '../http/api/gateway/settings.ts';
import { groupsApi } from '../http/api/groups.ts';
import { historyApi } from '../http/api/history.ts';
import { keysApi } from '../http/api/keys.ts';
import { compatApi } from '../http/compat/compat-api.ts';
import { meApi } from '../http/api/me.ts';
import { rulesBatchApi } from '../http/api/rules-batch.ts';
import { rulesInterchangeApi } from '../http/api/rules-interchange.ts';
import { rulesApi } from '../http/api/rules.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { isShared, type Store } from '../store/store.ts';
import { abilitiesOf } from './config.ts';
import type { ApiParts } from './api-parts.ts';
import { mockEndpoints } from './mock-endpoints.ts';
import { serviceEndpoints } from './service-endpoints.ts';
import { apiContext } from './api-context.ts';

export function apiEndpoints(parts: ApiParts): readonly Endpoint[] {
  const context = apiContext(parts);
  const { mocks, mockSessions, replay, mayContinue, gateway, evaluate, overlayOf, checkPatterns, compat } = context;
  const { config, build, owners, quotas, auth, sandbox, code, store, sessions, gatewaySessions, isDraining } = parts;
  const { version } = build;
  const { limits } = config;
  return [
    ...rulesApi(
      owners,
      limits,
      checkPatterns,
      code && ((ownerId, sources) => code.check(ownerId, sources)),
      abilitiesOf(config),
    ),
    ...rulesBatchApi(owners, limits),
    ...rulesInterchangeApi(owners, limits, (ownerId, file) => sandbox.imports.rules(ownerId, file)),
    ...evaluateApi(owners, limits, {
      checkPatterns,
      evaluate,
      runsCode: code !== undefined,
      overlayOf,
    }),
    ...groupsApi(owners, limits),
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
    ...gatewayVerifyApi(gateway, gatewaySessions, limits.bodyBytesMax, isDraining),
    ...gatewayStreamApi(gateway, mayContinue),
    ...gatewayStageApi(gateway, mocks, replay),
    ...mockEndpoints({ ...parts, ...context }),
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
          return key !== undefined && stateOf(key, systemClock()) === 'valid';
        },
      },
    ),
    ...serviceEndpoints(parts),
  ];
}

/** A shared store is asked for the versions of all watched owners in one query; only what has changed is read. */
function historyAfter(store: Store): HistoryAfter {
  if (!isShared(store)) return (ownerId, after, countMax) => store.history(ownerId, after + 1, countMax);
  return async (ownerId, after, countMax) =>
    (await store.newestVersion(ownerId)) > after ? store.history(ownerId, after + 1, countMax) : [];
}
