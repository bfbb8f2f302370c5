/** The endpoints of mocks, each group with what it uses. */
import { mockDriftsApi } from '../http/api/mocks/drifts/drifts.ts';
import { mockDiffApi } from '../http/api/mocks/diff.ts';
import { mockExportApi } from '../http/api/mocks/files/export.ts';
import { mockImportApi } from '../http/api/mocks/files/import.ts';
import { mocksApi } from '../http/api/mocks/mocks.ts';
import { mockRecordingApi } from '../http/api/mocks/recording/recording.ts';
import { mockReplayApi } from '../http/api/mocks/recording/replay.ts';
import { mockRouteListsApi } from '../http/api/mocks/route-lists.ts';
import { mockScenariosApi } from '../http/api/mocks/scenarios.ts';
import { mockSocketsApi } from '../http/api/mocks/sockets.ts';
import { mockStoresApi } from '../http/api/mocks/stores.ts';
import { mockStreamsApi } from '../http/api/mocks/streams.ts';
import { mockSessionsApi } from '../http/api/mocks/sessions.ts';
import { mockStagedApi } from '../http/api/mocks/staged.ts';
import { mockCallbacksApi } from '../http/api/mocks/traffic/callbacks.ts';
import { mockStreamApi } from '../http/api/mocks/traffic/stream.ts';
import { mockTrafficApi } from '../http/api/mocks/traffic/traffic.ts';
import { mockTryApi } from '../http/api/mocks/try.ts';
import { mockVerifyApi } from '../http/api/mocks/traffic/verify.ts';
import { mockVersionsApi } from '../http/api/mocks/versions.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { SIGNING_DEFAULTS } from '../model/mocks/definition/signing-schema.ts';
import type { ApiContext } from './api-context.ts';
import type { ApiParts } from './api-parts.ts';

export function mockEndpoints(parts: ApiParts & ApiContext): readonly Endpoint[] {
  const { owners, sessions, sandbox, signing, dataPlane, egress, homes, drifts, isDraining } = parts;
  const { mocks, mockSessions, traffic, scopes, overlaysOf, recordings, replay, explain, parseDraft, mayContinue } =
    parts;
  const { bodyBytesMax, mocks: mockLimits } = parts.config.limits;
  const harOrigin = replay.origin;
  return [
    ...mockImportApi(mocks, {
      mocks: (...given) => sandbox.imports.mocks(...given),
      preview: (...given) => sandbox.imports.preview(...given),
    }),
    ...mockExportApi(mocks, (...given) => sandbox.imports.write(...given)),
    ...mocksApi(mocks),
    ...mockStagedApi(mocks),
    ...mockRouteListsApi(mocks),
    ...mockDiffApi(owners),
    ...mockVersionsApi(mocks),
    ...mockSessionsApi(mockSessions),
    ...mockTrafficApi(owners, scopes, traffic, overlaysOf, harOrigin),
    ...mockCallbacksApi(scopes, egress, harOrigin),
    ...mockRecordingApi(owners, recordings, harOrigin),
    ...mockReplayApi(mocks, replay),
    ...mockScenariosApi(scopes, dataPlane),
    ...mockStreamsApi(scopes, bodyBytesMax, dataPlane),
    ...mockSocketsApi(scopes, bodyBytesMax, dataPlane),
    ...mockStoresApi(scopes, dataPlane),
    ...mockVerifyApi(scopes, bodyBytesMax, {
      owners,
      overlaysOf,
      traffic: dataPlane,
      callbacks: egress,
      explain,
      isDraining,
    }),
    ...mockStreamApi(owners, scopes, dataPlane, {
      mayContinue,
      isLive: (session) => sessions.isLive(session),
      sameHomes: () => homes.sameHomes(),
    }),
    ...mockTryApi(owners, scopes, bodyBytesMax, dataPlane, async (ownerId, dryRun) => {
      const { signer } = dryRun.request;
      const keys = signer && (await signing.need(signer.setting.alg ?? SIGNING_DEFAULTS.alg));
      return sandbox.explain(ownerId, { ...dryRun, keys, sharedDomains: mockLimits.sharedDomains });
    }),
    ...mockDriftsApi(
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
  ];
}
