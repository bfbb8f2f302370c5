/** Answer of `GET /v1/me`: the schema that the API and the client share. */
import type { Static } from 'typebox';
import { ROLES } from './principal.ts';
import { Type } from './schema-type.ts';

const limitsSchema = Type.Object({
  bodyBytesMax: Type.Integer({ description: 'Body of a request, other than a mock or a file.' }),
  nameCharsMax: Type.Integer({ description: 'Length of a name, in code points.' }),
  textCharsMax: Type.Integer({ description: 'Length of any other text field of a rule, in code points.' }),
  pageRecordsMax: Type.Integer({ description: 'Records per page of a list.' }),
  rulesPerOwnerMax: Type.Integer(),
  groupsPerOwnerMax: Type.Integer(),
  pairsPerRuleMax: Type.Integer(),
  mocksPerOwnerMax: Type.Integer(),
  ownerMockBytesMax: Type.Integer({ description: 'All definitions and versions, as JSON.' }),
  definitionBytesMax: Type.Integer({ description: 'Definition of one mock, as JSON, and a request with one.' }),
  versionsPerMockMax: Type.Integer({ description: 'Saved versions kept per mock.' }),
  routesPerMockMax: Type.Integer(),
  responsesPerRouteMax: Type.Integer(),
  responseBodyBytesMax: Type.Integer({ description: 'Body of one response, decoded.' }),
  rulesPerResponseMax: Type.Integer(),
  ruleValueCharsMax: Type.Integer({ description: "Length of a condition's value, in characters." }),
  requestsPerPageMax: Type.Integer({ description: 'Recorded requests per answer.' }),
  recordedBodyBytesMax: Type.Integer({ description: 'Recorded part of a request body.' }),
  streamsPerOwnerMax: Type.Integer({ description: 'Concurrent live streams of requests.' }),
  importFileBytesMax: Type.Integer({ description: 'One imported file.' }),
  importBodyBytesMax: Type.Integer({ description: 'Request with the files of an import.' }),
});

export type ShownLimits = Static<typeof limitsSchema>;

export const meSchema = Type.Object({
  ownerId: Type.String(),
  userId: Type.String(),
  role: Type.Enum([...ROLES], {
    description:
      'A viewer reads, an editor also writes, an admin also manages keys, and a proxy may only use the gateway.',
  }),
  keyId: Type.String(),
  expiresAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'When the key expires, as an ISO 8601 date; null for a key that does not expire.',
  }),
  version: Type.String({ description: 'Version of the server.' }),
  limits: limitsSchema,
});
