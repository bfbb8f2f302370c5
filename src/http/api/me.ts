/** `GET /v1/me`: whose key it is, what it may do, and the bounds that a client needs to know; docs/api.md, "Whose key it is". */
import {
  IMPORT_BODY_BYTES_MAX,
  IMPORT_FILE_BYTES_MAX,
  MOCK_VERSIONS_MAX,
  PAGE_RECORDS_MAX,
  RULE_VALUE_CHARS_MAX,
  STREAMS_PER_OWNER_MAX,
  TRAFFIC_BODY_BYTES_MAX,
  TRAFFIC_LIMIT_MAX,
  type Limits,
} from '../../limits.ts';
import { meSchema, type ShownLimits } from '../../model/me.ts';
import type { Endpoint } from '../endpoint.ts';
import { operations } from './operation.ts';

const operation = operations('Account');

export function meApi(version: string, limitsOf: (ownerId: string) => Limits): Endpoint[] {
  return [
    operation('me', 'GET /v1/me', {
      summary: 'Read whose key this is, its role, and the limits',
      data: meSchema,
      handle(call) {
        const { ownerId, userId, role, keyId, expiresAt } = call.caller;
        const end = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
        const me = { ownerId, userId, role, keyId, expiresAt: end, version, limits: shownLimits(limitsOf(ownerId)) };
        call.succeed(`"data":${JSON.stringify(me)}`);
      },
    }),
  ];
}

function shownLimits({ mocks, ...own }: Limits): ShownLimits {
  return {
    bodyBytesMax: own.bodyBytesMax,
    nameCharsMax: own.nameCharsMax,
    textCharsMax: own.textCharsMax,
    pageRecordsMax: PAGE_RECORDS_MAX,
    rulesPerOwnerMax: own.rulesPerOwnerMax,
    groupsPerOwnerMax: own.groupsPerOwnerMax,
    pairsPerRuleMax: own.pairsPerRuleMax,
    mocksPerOwnerMax: mocks.mocksPerOwnerMax,
    ownerMockBytesMax: mocks.ownerMockBytesMax,
    definitionBytesMax: mocks.definitionBytesMax,
    versionsPerMockMax: MOCK_VERSIONS_MAX,
    routesPerMockMax: mocks.routesPerMockMax,
    responsesPerRouteMax: mocks.responsesPerRouteMax,
    responseBodyBytesMax: mocks.responseBodyBytesMax,
    rulesPerResponseMax: mocks.rulesPerResponseMax,
    ruleValueCharsMax: RULE_VALUE_CHARS_MAX,
    requestsPerPageMax: TRAFFIC_LIMIT_MAX,
    recordedBodyBytesMax: TRAFFIC_BODY_BYTES_MAX,
    streamsPerOwnerMax: STREAMS_PER_OWNER_MAX,
    importFileBytesMax: IMPORT_FILE_BYTES_MAX,
    importBodyBytesMax: IMPORT_BODY_BYTES_MAX,
  };
}
