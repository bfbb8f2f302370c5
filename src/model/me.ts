/** What `GET /v1/me` answers: the schema that the API and the client share. */
import type { Static } from 'typebox';
import { ROLES } from './principal.ts';
import { Type } from './schema-type.ts';

const limitsSchema = Type.Object({
  bodyBytesMax: Type.Integer({ description: 'Of a request with a body, other than a mock or a file.' }),
  nameCharsMax: Type.Integer({ description: 'Code points of a name.' }),
  textCharsMax: Type.Integer({ description: 'Code points of any other text field of a rule.' }),
  pageRecordsMax: Type.Integer({ description: 'Records on a page of a list.' }),
  rulesPerOwnerMax: Type.Integer(),
  groupsPerOwnerMax: Type.Integer(),
  pairsPerRuleMax: Type.Integer(),
  mocksPerOwnerMax: Type.Integer(),
  ownerMockBytesMax: Type.Integer({ description: 'Of all definitions and versions, as JSON.' }),
  definitionBytesMax: Type.Integer({ description: "Of one mock's definition as JSON, and of a request with one." }),
  versionsPerMockMax: Type.Integer({ description: 'Saved versions that are kept.' }),
  routesPerMockMax: Type.Integer(),
  responsesPerRouteMax: Type.Integer(),
  responseBodyBytesMax: Type.Integer({ description: "Of one response's body, decoded." }),
  rulesPerResponseMax: Type.Integer(),
  ruleValueCharsMax: Type.Integer({ description: "Characters of a mock's rule's value." }),
  requestsPerPageMax: Type.Integer({ description: 'Recorded requests in one answer.' }),
  recordedBodyBytesMax: Type.Integer({ description: "Of a request's body, as it is recorded." }),
  streamsPerOwnerMax: Type.Integer({ description: 'Streams of requests at a time.' }),
  importFileBytesMax: Type.Integer({ description: 'Of one imported file.' }),
  importBodyBytesMax: Type.Integer({ description: 'Of a request with the files of an import.' }),
});

export type ShownLimits = Static<typeof limitsSchema>;

export const meSchema = Type.Object({
  ownerId: Type.String(),
  userId: Type.String(),
  role: Type.Enum([...ROLES], {
    description:
      'An admin manages keys, too; an editor reads and writes; a viewer reads only; a proxy may use the gateway alone.',
  }),
  keyId: Type.String(),
  expiresAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'When the key ends, as an ISO 8601 date; null for a key without an end.',
  }),
  version: Type.String({ description: "The server's." }),
  limits: limitsSchema,
});
